"""Dead letters on a Kinesis stream: a record for each letter, in the form that the other stores keep.

At least once: what is read again after a restart is sent again, with the same key inside. A letter that is too large for a
record is sent in parts: each is a letter of its own with a piece of the data, `part` and `parts`.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from firnline_ingest.deadletter.choice import ALL, Choice, OnDamaged, refuse
from firnline_ingest.deadletter.errors import LettersUnavailable, UnknownDeadLetter
from firnline_ingest.deadletter.letter import DeadLetter, LetterKey
from firnline_ingest.deadletter.names import sorted_shards
from firnline_ingest.deadletter.refusals import explained
from firnline_ingest.deadletter.scan import scanned
from firnline_ingest.sink.errors import RecordsRefused
from firnline_ingest.sink.options import SinkOptions
from firnline_ingest.sink.sending import Patience, requests_of, send
from firnline_ingest.sink.waiting import Entry, entry
from firnline_ingest.values import ShardKey

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

REQUESTS = SinkOptions(batch_bytes=4_500_000)
PART_BYTES = 700_000  # of data: in base64, and with all that stands beside it, less than the 1 MiB of a record
ATTEMPTS = 9  # in a row that got nothing in

_encode = msgspec.json.Encoder().encode


class LetterStream:
    """A DeadLetterStore. Reading it begins at its oldest record each time, because a stream has no index."""

    def __init__(self, client: "KinesisClient", stream: str, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._client = client
        self._stream = stream
        self._patience = Patience(ATTEMPTS, sleep)
        self._sleep = sleep

    def check(self) -> str:
        """Shows that the stream is there; whether it may be written shows with the first letter. Returns what it is.

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
                send(self._put, self._stream, request, self._patience)
        except RecordsRefused as error:
            cause = f"{error.refused} records were refused {error.attempts} times, the last one with {error.cause}"
            raise LettersUnavailable("kinesis:PutRecords", self._place, cause) from error
        return len(by_key)

    def list(self, choice: Choice = ALL, on_damaged: OnDamaged = refuse) -> Iterator[DeadLetter]:
        """As they come, not in order. Their time is when they arrived in the letters' stream."""
        return scanned(self._client, self._stream, choice, on_damaged, sleep=self._sleep)

    def shards(self, choice: Choice = ALL) -> Sequence[ShardKey]:
        """Reads all of the stream: it has no names."""
        return sorted_shards((each.stream, each.stream_created_ms, each.shard_id) for each in self.list(choice))

    def get(self, key: LetterKey) -> DeadLetter:
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
    """Spread over the stream's shards by the letter's position; the parts of one letter stay in one shard."""
    token = letter.key.position.token
    if len(letter.data) <= PART_BYTES:
        yield entry(_encode(letter), token)
        return
    starts = range(0, len(letter.data), PART_BYTES)
    for part, start in enumerate(starts, start=1):
        piece = msgspec.structs.replace(letter, data=letter.data[start : start + PART_BYTES])
        document = {**msgspec.to_builtins(piece), "part": part, "parts": len(starts)}
        yield entry(_encode(document), token)
