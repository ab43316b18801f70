"""Reasons why a record can't become a row. A rejected record goes to the dead letters; docs/records.md lists the reasons.

What becomes of a record is a function of the record and of the pipeline alone, so that reading it again decides the same.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class RejectReason(StrEnum):
    """Stable: dead letters keep them, people filter by them."""

    EMPTY = "empty"
    NOT_JSON = "not-json"
    NOT_AN_OBJECT = "not-an-object"
    INVALID_UTF8 = "invalid-utf-8"
    TOO_DEEP = "too-deep"
    METADATA_CLASH = "metadata-clash"
    DUPLICATE_KEY = "duplicate-key"
    UNUSABLE_KEY = "unusable-key"
    TOO_LARGE = "too-large"
    BROKEN_AGGREGATE = "broken-aggregate"
    MISPLACED = "misplaced"
    """A copy that its producer puts again, into another shard: kept, and no reason to stop."""
    NOT_PACKED = "not-packed"
    """Not what the format's compression makes, or cut short."""
    MALFORMED = "malformed"
    """Not what the format says."""
    TRANSFORM_FAILED = "transform-failed"
    """A transform of the pipeline can't be applied to it; the detail has its place in the list."""
    UNKNOWN_SCHEMA = "unknown-schema"
    """The registry has no schema of its id now, and may have one tomorrow: not a function of the record alone either."""
    NO_ROUTE = "no-route"
    """The pipeline's routes have no table for it."""
    REFUSED = "refused"
    """By Snowflake, with the whole channel: not a function of the record alone, so the ledger notes it at once."""


UNDECIDED = frozenset({RejectReason.UNKNOWN_SCHEMA})
"""What another reading may decide otherwise: the ledger passes such a record before anything behind it is sent."""


class Rejection(NamedTuple):
    """A reason, and a sentence about this record."""

    reason: RejectReason
    detail: str


@dataclass(frozen=True, slots=True)
class RejectedRecord:
    """The record at `index` of what was converted, and why it is not a row."""

    index: int
    reason: RejectReason
    detail: str
    row: int = 0
    """Of its rows, from 0: the first one that is not in the table. Only Snowflake refuses a part of a record."""
    rows: int = 0
    """How many it has, where Snowflake refused one of them."""
    table: str = ""
    """Where a route sends these; empty for the pipeline's own."""


class LeftOut(StrEnum):
    """A reason why a record is rightly no row; by these names receipts count them."""

    TOMBSTONE = "tombstones"
    CONTROL_MESSAGE = "control_messages"
    FILTERED = "filtered"


class Omitted(Exception):
    """Raised by a format for a record that is rightly no row."""

    def __init__(self, why: LeftOut) -> None:
        super().__init__(why)
        self.why = why


class Unusable(Exception):
    """Raised by a step that can't go on with a payload; RowMaker turns it into a `RejectedRecord`."""

    def __init__(self, fault: Rejection) -> None:
        super().__init__(fault)
        self.fault = fault


class Filtered(Exception):
    """Raised by a transform for a record that is rightly no row."""


class Untransformable(Exception):
    """Raised by a transform that can't be applied to a record. The text says why, without a value of the record."""


class DuplicateKeys(Untransformable):
    """An object that would have to be opened has a key twice, and one of the values would be lost."""


def malformed(detail: str) -> Unusable:
    """The error for a payload that is not of its format."""
    return Unusable(Rejection(RejectReason.MALFORMED, detail))


def too_large(detail: str) -> Unusable:
    return Unusable(Rejection(RejectReason.TOO_LARGE, detail))


def refuse_larger(data: bytes, most: int) -> None:
    """Refuses a payload by its size, before anything is made of it. Raises Unusable."""
    if len(data) > most:
        raise too_large(f"it has {len(data)} bytes by itself, max_row_bytes allows {most}.")


def as_text(data: bytes) -> str:
    """Raises Unusable."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise Unusable(Rejection(RejectReason.INVALID_UTF8, f"it is not UTF-8 from byte {error.start} on.")) from error
