"""GetShardIterator and GetRecords."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from firnline_local.kinesis.account import Account
from firnline_local.kinesis.errors import invalid_argument, not_found, rate_exceeded
from firnline_local.kinesis.iterator import ShardIterator, place
from firnline_local.kinesis.log import Page
from firnline_local.kinesis.operations.request import Request, StreamRequest, Timestamp, timestamp_ms
from firnline_local.kinesis.shard import Shard
from firnline_local.kinesis.stream import Stream

PAGE_RECORDS = 10_000
PAGE_BYTES = 10 * 1024 * 1024

ITERATOR_TYPES = ("AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER", "TRIM_HORIZON", "LATEST", "AT_TIMESTAMP")


class GetShardIterator(StreamRequest, kw_only=True):
    shard_id: str
    shard_iterator_type: str
    starting_sequence_number: Annotated[str, Meta(pattern=r"^(0|[1-9]\d{0,128})$")] | None = None
    timestamp: Timestamp | None = None


class GetRecords(Request):
    shard_iterator: Annotated[str, Meta(min_length=1, max_length=512)]
    limit: int = PAGE_RECORDS
    stream_arn: str | None = None


def get_shard_iterator(account: Account, request: GetShardIterator) -> dict[str, str]:
    stream = request.stream(account)
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


def get_records(account: Account, request: GetRecords) -> bytes:
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
    return _rendered(stream, shard, page, iterator, now_ms)


def _page(account: Account, shard: Shard, iterator: ShardIterator, limit: int) -> Page:
    start = max(iterator.index, shard.log.index_at(iterator.from_ms))
    shard.pages += 1
    if account.empty_page_every and shard.pages % account.empty_page_every == 0:
        return Page([], start, 0)
    return shard.log.page(start, limit=limit, max_bytes=PAGE_BYTES)


def _rendered(stream: Stream, shard: Shard, page: Page, iterator: ShardIterator, now_ms: int) -> bytes:
    is_at_tip = page.end >= shard.log.next
    behind_ms = 0 if is_at_tip else max(1, now_ms - shard.log.arrived_ms(page.end))
    if is_at_tip and not shard.is_open:
        children = [child.as_child_json() for child in stream.children_of(shard)]
        following: dict[str, Any] = {"NextShardIterator": None, "ChildShards": children}
    else:
        from_ms = 0 if page.records else iterator.from_ms
        following = {"NextShardIterator": ShardIterator(stream.tag, shard.number, page.end, from_ms, now_ms).token}
    end = msgspec.json.encode({"MillisBehindLatest": behind_ms, **following})
    return b'{"Records":[' + b",".join(page.records) + b"]," + end[1:]


OPERATIONS = {
    "GetRecords": (GetRecords, get_records),
    "GetShardIterator": (GetShardIterator, get_shard_iterator),
}
