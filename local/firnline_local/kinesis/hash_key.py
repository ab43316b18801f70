"""Which shard a record belongs to: MD5 of its partition key, in ranges that cover 128 bits without a hole."""

from dataclasses import dataclass
from hashlib import md5
from itertools import pairwise

KEY_COUNT = 2**128


def hash_of(partition_key: str) -> int:
    return int.from_bytes(md5(partition_key.encode(), usedforsecurity=False).digest(), "big")


@dataclass(frozen=True, slots=True)
class HashRange:
    """From the first key to the last, both included."""

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
