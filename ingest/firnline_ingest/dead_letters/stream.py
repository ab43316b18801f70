"""Dead letters on a Kinesis stream: a record for each dead letter, in the form that the other stores keep.

At least once: what is read again after a restart is sent again, with the same key inside. A dead letter that is too large for a
record is sent in parts: each is a dead letter of its own with a piece of the data, `part` and `parts`.
"""

import hashlib
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec

from firnline_ingest.dead_letters.aws_errors import explained
from firnline_ingest.dead_letters.choice import ALL, Choice, OnDamaged, refuse
from firnline_ingest.dead_letters.errors import DeadLettersUnavailable, DeadLetterUnreadable, UnknownDeadLetter
from firnline_ingest.dead_letters.letter import DeadLetter, DeadLetterKey, sorted_shards, why_unreadable
from firnline_ingest.sink.errors import RecordsRefused
from firnline_ingest.sink.options import SinkOptions
from firnline_ingest.sink.sending import SendRetryBudget, requests_of, send
from firnline_ingest.sink.waiting import Entry, entry
from firnline_ingest.values import ShardKey

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

REQUESTS = SinkOptions(batch_bytes=4_500_000)
PART_BYTES = 700_000  # of data: in base64, and with all that stands beside it, less than the 1 MiB of a record
PUT_ATTEMPTS = 9  # in a row that got nothing in
READ_EVERY_S = 0.25  # of the five reads a second that a shard allows all its consumers
READ_ATTEMPTS, READ_PAUSE_S = 60, 1.0  # of a page


class PartOfLetter(DeadLetter, frozen=True, kw_only=True, rename="camel"):
    """A dead letter, or a part of one whose data is too large for a record."""

    part: int = 1
    parts: int = 1


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(PartOfLetter).decode


class DeadLetterStream:
    """A DeadLetterStore. Reading it begins at its oldest record each time, because a stream has no index."""

    def __init__(self, client: "KinesisClient", stream: str, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._client = client
        self._stream = stream
        self._budget = SendRetryBudget(PUT_ATTEMPTS, sleep)
        self._sleep = sleep

    def check(self) -> str:
        """Shows that the stream is there; whether it may be written shows with the first dead letter. Returns what it is.

        Raises DeadLetterError.
        """
        with explained("kinesis:DescribeStreamSummary", self._place):
            self._client.describe_stream_summary(StreamName=self._stream)
        return self._place

    def put(self, letters: Iterable[DeadLetter]) -> int:
        by_key = {letter.key: letter for letter in letters}
        entries = (each for letter in by_key.values() for each in _entries(letter))
        try:
            for request in requests_of(entries, REQUESTS):
                send(self._put, self._stream, request, self._budget)
        except RecordsRefused as error:
            cause = f"{error.refused} records were refused {error.attempts} times, the last one with {error.cause}"
            raise DeadLettersUnavailable("kinesis:PutRecords", self._place, cause) from error
        return len(by_key)

    def list(self, choice: Choice = ALL, on_damaged: OnDamaged = refuse) -> Iterator[DeadLetter]:
        """Yields dead letters in the order of arrival. Their time is when they arrived in the dead letters' stream."""
        return scanned(self._client, self._stream, choice, on_damaged, sleep=self._sleep)

    def shards(self, choice: Choice = ALL) -> Sequence[ShardKey]:
        """Reads all of the stream: it has no names."""
        return sorted_shards((each.stream, each.stream_created_ms, each.shard_id) for each in self.list(choice))

    def get(self, key: DeadLetterKey) -> DeadLetter:
        """Reads the stream until it comes."""
        choice = Choice(stream=key.stream, shard=key.shard_id)
        for letter in self.list(choice, lambda _: None):
            if letter.key == key:
                return letter
        raise UnknownDeadLetter(str(key))

    def _put(self, entries: Sequence[Entry]) -> Sequence[str | None]:
        with explained("kinesis:PutRecords", self._place):
            records = [each.fields for each in entries]
            answer = self._client.put_records(StreamName=self._stream, Records=records)
        return [result.get("ErrorCode") for result in answer["Records"]]

    @property
    def _place(self) -> str:
        return f"the stream {self._stream}"


def _entries(letter: DeadLetter) -> Iterator[Entry]:
    """Spread over the stream's shards by the letter's position; the parts of one dead letter stay in one shard."""
    token = letter.key.position.token
    if len(letter.data) <= PART_BYTES:
        yield entry(_encode(letter), token)
        return
    starts = range(0, len(letter.data), PART_BYTES)
    for part, start in enumerate(starts, start=1):
        piece = msgspec.structs.replace(letter, data=letter.data[start : start + PART_BYTES])
        document = {**msgspec.to_builtins(piece), "part": part, "parts": len(starts)}
        yield entry(_encode(document), token)


def scanned(
    client: "KinesisClient",
    stream: str,
    choice: Choice,
    on_damaged: OnDamaged,
    *,
    sleep: Callable[[float], None] = time.sleep,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Iterator[DeadLetter]:
    """Each dead letter once, shard after shard of `stream`, as they come. Raises DeadLetterError."""
    seen: set[bytes] = set()
    parts: dict[DeadLetterKey, dict[int, PartOfLetter]] = defaultdict(dict)
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
        on_damaged(
            DeadLetterUnreadable(f"the dead letter {key} of the stream {stream}", "some of its parts are not there")
        )


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
    for attempt in range(READ_ATTEMPTS):
        try:
            with explained("kinesis:GetRecords", place):
                return client.get_records(ShardIterator=iterator)
        except DeadLettersUnavailable:
            if attempt == READ_ATTEMPTS - 1:
                raise
            sleep(READ_PAUSE_S)
    raise AssertionError("the last attempt returns or raises")
