"""PutRecord and PutRecords, GetShardIterator and GetRecords."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from firnline_local.kinesis.errors import FakeKinesisError, invalid_argument, not_found, rate_exceeded
from firnline_local.kinesis.iterator import ShardIterator, place
from firnline_local.kinesis.liberties import Liberties
from firnline_local.kinesis.operations.request import ApiRequest, StreamRequest, Timestamp, timestamp_ms
from firnline_local.kinesis.shard import LogPage, Shard
from firnline_local.kinesis.stream import ON_DEMAND, KinesisAccount, Stream, split

MAX_REQUEST_BYTES = 10 * 1024 * 1024  # data and partition keys together

PartitionKey = Annotated[str, Meta(min_length=1, max_length=256)]
HashKey = Annotated[str, Meta(pattern=r"^(0|[1-9]\d{0,38})$")]

PAGE_RECORDS = 10_000
PAGE_BYTES = 10 * 1024 * 1024
ITERATOR_TYPES = ("AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER", "TRIM_HORIZON", "LATEST", "AT_TIMESTAMP")


class Entry(ApiRequest):
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


def put_record(account: KinesisAccount, request: PutRecord) -> dict[str, Any]:
    stream = request.written_stream(account)
    _check_size(stream, request)
    shard = stream.route(request.partition_key, request.explicit_hash_key)
    try:
        answer = _put(account, stream, shard, request, account.now_ms())
    except FakeKinesisError:
        _make_room(stream, [shard], account.now_ms())
        raise
    return {**answer, "EncryptionType": _encryption(stream)}


def put_records(account: KinesisAccount, request: PutRecords) -> dict[str, Any]:
    """Records that a shard has no room for fail one by one, in their places of the answer."""
    stream = request.written_stream(account)
    if sum(_check_size(stream, entry) for entry in request.records) > MAX_REQUEST_BYTES:
        raise invalid_argument(f"The records are larger than {MAX_REQUEST_BYTES} bytes together.")
    shards = [stream.route(entry.partition_key, entry.explicit_hash_key) for entry in request.records]
    now_ms = account.now_ms()
    full: list[Shard] = []
    results: list[dict[str, str]] = []
    for shard, entry in zip(shards, request.records, strict=True):
        try:
            results.append(_put(account, stream, shard, entry, now_ms))
        except FakeKinesisError as error:
            full.append(shard)
            results.append({"ErrorCode": error.code, "ErrorMessage": error.message})
    _make_room(stream, full, now_ms)
    return {"FailedRecordCount": len(full), "Records": results, "EncryptionType": _encryption(stream)}


def _put(
    account: KinesisAccount, stream: Stream, shard: Shard, entry: Entry | PutRecord, now_ms: int
) -> dict[str, str]:
    """Raises ProvisionedThroughputExceededException."""
    if account.write_limits:
        size_bytes = len(entry.data) + len(entry.partition_key.encode())
        if not shard.writes.admits(now_ms, size_bytes):
            raise rate_exceeded(shard.id, stream.name, account.account_id)
        shard.writes.count(now_ms, size_bytes)
    is_encrypted = stream.settings.key_id is not None
    number = shard.append(entry.data, entry.partition_key, now_ms=now_ms, is_encrypted=is_encrypted)
    return {"ShardId": shard.id, "SequenceNumber": str(number)}


def _make_room(stream: Stream, full: list[Shard], now_ms: int) -> None:
    """Splits full shards of a stream on demand; the service does so after a while, this fake at once."""
    if stream.settings.mode == ON_DEMAND:
        for shard in {shard.number: shard for shard in full if shard.is_open}.values():
            split(stream, shard, at=shard.hash_range.middle, now_ms=now_ms)


def _check_size(stream: Stream, entry: Entry | PutRecord) -> int:
    size_bytes = len(entry.data) + len(entry.partition_key.encode())
    if size_bytes > stream.settings.max_record_kib * 1024:
        raise invalid_argument(f"A record of {size_bytes} bytes is above {stream.settings.max_record_kib} KiB.")
    return size_bytes


def _encryption(stream: Stream) -> str:
    return "KMS" if stream.settings.key_id else "NONE"


class GetShardIterator(StreamRequest, kw_only=True):
    shard_id: str
    shard_iterator_type: str
    starting_sequence_number: Annotated[str, Meta(pattern=r"^(0|[1-9]\d{0,128})$")] | None = None
    timestamp: Timestamp | None = None


class GetRecords(ApiRequest):
    shard_iterator: Annotated[str, Meta(min_length=1, max_length=512)]
    limit: int = PAGE_RECORDS
    stream_arn: str | None = None


def get_shard_iterator(account: KinesisAccount, request: GetShardIterator) -> dict[str, str]:
    stream = request.made_stream(account)
    shard = stream.shard(request.shard_id)
    if request.shard_iterator_type not in ITERATOR_TYPES:
        raise invalid_argument(f"ShardIteratorType has to be one of {', '.join(ITERATOR_TYPES)}.")
    now_ms = account.now_ms()
    if account.read_limits:
        if not shard.iterators.admits(now_ms):
            raise rate_exceeded(shard.id, stream.name, account.account_id)
        shard.iterators.count(now_ms)
    index, from_ms = place(
        stream,
        shard,
        request.shard_iterator_type,
        sequence_number=request.starting_sequence_number,
        timestamp_ms=None if request.timestamp is None else timestamp_ms(request.timestamp),
    )
    return {"ShardIterator": ShardIterator(stream.tag, shard.number, index, from_ms, now_ms).token}


def get_records(account: KinesisAccount, request: GetRecords) -> bytes:
    """The body of the answer: the records' JSON, joined."""
    now_ms = account.now_ms()
    if not 1 <= request.limit <= PAGE_RECORDS:
        raise invalid_argument(f"Limit {request.limit} is not between 1 and {PAGE_RECORDS}.")
    iterator = ShardIterator.from_token(request.shard_iterator, now_ms)
    stream = account.find_by_tag(iterator.stream_tag)
    if request.stream_arn not in (None, stream.arn):
        raise invalid_argument(f"The iterator is not of {request.stream_arn}.")
    shard = stream.shards.get(iterator.shard_number)
    if shard is None:
        raise not_found(f"The shard of this iterator has expired from stream {stream.name}.")
    if account.read_limits and not shard.reads.admits(now_ms):
        raise rate_exceeded(shard.id, stream.name, account.account_id)
    page = _page(account, shard, iterator, request.limit)
    shard.reads.count(now_ms, page.size_bytes)
    return _rendered(account, stream, shard, page, iterator)


