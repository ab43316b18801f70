"""Tags and policies of streams and consumers. Streams are tagged through the older operations, streams and consumers through the
newer ones (by ARN). A policy lets other accounts in: it is kept, and has no effect.
"""

from typing import Annotated, Any

from msgspec import Meta

from firnline_local.kinesis.errors import invalid_argument
from firnline_local.kinesis.operations.consumers import CONSUMER_PART, find_consumer
from firnline_local.kinesis.operations.request import ApiRequest, StreamRequest
from firnline_local.kinesis.stream import Consumer, KinesisAccount, StreamSettings

MAX_TAGS = 50
NO_POLICY = "{}"


class OfStream(StreamRequest):
    def about(self, account: KinesisAccount) -> StreamSettings | Consumer:
        return self.stream(account).settings


class AddTagsToStream(OfStream, kw_only=True):
    tags: dict[str, str]


class RemoveTagsFromStream(OfStream, kw_only=True):
    tag_keys: list[str]


class ListTagsForStream(OfStream, kw_only=True):
    exclusive_start_tag_key: str = ""
    limit: Annotated[int, Meta(ge=1, le=50)] = 50


class ResourceRequest(ApiRequest):
    """A request about a stream, or one of its consumers."""

    resource_arn: str

    def about(self, account: KinesisAccount) -> StreamSettings | Consumer:
        if CONSUMER_PART in self.resource_arn:
            return find_consumer(account, consumer_arn=self.resource_arn)
        return account.find(arn=self.resource_arn).settings


class TagResource(ResourceRequest):
    tags: dict[str, str]


class UntagResource(ResourceRequest):
    tag_keys: list[str]


class PutResourcePolicy(ResourceRequest, kw_only=True):
    policy: str


def add_tags(account: KinesisAccount, request: AddTagsToStream | TagResource) -> None:
    tagged = request.about(account)
    tags = tagged.tags | request.tags
    if len(tags) > MAX_TAGS:
        raise invalid_argument(f"A stream or consumer has at most {MAX_TAGS} tags.")
    tagged.tags = tags


def remove_tags(account: KinesisAccount, request: RemoveTagsFromStream | UntagResource) -> None:
    tagged = request.about(account)
    tagged.tags = {key: value for key, value in tagged.tags.items() if key not in request.tag_keys}


def list_tags_for_stream(account: KinesisAccount, request: ListTagsForStream) -> dict[str, Any]:
    tags = [tag for tag in _tags(request.about(account)) if tag["Key"] > request.exclusive_start_tag_key]
    return {"Tags": tags[: request.limit], "HasMoreTags": len(tags) > request.limit}


def list_tags_for_resource(account: KinesisAccount, request: ResourceRequest) -> dict[str, Any]:
    return {"Tags": _tags(request.about(account))}


def put_policy(account: KinesisAccount, request: PutResourcePolicy) -> None:
    request.about(account).policy = request.policy


def get_policy(account: KinesisAccount, request: ResourceRequest) -> dict[str, Any]:
    return {"Policy": request.about(account).policy or NO_POLICY}


def delete_policy(account: KinesisAccount, request: ResourceRequest) -> None:
    request.about(account).policy = ""


def _tags(tagged: StreamSettings | Consumer) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in sorted(tagged.tags.items())]


OPERATIONS = {
    "AddTagsToStream": (AddTagsToStream, add_tags),
    "DeleteResourcePolicy": (ResourceRequest, delete_policy),
    "GetResourcePolicy": (ResourceRequest, get_policy),
    "ListTagsForResource": (ResourceRequest, list_tags_for_resource),
    "ListTagsForStream": (ListTagsForStream, list_tags_for_stream),
    "PutResourcePolicy": (PutResourcePolicy, put_policy),
    "RemoveTagsFromStream": (RemoveTagsFromStream, remove_tags),
    "TagResource": (TagResource, add_tags),
    "UntagResource": (UntagResource, remove_tags),
}
