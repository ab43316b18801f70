"""Tags of a stream, through the older operations (by stream) and the newer ones (by ARN)."""

from typing import Annotated, Any

from msgspec import Meta

from firnline_ingest.testing.kinesis.account import Account
from firnline_ingest.testing.kinesis.errors import invalid_argument
from firnline_ingest.testing.kinesis.operations.request import Request, StreamRequest
from firnline_ingest.testing.kinesis.stream import Stream

MAX_TAGS = 50


class AddTagsToStream(StreamRequest, kw_only=True):
    tags: dict[str, str]


class RemoveTagsFromStream(StreamRequest, kw_only=True):
    tag_keys: list[str]


class ListTagsForStream(StreamRequest, kw_only=True):
    exclusive_start_tag_key: str = ""
    limit: Annotated[int, Meta(ge=1, le=50)] = 50


class ResourceRequest(Request):
    resource_arn: str

    def stream(self, account: Account) -> Stream:
        return account.find(arn=self.resource_arn)


class TagResource(ResourceRequest):
    tags: dict[str, str]


class UntagResource(ResourceRequest):
    tag_keys: list[str]


def add_tags(account: Account, request: AddTagsToStream | TagResource) -> None:
    settings = request.stream(account).settings
    tags = settings.tags | request.tags
    if len(tags) > MAX_TAGS:
        raise invalid_argument(f"A stream has at most {MAX_TAGS} tags.")
    settings.tags = tags


def remove_tags(account: Account, request: RemoveTagsFromStream | UntagResource) -> None:
    settings = request.stream(account).settings
    settings.tags = {key: value for key, value in settings.tags.items() if key not in request.tag_keys}


def list_tags_for_stream(account: Account, request: ListTagsForStream) -> dict[str, Any]:
    tags = [tag for tag in _tags(request.stream(account)) if tag["Key"] > request.exclusive_start_tag_key]
    return {"Tags": tags[: request.limit], "HasMoreTags": len(tags) > request.limit}


def list_tags_for_resource(account: Account, request: ResourceRequest) -> dict[str, Any]:
    return {"Tags": _tags(request.stream(account))}


def _tags(stream: Stream) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in sorted(stream.settings.tags.items())]


OPERATIONS = {
    "AddTagsToStream": (AddTagsToStream, add_tags),
    "ListTagsForResource": (ResourceRequest, list_tags_for_resource),
    "ListTagsForStream": (ListTagsForStream, list_tags_for_stream),
    "RemoveTagsFromStream": (RemoveTagsFromStream, remove_tags),
    "TagResource": (TagResource, add_tags),
    "UntagResource": (UntagResource, remove_tags),
}
