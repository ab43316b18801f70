"""Reads the letters of a Kinesis stream: from its oldest record to what was there when the reading began.

A letter may be there twice, and a large one is in parts. What is held in memory is the letters whose parts are not all read
yet, and a digest of each key that was given.
"""

import hashlib
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec

from firnline_ingest.deadletter.choice import Choice, OnDamaged
from firnline_ingest.deadletter.errors import DeadLetterUnreadable, LettersUnavailable
from firnline_ingest.deadletter.letter import DeadLetter, LetterKey, why_unreadable
from firnline_ingest.deadletter.refusals import explained

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

READ_EVERY_S = 0.25  # of the five reads a second that a shard allows all its consumers
ATTEMPTS, PAUSE_S = 60, 1.0  # of a page


class PartOfLetter(DeadLetter, frozen=True, kw_only=True, rename="camel"):
    """A letter, or a part of one whose data is too large for a record."""

    part: int = 1
    parts: int = 1


_decode = msgspec.json.Decoder(PartOfLetter).decode


def scanned(
    client: "KinesisClient",
    stream: str,
    choice: Choice,
    on_damaged: OnDamaged,
    *,
    sleep: Callable[[float], None] = time.sleep,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Iterator[DeadLetter]:
    """Each letter once, shard after shard of `stream`, as they come. Raises DeadLetterError."""
    seen: set[bytes] = set()
    parts: dict[LetterKey, dict[int, PartOfLetter]] = defaultdict(dict)
    for record in _records(client, stream, now(), sleep):
        place = f"the record {record['SequenceNumber']} of the stream {stream}"
        try:
            piece = _decode(record["Data"])
            key = piece.key
        except (msgspec.MsgspecError, ValueError) as error:
            on_damaged(DeadLetterUnreadable(place, why_unreadable(error)))
            continue
        digest = hashlib.blake2b(str(key).encode(), digest_size=16).digest()
        if digest in seen or not choice.has(piece) or not choice.has_time(record["ApproximateArrivalTimestamp"]):
            continue
        parts[key].setdefault(piece.part, piece)
        if len(parts[key]) == piece.parts:
            seen.add(digest)
            yield _whole(parts.pop(key))
    for key in sorted(parts):
        on_damaged(DeadLetterUnreadable(f"the letter {key} of the stream {stream}", "some of its parts are not there"))


def _whole(parts: dict[int, PartOfLetter]) -> DeadLetter:
    data = b"".join(parts[number].data for number in sorted(parts))
    fields = {name: getattr(parts[min(parts)], name) for name in DeadLetter.__struct_fields__}
    return DeadLetter(**{**fields, "data": data})


def _records(
    client: "KinesisClient", stream: str, began: datetime, sleep: Callable[[float], None]
) -> Iterator[dict[str, Any]]:
    place = f"the stream {stream}"
    with explained("kinesis:ListShards", place):
        pages = client.get_paginator("list_shards").paginate(StreamName=stream)
        shards = [shard["ShardId"] for page in pages for shard in page["Shards"]]
    for shard in shards:
        with explained("kinesis:GetShardIterator", place):
            answer: Any = client.get_shard_iterator(StreamName=stream, ShardId=shard, ShardIteratorType="TRIM_HORIZON")
        iterator = answer["ShardIterator"]
        while iterator:
            answer = _page(client, iterator, place, sleep)
            yield from answer["Records"]
            is_past = any(record["ApproximateArrivalTimestamp"] > began for record in answer["Records"])
            at_tip = not answer["Records"] and not answer.get("MillisBehindLatest")
            iterator = None if is_past or at_tip else answer.get("NextShardIterator")
            sleep(READ_EVERY_S)


def _page(client: "KinesisClient", iterator: str, place: str, sleep: Callable[[float], None]) -> Any:
    """A shard gives two megabytes a second to all its consumers together, so being refused is usual."""
    for attempt in range(ATTEMPTS):
        try:
            with explained("kinesis:GetRecords", place):
                return client.get_records(ShardIterator=iterator)
        except LettersUnavailable:
            if attempt == ATTEMPTS - 1:
                raise
            sleep(PAUSE_S)
    raise AssertionError("the last attempt returns or raises")
