"""Where rows stand in their shard, in order, without an object for each row: most are one row of a record of its own."""

import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from operator import add
from typing import cast

from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.user_record import UserRecord
from firnline_ingest.records.rows import Rows
from firnline_ingest.values import DIGITS, Position

_ROWS = 10**DIGITS


@dataclass(frozen=True, slots=True)
class Places:
    """A row has the sequence number of its record, and its place within that: sub-sequence number and row, as one integer."""

    sequence_numbers: Sequence[str]
    within: Sequence[int] = ()
    """Empty where every row is the only one of a record that is no aggregate's."""

    def __len__(self) -> int:
        return len(self.sequence_numbers)

    def __getitem__(self, index: int) -> Position:
        sub, row = divmod(self.within[index], _ROWS) if self.within else (0, 0)
        return Position(int(self.sequence_numbers[index]), sub, row)

    def first(self, count: int) -> "Places":
        return Places(self.sequence_numbers[:count], self.within[:count])

    def without_first(self, count: int) -> "Places":
        return Places(self.sequence_numbers[count:], self.within[count:])

    def count_up_to(self, position: Position) -> int:
        """How many rows stand at or before the position."""
        if not self.within:
            return bisect.bisect_right(self.sequence_numbers, position.sequence_number, key=int)
        return bisect.bisect_right(range(len(self)), position, key=self.__getitem__)

    @property
    def records(self) -> int:
        """How many records the rows are of."""
        if not self.within:
            return len(self)
        return len({(number, place // _ROWS) for number, place in zip(self.sequence_numbers, self.within, strict=True)})


def places_of(records: Sequence[Record], made: Rows, first: int, last: int) -> Places:
    """Of the rows from `first` to before `last` that were made of the records."""
    numbers = [records[index].SequenceNumber for index in made.indexes[first:last]]
    within: Sequence[int] = made.row_numbers[first:last]
    if isinstance(records[0], UserRecord):
        aggregated = cast("Sequence[UserRecord]", records)  # a page is plain in whole, or not at all
        subs = [aggregated[index].SubSequenceNumber * _ROWS for index in made.indexes[first:last]]
        within = list(map(add, subs, within)) if within else subs
    return Places(numbers, within if any(within) else ())


def position_of(record: Record) -> Position:
    return record.position
