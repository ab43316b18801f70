"""The two large numbers of Kinesis: sequence numbers order the records of a shard, hash keys say which shard takes one.

A sequence number has 56 digits that grow within a shard, and from a parent to its children. Like the service's own, it
says where it came from, which is how a number of another shard or stream is refused. From the top: a marker that fixes
the number of digits, the shard's generation, the record's index in its shard, the stream's tag, the shard's number.
Clients may rely on the order alone. A hash key is the MD5 of a partition key; ranges of them cover 128 bits.
"""

from dataclasses import dataclass
from hashlib import md5
from itertools import pairwise
from typing import Self

INDEX_BITS, TAG_BITS, SHARD_BITS = 60, 48, 32
GENERATION_BITS = 44  # milliseconds since the epoch until the year 2527
INDEX_SHIFT = TAG_BITS + SHARD_BITS
GENERATION_SHIFT = INDEX_SHIFT + INDEX_BITS
MARKER_SHIFT = GENERATION_SHIFT + GENERATION_BITS
MARKER = 0b10  # 2 ** 185 has 56 digits, and so has everything below 3 * 2 ** 184

KEY_COUNT = 2**128  # of hash keys


@dataclass(frozen=True, order=True, slots=True)
class SequenceNumber:
    """A number taken apart. Index 0 is where a shard starts; its records begin at 1."""

    generation: int
    """The time at which the shard was made, in milliseconds, or more, so that it lies above its parents'."""
    index: int
    stream_tag: int
    shard_number: int

    def __int__(self) -> int:
        return (
            MARKER << MARKER_SHIFT
            | self.generation << GENERATION_SHIFT
            | self.index << INDEX_SHIFT
            | self.stream_tag << SHARD_BITS
            | self.shard_number
        )

    @classmethod
    def from_int(cls, number: int) -> Self:
        """Raises ValueError for a number that was never given to a record."""
        if number >> MARKER_SHIFT != MARKER:
            raise ValueError(f"{number} is not a sequence number of this service")
        return cls(
            generation=number >> GENERATION_SHIFT & (1 << GENERATION_BITS) - 1,
            index=number >> INDEX_SHIFT & (1 << INDEX_BITS) - 1,
            stream_tag=number >> SHARD_BITS & (1 << TAG_BITS) - 1,
            shard_number=number & (1 << SHARD_BITS) - 1,
        )


def hash_of(partition_key: str) -> int:
    return int.from_bytes(md5(partition_key.encode(), usedforsecurity=False).digest(), "big")


@dataclass(frozen=True, slots=True)
class HashRange:
    """The hash keys from the first to the last, both included."""

    start: int
    end: int

    @property
    def middle(self) -> int:
        """The first key of the upper half."""
        return self.start + (self.end - self.start + 1) // 2

    def split(self, at: int) -> tuple["HashRange", "HashRange"]:
        return HashRange(self.start, at - 1), HashRange(at, self.end)

    def is_adjacent_to(self, other: "HashRange") -> bool:
        return self.end + 1 == other.start or other.end + 1 == self.start

    def joined(self, other: "HashRange") -> "HashRange":
        return HashRange(min(self.start, other.start), max(self.end, other.end))

    def as_json(self) -> dict[str, str]:
        return {"StartingHashKey": str(self.start), "EndingHashKey": str(self.end)}


def even_ranges(count: int) -> list[HashRange]:
    """The whole key space in `count` ranges of the same size, give or take one key."""
    bounds = [KEY_COUNT * part // count for part in range(count + 1)]
    return [HashRange(start, following - 1) for start, following in pairwise(bounds)]
