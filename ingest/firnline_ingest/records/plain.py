"""Rows of records that are JSON objects already: one each, its own bytes behind its metadata.

Where firnline-native is there, it makes the rows of records that are like one before, down to the first that is not: that
one is judged here, and where its own bytes became its row, those like it are known from then on. So every verdict, reason and
byte is this file's, whichever way a record goes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import msgspec

from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.user_record import AggregateProblem, UserRecord
from firnline_ingest.native import PlainRows, native
from firnline_ingest.records.json_object import JsonObjectCheck, minified
from firnline_ingest.records.metadata import MetadataHead, splice
from firnline_ingest.records.rejection import (
    RejectedRecord,
    Rejection,
    RejectReason,
    Unusable,
    refuse_larger,
    too_large,
)

MOST_ALONE = 64
"""So many more records of a page may be unlike any before than like one, before firnline-native is asked for no more of it."""
FAULTS = {
    AggregateProblem.BROKEN: RejectReason.BROKEN_AGGREGATE,
    AggregateProblem.MISPLACED: RejectReason.MISPLACED,
}


@dataclass(slots=True)
class PlainPage:
    """Outcome of a page whose records are rows or rejected, each by itself."""

    rows: list[msgspec.Raw] = field(default_factory=list)
    rejected: list[RejectedRecord] = field(default_factory=list)
    unknown: int = 0
    unanswered: int = 0


class PlainRowMaker:
    """Makes rows of one shard's plain records; not thread-safe."""

    def __init__(self, head: MetadataHead, check: JsonObjectCheck, most_bytes: int) -> None:
        self._head = head
        self._check = check
        self._most_bytes = most_bytes
        module = native().module
        self._native = None
        if module is not None and head.has_usual_forms:
            self._native = module.PlainRows(*head.pieces, most_bytes)

    def forget(self) -> None:
        """Forgets what was known of keys: their columns may be others now."""
        if self._native is not None:
            self._native.forget()

    def make(self, records: Sequence[Record]) -> PlainPage:
        are_of_aggregates = bool(records) and isinstance(records[0], UserRecord)
        head, page = self._head_of_user_record if are_of_aggregates else self._head, PlainPage()
        if self._native is None:
            for index, record in enumerate(records):
                self._one(page, index, record, head)
        else:
            self._made_with(self._native, page, records, head, are_of_aggregates=are_of_aggregates)
        return page

    def _made_with(
        self,
        likes: PlainRows,
        page: PlainPage,
        records: Sequence[Record],
        head: Callable[[Record], bytes],
        *,
        are_of_aggregates: bool,
    ) -> None:
        listed = records if isinstance(records, list) else list(records)
        at = alone = 0
        while at < len(listed):
            if 2 * alone <= at + MOST_ALONE:
                rows, unknown, unanswered = likes.make(listed, at, self._head.pushed, are_of_aggregates)
                page.rows += map(msgspec.Raw, rows)
                page.unknown += unknown
                page.unanswered += unanswered
                at += len(rows)
                if at == len(listed):
                    return
            record = listed[at]
            if self._one(page, at, record, head):
                missing = self._check.missing.get("")
                likes.learn(record.Data, *((missing.unknown, missing.unanswered) if missing else (0, 0)))
            alone += 1
            at += 1

    def _one(self, page: PlainPage, index: int, record: Record, head: Callable[[Record], bytes]) -> bool:
        """Returns whether the record is a row, byte by byte."""
        data, most = record.Data, self._most_bytes
        try:
            if len(data) > most:
                refuse_larger(minified(data), most)
            before, checked = head(record), self._check(data)
            row = splice(before, checked)
            if len(row) > most:
                raise row_too_large(len(row), most)
        except Unusable as unusable:
            page.rejected.append(RejectedRecord(index, *unusable.fault))
            return False
        page.rows.append(msgspec.Raw(row))
        if missing := self._check.missing.get(""):
            page.unknown += missing.unknown
            page.unanswered += missing.unanswered
        return checked is data

    def _head_of_user_record(self, record: Record) -> bytes:
        """Raises Unusable for one that is not to be a row."""
        refuse_fault(record)
        return self._head(record)


def refuse_fault(record: Record) -> None:
    """Refuses what an aggregate could not give as a record. Raises Unusable."""
    if isinstance(record, UserRecord) and record.fault:
        raise Unusable(Rejection(FAULTS[record.fault.problem], record.fault.detail))


def row_too_large(size: int, most: int) -> Unusable:
    """The error for a row that its metadata make too large."""
    return too_large(f"the row has {size} bytes with its metadata, max_row_bytes allows {most}.")
