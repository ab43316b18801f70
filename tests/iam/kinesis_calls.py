"""A call to Kinesis as IAM sees it: about the stream that it names, or that its iterator or token was made for."""

import msgspec

from firnline_local.kinesis.fake import FakeKinesis
from firnline_local.kinesis.iterator import ShardIterator, unseal
from firnline_local.kinesis.operations.shards import ListingToken
from firnline_local.kinesis.stream import Stream
from tests.iam.request import Request


class Named(msgspec.Struct, rename="pascal"):
    """The part of a request that names its stream; its records are passed over."""

    stream_name: str | None = None
    stream_arn: str | None = msgspec.field(default=None, name="StreamARN")
    consumer_arn: str | None = msgspec.field(default=None, name="ConsumerARN")
    resource_arn: str | None = msgspec.field(default=None, name="ResourceARN")
    consumer_name: str | None = None
    shard_iterator: str | None = None
    next_token: str | None = None
    tags: dict[str, str] | None = None
    key_id: str | None = None


class KinesisDirectory:
    """Kinesis knows its streams, and keys by what they were called when encryption was started."""

    def __init__(self, account: str, region: str) -> None:
        self._account = account
        self._region = region

    def role_arn(self, name: str) -> str:
        return f"arn:aws:iam::{self._account}:role/{name}"

    def user_arn(self, name: str) -> str:
        return f"arn:aws:iam::{self._account}:user/{name}"

    def key_arn(self, key: str) -> str:
        if key.startswith("arn:"):
            return key
        return f"arn:aws:kms:{self._region}:{self._account}:{key if key.startswith('alias/') else f'key/{key}'}"

    def key_aliases(self, key: str) -> list[str]:
        return []

    def secret_arn(self, secret: str) -> str:
        return secret

    def hash_key(self, table: str) -> str | None:
        return None


def iam_request(kinesis: FakeKinesis, operation: str, body: bytes) -> Request:
    account = kinesis.account
    with account.lock:
        named = _named(body)
        stream = _stream(kinesis, operation, named)
        key = stream.settings.key_id if stream else None
    parameters = {
        "StreamARN": stream.arn if stream else named.stream_arn,
        "StreamName": named.stream_name,
        "ConsumerARN": named.consumer_arn,
        "ResourceARN": named.resource_arn,
        "ConsumerName": named.consumer_name,
        "Tags": named.tags,
        "KeyId": key,
        "NewKeyId": named.key_id,
    }
    directory = KinesisDirectory(account.account_id, account.region)
    return Request(
        service="kinesis",
        operation=operation,
        account=account.account_id,
        region=account.region,
        directory=directory,
        parameters=parameters,
    )


def _named(body: bytes) -> Named:
    try:
        return msgspec.json.decode(body or b"{}", type=Named)
    except msgspec.MsgspecError:
        return Named()


def _stream(kinesis: FakeKinesis, operation: str, named: Named) -> Stream | None:
    """None where the request names none that is there."""
    streams = kinesis.account.streams
    arn = named.stream_arn or (named.consumer_arn or "").partition("/consumer/")[0]
    name = named.stream_name or arn.rpartition("/")[2]
    if name:
        return streams.get(name)
    tag = _tag(operation, named)
    return next((stream for stream in streams.values() if stream.tag == tag), None)


def _tag(operation: str, named: Named) -> int | None:
    """Also of what has expired: the service knows whose it was."""
    try:
        if named.shard_iterator:
            return unseal(named.shard_iterator, ShardIterator).stream_tag
        if named.next_token and operation == "ListShards":
            return unseal(named.next_token, ListingToken).stream_tag
    except (ValueError, msgspec.MsgspecError):
        return None
    return None
