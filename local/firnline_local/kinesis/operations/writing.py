"""PutRecord and PutRecords."""

from typing import Annotated, Any

from msgspec import Meta

from firnline_local.kinesis.account import Account
from firnline_local.kinesis.errors import FakeKinesisError, invalid_argument, rate_exceeded
from firnline_local.kinesis.operations.request import Request, StreamRequest
from firnline_local.kinesis.shard import Shard
from firnline_local.kinesis.stream import Stream

MAX_REQUEST_BYTES = 10 * 1024 * 1024  # data and partition keys together

PartitionKey = Annotated[str, Meta(min_length=1, max_length=256)]
HashKey = Annotated[str, Meta(pattern=r"^(0|[1-9]\d{0,38})$")]


class Entry(Request):
    data: bytes
    partition_key: PartitionKey
    explicit_hash_key: HashKey | None = None


class PutRecord(StreamRequest, kw_only=True):
    data: bytes
    partition_key: PartitionKey
    explicit_hash_key: HashKey | None = None
    sequence_number_for_ordering: str | None = None
    """Needs no attention: numbers here always grow."""


class PutRecords(StreamRequest, kw_only=True):
    records: Annotated[list[Entry], Meta(min_length=1, max_length=500)]


def put_record(account: Account, request: PutRecord) -> dict[str, Any]:
    stream = request.stream(account)
    _check_size(stream, request)
    shard = stream.route(request.partition_key, request.explicit_hash_key)
    return {**_put(account, stream, shard, request, account.now_ms()), "EncryptionType": _encryption(stream)}


def put_records(account: Account, request: PutRecords) -> dict[str, Any]:
    """Records that a shard has no room for fail one by one, in their places of the answer."""
    stream = request.stream(account)
    if sum(_check_size(stream, entry) for entry in request.records) > MAX_REQUEST_BYTES:
        raise invalid_argument(f"The records are larger than {MAX_REQUEST_BYTES} bytes together.")
    shards = [stream.route(entry.partition_key, entry.explicit_hash_key) for entry in request.records]
    now_ms = account.now_ms()
    failed = 0
    results: list[dict[str, str]] = []
    for shard, entry in zip(shards, request.records, strict=True):
        try:
            results.append(_put(account, stream, shard, entry, now_ms))
        except FakeKinesisError as error:
            failed += 1
            results.append({"ErrorCode": error.code, "ErrorMessage": error.message})
    return {"FailedRecordCount": failed, "Records": results, "EncryptionType": _encryption(stream)}


def _put(account: Account, stream: Stream, shard: Shard, entry: Entry | PutRecord, now_ms: int) -> dict[str, str]:
    """Raises ProvisionedThroughputExceededException."""
    if account.write_limits:
        size_bytes = len(entry.data) + len(entry.partition_key)
        if not shard.writes.admits(now_ms, size_bytes):
            raise rate_exceeded(shard.id, stream.name, account.account_id)
        shard.writes.count(now_ms, size_bytes)
    is_encrypted = stream.settings.key_id is not None
    number = shard.append(entry.data, entry.partition_key, now_ms=now_ms, is_encrypted=is_encrypted)
    return {"ShardId": shard.id, "SequenceNumber": str(number)}


def _check_size(stream: Stream, entry: Entry | PutRecord) -> int:
    size_bytes = len(entry.data) + len(entry.partition_key.encode())
    if size_bytes > stream.settings.max_record_kib * 1024:
        raise invalid_argument(f"A record of {size_bytes} bytes is above {stream.settings.max_record_kib} KiB.")
    return size_bytes


def _encryption(stream: Stream) -> str:
    return "KMS" if stream.settings.key_id else "NONE"


OPERATIONS = {
    "PutRecord": (PutRecord, put_record),
    "PutRecords": (PutRecords, put_records),
}
