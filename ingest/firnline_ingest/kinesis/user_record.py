"""A record as a producer put it, alone or inside an aggregate (kinesis/aggregate.py takes those apart)."""

from enum import StrEnum
from typing import NamedTuple

from firnline_ingest.kinesis.page import Record
from firnline_ingest.values import Position


class AggregateProblem(StrEnum):
    """A reason why something of an aggregate is not to be a row."""

    BROKEN = "broken"
    """The checksum is right, and its content is not: the whole of it is one record, with all its bytes."""
    MISPLACED = "misplaced"
    """It lies in a shard that its hash key does not belong to: its producer puts it again, into the right one."""


class AggregateFault(NamedTuple):
    """A problem, and a sentence about this record."""

    problem: AggregateProblem
    detail: str


class UserRecord(Record, gc=False):
    """One of an aggregate, with its own data and partition key, and its parent's sequence number and arrival.

    A plain record on a page that has aggregates is one too: its own first and only.
    """

    SubSequenceNumber: int = 0
    ExplicitHashKey: str | None = None
    fault: AggregateFault | None = None

    @property
    def position(self) -> Position:
        return Position(int(self.SequenceNumber), self.SubSequenceNumber)
