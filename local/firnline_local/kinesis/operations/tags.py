"""Tags: of streams through the older operations, of streams and consumers through the newer ones (by ARN)."""

from typing import Annotated, Any, Protocol

from msgspec import Meta

from firnline_local.kinesis.account import Account
from firnline_local.kinesis.errors import invalid_argument
from firnline_local.kinesis.operations.consumers import CONSUMER_PART, find_consumer
from firnline_local.kinesis.operations.request import Request, StreamRequest

MAX_TAGS = 50


class Tagged(Protocol):
    tags: dict[str, str]


class OfStream(StreamRequest):
    def tagged(self, account: Account) -> Tagged:
        return self.stream(account).settings


class AddTagsToStream(OfStream, kw_only=True):
    tags: dict[str, str]


class RemoveTagsFromStream(OfStream, kw_only=True):
    tag_keys: list[str]


class ListTagsForStream(OfStream, kw_only=True):
    exclusive_start_tag_key: str = ""
    limit: Annotated[int, Meta(ge=1, le=50)] = 50


class ResourceRequest(Request):
    """Of a stream, or of one of its consumers."""

    resource_arn: str

    def tagged(self, account: Account) -> Tagged:
        if CONSUMER_PART in self.resource_arn:
            return find_consumer(account, consumer_arn=self.resource_arn)
        return account.find(arn=self.resource_arn).settings


class TagResource(ResourceRequest):
    tags: dict[str, str]


class UntagResource(ResourceRequest):
    tag_keys: list[str]


def add_tags(account: Account, request: AddTagsToStream | TagResource) -> None:
    tagged = request.tagged(account)
    tags = tagged.tags | request.tags
    if len(tags) > MAX_TAGS:
        raise invalid_argument(f"A stream or consumer has at most {MAX_TAGS} tags.")
    tagged.tags = tags


def remove_tags(account: Account, request: RemoveTagsFromStream | UntagResource) -> None:
    tagged = request.tagged(account)
    tagged.tags = {key: value for key, value in tagged.tags.items() if key not in request.tag_keys}


def list_tags_for_stream(account: Account, request: ListTagsForStream) -> dict[str, Any]:
    tags = [tag for tag in _tags(request.tagged(account)) if tag["Key"] > request.exclusive_start_tag_key]
    return {"Tags": tags[: request.limit], "HasMoreTags": len(tags) > request.limit}


def list_tags_for_resource(account: Account, request: ResourceRequest) -> dict[str, Any]:
    return {"Tags": _tags(request.tagged(account))}


def _tags(tagged: Tagged) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in sorted(tagged.tags.items())]


OPERATIONS = {
    "AddTagsToStream": (AddTagsToStream, add_tags),
    "ListTagsForResource": (ResourceRequest, list_tags_for_resource),
    "ListTagsForStream": (ListTagsForStream, list_tags_for_stream),
    "RemoveTagsFromStream": (RemoveTagsFromStream, remove_tags),
    "TagResource": (TagResource, add_tags),
    "UntagResource": (UntagResource, remove_tags),
}
