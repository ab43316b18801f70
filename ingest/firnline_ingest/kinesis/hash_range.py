"""Hash keys that a shard owns. Its range never changes: a split or a merge makes other shards."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

HIGHEST = (1 << 128) - 1


@dataclass(frozen=True, slots=True)
class HashRange:
    """The hash keys from `first` to `last`, both included."""

    first: int = 0
    last: int = HIGHEST

    @classmethod
    def listed(cls, found: Mapping[str, str]) -> Self:
        """The range in a shard of ListShards' answer."""
        return cls(int(found["StartingHashKey"]), int(found["EndingHashKey"]))

    @property
    def is_whole(self) -> bool:
        return (self.first, self.last) == (0, HIGHEST)

    def owns(self, partition_key: str, explicit_hash_key: str | None = None) -> bool:
        """True if Kinesis would route the record here: by its explicit hash key, else by the MD5 of its partition key.

        A hash key that is not a number routes nowhere; the shard that has the record may keep it.
        """
        if explicit_hash_key is None:
            digest = hashlib.md5(partition_key.encode(), usedforsecurity=False).digest()
            return self.first <= int.from_bytes(digest) <= self.last
        if not (explicit_hash_key.isascii() and explicit_hash_key.isdecimal()):
            return True
        return self.first <= int(explicit_hash_key) <= self.last


EVERY_KEY = HashRange()