def _page(account: KinesisAccount, shard: Shard, iterator: ShardIterator, limit: int) -> LogPage:
    start = max(iterator.index, shard.log.index_at(iterator.from_ms))
    shard.pages += 1
    every = account.liberties.empty_page_every
    if every and shard.pages % every == 0:
        return LogPage([], start, 0)
    return shard.log.page(start, limit=limit, max_bytes=PAGE_BYTES)


def _rendered(account: KinesisAccount, stream: Stream, shard: Shard, page: LogPage, iterator: ShardIterator) -> bytes:
    now_ms, is_at_tip = account.now_ms(), page.end >= shard.log.next
    is_hasty = account.liberties.hasty_tip and bool(page.records)
    behind_ms = 0 if is_at_tip or is_hasty else max(1, now_ms - shard.log.arrived_ms(page.end))
    is_late = bool(page.records) and (account.liberties.late_end or account.liberties.ends_of_before_2020)
    if is_at_tip and shard.closed_ms is not None and not is_late:
        following = _end(account.liberties, stream, shard)
        behind_ms = now_ms - shard.closed_ms if account.liberties.ends_of_before_2020 else 0
    else:
        from_ms = 0 if page.records else iterator.from_ms
        following = {"NextShardIterator": ShardIterator(stream.tag, shard.number, page.end, from_ms, now_ms).token}
    end = msgspec.json.encode({"MillisBehindLatest": behind_ms, **following})
    return b'{"Records":[' + b",".join(page.records) + b"]," + end[1:]


def _end(liberties: Liberties, stream: Stream, shard: Shard) -> dict[str, Any]:
    if liberties.ends_of_before_2020:
        return {}
    if liberties.childless_ends:
        liberties.childless_ends -= 1
        return {"NextShardIterator": None}
    return {"NextShardIterator": None, "ChildShards": [child.as_child_json() for child in stream.children_of(shard)]}


OPERATIONS = {
    "GetRecords": (GetRecords, get_records),
    "GetShardIterator": (GetShardIterator, get_shard_iterator),
    "PutRecord": (PutRecord, put_record),
    "PutRecords": (PutRecords, put_records),
}
