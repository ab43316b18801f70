"""Opaque tokens that a client hands back: shard iterators, and where a listing goes on.

Both carry when they were made, because both expire after 300 seconds, and a checksum, because a client that makes one up
or cuts it short has to get an error.
"""

from base64 import b64decode, b64encode
from typing import TypeVar
from zlib import crc32

import msgspec

from firnline_local.decoding import decoder_of
from firnline_local.kinesis.errors import FakeKinesisError, invalid_argument
from firnline_local.kinesis.numbers import SequenceNumber
from firnline_local.kinesis.shard import Shard, shard_id
from firnline_local.kinesis.stream import Stream

LIFETIME_MS = 300_000

Fields = TypeVar("Fields")


def seal(fields: msgspec.Struct) -> str:
    content = msgspec.json.encode(fields)
    return b64encode(b"%08x%b" % (crc32(content), content)).decode()


def unseal(token: str, kind: type[Fields]) -> Fields:
    """Raises ValueError for a text that `seal` did not make."""
    sealed = b64decode(token, validate=True)
    content = sealed[8:]
    if sealed[:8] != b"%08x" % crc32(content):
        raise ValueError("the checksum differs")
    return decoder_of(kind).decode(content)


class ShardIterator(msgspec.Struct, array_like=True, frozen=True):
    """The record with this index, or the first after it that arrived at `from_ms` or later."""

    stream_tag: int
    shard_number: int
    index: int
    from_ms: int
    made_ms: int

    @property
    def token(self) -> str:
        return seal(self)

    @classmethod
    def from_token(cls, token: str, now_ms: int) -> "ShardIterator":
        try:
            iterator = unseal(token, cls)
        except (ValueError, msgspec.MsgspecError) as error:
            raise invalid_argument("Invalid ShardIterator.") from error
        if now_ms > iterator.made_ms + LIFETIME_MS:
            raise FakeKinesisError(
                "ExpiredIteratorException",
                f"Iterator expired: it was made {now_ms - iterator.made_ms} ms ago, and lives for {LIFETIME_MS} ms.",
            )
        return iterator


def place(
    stream: Stream, shard: Shard, kind: str, *, sequence_number: str | None, timestamp_ms: int | None
) -> tuple[int, int]:
    """The index and the time that an iterator of this type begins with. Raises InvalidArgumentException."""
    if (sequence_number is not None) != kind.endswith("_SEQUENCE_NUMBER"):
        raise invalid_argument("StartingSequenceNumber goes with AT_SEQUENCE_NUMBER or AFTER_SEQUENCE_NUMBER alone.")
    if (timestamp_ms is not None) != (kind == "AT_TIMESTAMP"):
        raise invalid_argument("Timestamp goes with AT_TIMESTAMP alone.")
    if sequence_number is not None:
        index = _index_of(stream, shard, sequence_number)
        return (index if kind == "AT_SEQUENCE_NUMBER" else index + 1), 0
    if timestamp_ms is not None:
        return shard.log.first, timestamp_ms
    return (shard.log.first if kind == "TRIM_HORIZON" else shard.log.next), 0


def _index_of(stream: Stream, shard: Shard, text: str) -> int:
    """A number whose record was trimmed is as good as any: reading silently begins at the oldest record."""
    try:
        number = SequenceNumber.from_int(int(text))
    except ValueError as error:
        raise invalid_argument(f"StartingSequenceNumber {text} is invalid.") from error
    if number.stream_tag != stream.tag:
        raise invalid_argument(
            f"StartingSequenceNumber {text} used on {shard.id} in stream {stream.name} did not come from this stream."
        )
    if number.shard_number != shard.number:
        raise invalid_argument(
            f"Invalid StartingSequenceNumber. It encodes {shard_id(number.shard_number)}, "
            f"while it was used in a call to a shard with {shard.id}"
        )
    newest = shard.log.next - 1 if shard.is_open else shard.log.next
    if number != shard.sequence_number(number.index) or number.index > newest:
        raise invalid_argument(f"StartingSequenceNumber {text} was not given to a record of {shard.id} yet.")
    return number.index
