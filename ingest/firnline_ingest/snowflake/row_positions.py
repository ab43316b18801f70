"""The positions of rows in their shard, in order, without an object for each row: most are the only row of a record."""

import bisect
from collections.abc import Sequence
from dataclasses import dataclass

from firnline_ingest.values import DIGITS, Position

ROWS = 10**DIGITS
"""Of a user record, at most: `within` counts in these."""


@dataclass(frozen=True, slots=True)
class RowPositions:
    """A row has the sequence number of its record, and its place within that: sub-sequence number and row, as one integer."""

    sequence_numbers: Sequence[str]
    within: Sequence[int] = ()
    """Empty where every row is the only one of a record that is not an aggregate's."""

    def __len__(self) -> int:
        return len(self.sequence_numbers)

    def __getitem__(self, index: int) -> Position:
        sub, row = divmod(self.within[index], ROWS) if self.within else (0, 0)
        return Position(int(self.sequence_numbers[index]), sub, row)

    def first(self, count: int) -> "RowPositions":
        return RowPositions(self.sequence_numbers[:count], self.within[:count])

    def without_first(self, count: int) -> "RowPositions":
        return RowPositions(self.sequence_numbers[count:], self.within[count:])

    def count_up_to(self, position: Position) -> int:
        """The number of rows at or before the position."""
        if not self.within:
            return bisect.bisect_right(self.sequence_numbers, position.sequence_number, key=int)
        return bisect.bisect_right(range(len(self)), position, key=self.__getitem__)

    @property
    def records(self) -> int:
        """The number of records that the rows are of."""
        if not self.within:
            return len(self)
        return len({(number, place // ROWS) for number, place in zip(self.sequence_numbers, self.within, strict=True)})
