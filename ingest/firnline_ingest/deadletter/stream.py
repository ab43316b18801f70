"""Dead letters on a Kinesis stream: a record for each letter, in the form that the other stores keep.

At least once: what is read again after a restart is sent again, with the same key inside. A letter that is too large for a
record is sent in parts: each is a letter of its own with a piece of the data, `part` and `parts`.
"""

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec

from firnline_ingest.deadletter.errors import LettersUnavailable, NotListable
from firnline_ingest.deadletter.letter import DeadLetter, LetterKey
from firnline_ingest.deadletter.refusals import explained

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

MOST_RECORDS, MOST_BYTES = 500, 4_500_000  # of one PutRecords; the service takes 500 and, in old regions, 5 MiB
PART_BYTES = 700_000  # of data: in base64, and with all that stands beside it, less than the 1 MiB of a record
MOST_REFUSALS = 8  # in a row, of all that is left
LONGEST_PAUSE_S = 3.0

Entry = dict[str, Any]
_encode = msgspec.json.Encoder().encode


class LetterStream:
    """A DeadLetterStore that only puts."""

    def __init__(self, client: "KinesisClient", stream: str, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._client = client
        self._stream = stream
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
        for batch in _batches(entry for letter in by_key.values() for entry in _entries(letter)):
            self._send(batch)
        return len(by_key)

    def list(self) -> NoReturn:
        raise NotListable(self._stream)

    def get(self, key: LetterKey) -> NoReturn:
        raise NotListable(self._stream)

    def _send(self, entries: Sequence[Entry]) -> None:
        """Every record is acknowledged on its own; those that were refused are sent again, as long as some get in."""
        left, refusals = entries, 0
        while left:
            with explained("kinesis:PutRecords", self._place):
                answer = self._client.put_records(StreamName=self._stream, Records=left)  # type: ignore[arg-type]  # entries
            codes = [result.get("ErrorCode") for result in answer["Records"]]
            refused = [entry for entry, code in zip(left, codes, strict=True) if code]
            refusals = 1 if len(refused) < len(left) else refusals + 1
            if refusals > MOST_REFUSALS:
                cause = f"{len(refused)} records were refused {refusals} times, the last one with {codes[-1]}"
                raise LettersUnavailable("kinesis:PutRecords", self._place, cause)
            left = refused
            if left:
                jitter = 0.5 + random.random() / 2  # noqa: S311 - not a secret
                self._sleep(jitter * min(LONGEST_PAUSE_S, 0.1 * 2**refusals))

    @property
    def _place(self) -> str:
        return f"the stream {self._stream}"


def _entries(letter: DeadLetter) -> Iterator[Entry]:
    """Spread over the stream's shards by the letter's position; the parts of one letter stay in one shard."""
    token = letter.key.position.token
    if len(letter.data) <= PART_BYTES:
        yield {"Data": _encode(letter), "PartitionKey": token}
        return
    starts = range(0, len(letter.data), PART_BYTES)
    for part, start in enumerate(starts, start=1):
        piece = msgspec.structs.replace(letter, data=letter.data[start : start + PART_BYTES])
        document = {**msgspec.to_builtins(piece), "part": part, "parts": len(starts)}
        yield {"Data": _encode(document), "PartitionKey": token}


def _batches(entries: Iterable[Entry]) -> Iterator[Sequence[Entry]]:
    batch: list[Entry] = []
    size = 0
    for entry in entries:
        bytes_ = len(entry["Data"]) + len(entry["PartitionKey"])
        if batch and (len(batch) == MOST_RECORDS or size + bytes_ > MOST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(entry)
        size += bytes_
    if batch:
        yield batch
