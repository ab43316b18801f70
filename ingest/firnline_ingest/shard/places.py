"""Where the rows that were made of records stand in their shard."""

from collections.abc import Sequence
from operator import add
from typing import cast

from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.user_record import UserRecord
from firnline_ingest.records.rows import Rows
from firnline_ingest.snowflake.row_places import ROWS, Places
from firnline_ingest.values import Position


def places_of(records: Sequence[Record], made: Rows, first: int, last: int) -> Places:
    """Of the rows from `first` to before `last` that were made of the records."""
    numbers = [records[index].SequenceNumber for index in made.indexes[first:last]]
    within: Sequence[int] = made.row_numbers[first:last]
    if isinstance(records[0], UserRecord):
        aggregated = cast("Sequence[UserRecord]", records)  # a page is plain in whole, or not at all
        subs = [aggregated[index].SubSequenceNumber * ROWS for index in made.indexes[first:last]]
        within = list(map(add, subs, within)) if within else subs
    return Places(numbers, within if any(within) else ())


def position_of(record: Record) -> Position:
    return record.position
