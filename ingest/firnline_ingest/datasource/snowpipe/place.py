"""The place of a batch's partition in its channel: the offset token of `format("snowpipe")`.

A token names the query, the batch, how many rows of the batch's partition it covers, and a digest over them. So the rows
that a batch has when Spark runs it again can be held against the rows that are in the table.
"""

import hashlib
import itertools
from dataclasses import dataclass
from typing import Self

from firnline_ingest.values import Position

QUERY, BATCH, ROWS, DIGEST = 39, 12, 12, 20
"""Digits: of 128 bits, of Spark's batches, of the rows of a partition, of 64 bits."""
LENGTH = 1 + QUERY + BATCH + ROWS + DIGEST + 1


@dataclass(frozen=True, slots=True)
class Place:
    """The rows of one partition, from its first one."""

    query: str
    """Spark's id of the query, which its checkpoint keeps; 32 hexadecimal digits."""
    batch: int
    rows: int
    digest: int
    is_end: bool = False
    """True if the partition had no row behind them."""

    @classmethod
    def of(cls, position: Position) -> Self | None:
        """None for a token that this source did not write."""
        text = str(position.sequence_number)
        if len(text) != LENGTH or text[0] != "1":
            return None
        ends = [1, 1 + QUERY, 1 + QUERY + BATCH, 1 + QUERY + BATCH + ROWS, LENGTH - 1]
        query, batch, rows, digest = (int(text[a:b]) for a, b in itertools.pairwise(ends))
        return cls(f"{query:032x}", batch, rows, digest, text[-1] == "1")

    @property
    def position(self) -> Position:
        """The position that stands for it: larger for a later row, and for a later batch of the same query."""
        query = int(self.query, 16)
        return Position(
            int(f"1{query:0{QUERY}}{self.batch:0{BATCH}}{self.rows:0{ROWS}}{self.digest:0{DIGEST}}{int(self.is_end)}")
        )

    def is_of(self, query: str, batch: int) -> bool:
        return (self.query, self.batch) == (query, batch)


class RowDigest:
    """A digest over rows, in their order."""

    def __init__(self) -> None:
        self._hash = hashlib.blake2b(digest_size=8)

    def add(self, row: bytes) -> None:
        self._hash.update(len(row).to_bytes(4, "big"))
        self._hash.update(row)

    @property
    def value(self) -> int:
        return int.from_bytes(self._hash.digest(), "big")
