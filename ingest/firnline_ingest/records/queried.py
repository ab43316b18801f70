"""Rows of records by the pipeline's query: what can't be read is told first, the rest is asked of Spark, a page at a time.

Every record of a page is a row, rejected or filtered here, so that what a query drops holds no position up.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import msgspec

from firnline_ingest.config.format import SchemasOf, no_registry
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.config.query import SeveralRowsOfOneRecord
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.first_sight import JsonKind
from firnline_ingest.records.key_shape import NOTHING_KNOWN, LackingKeys
from firnline_ingest.records.metadata import clock_ms, splice
from firnline_ingest.records.plain import row_too_large
from firnline_ingest.records.rejection import (
    UNDECIDED,
    DuplicateKeys,
    LeftOut,
    Omitted,
    RejectedRecord,
    Rejection,
    RejectReason,
    Unusable,
)
from firnline_ingest.records.rows import AT_ONCE_BYTES, RowMaker, Rows, refuse_more
from firnline_ingest.values import row_number


@dataclass(frozen=True, slots=True)
class Raised:
    """In place of an object's rows: the query raised an error on it."""

    words: str
    """Spark's own."""


class AsksQuery(Protocol):
    """The way to a pipeline's query."""

    def typed(self, document: bytes) -> bytes:
        """Returns the object with the columns of the query's schema alone. Raises ValueError for one that does not fit, and
        DuplicateKeys."""

    def rows_of(self, documents: Sequence[bytes]) -> Sequence[Sequence[bytes] | Raised]:
        """Returns what the query makes of the first of these objects, in their order: of one at least. Waits for Spark."""


@dataclass(slots=True)
class _Read:
    """The records of a page that were taken, before the query is asked."""

    documents: dict[int, list[bytes]] = field(default_factory=dict)
    """Of each record that can be read, by its place in the page."""
    rejected: list[RejectedRecord] = field(default_factory=list)
    left_out: Counter[LeftOut] = field(default_factory=Counter)
    taken: int = 0


class QueriedRows(RowMaker):
    """Makes rows of one shard's records by its pipeline's query; not thread-safe."""

    asks_query: ClassVar[bool] = True

    def __init__(
        self,
        pipeline: PipelineConfig,
        stream: str,
        shard_id: str,
        schemas: SchemasOf = no_registry,
        *,
        query: AsksQuery,
        now_ms: Callable[[], int] = clock_ms,
    ) -> None:
        super().__init__(pipeline, stream, shard_id, schemas, now_ms=now_ms)
        self._stream, self._query = stream, query

    def convert(self, records: Sequence[Record]) -> Rows:
        """Makes rows as RowMaker.convert. Raises what the query's way raises too: then nothing was taken."""
        if self._now_ms is not None:
            self._head.pushed_at(self._now_ms())
        read = self._read(records)
        given = [document for documents in read.documents.values() for document in documents]
        answers = iter(self._answers(given))
        rows, indexes, numbers = list[msgspec.Raw](), list[int](), list[int]()
        missing = list[LackingKeys]()
        for index, documents in read.documents.items():
            answered = [next(answers) for _ in documents]
            self._missing = []
            try:
                made = list(self._finished(records[index], list(_rows(answered))))
            except Unusable as unusable:
                read.rejected.append(RejectedRecord(index, *unusable.fault))
                continue
            read.left_out[LeftOut.FILTERED] += 0 if made else 1
            rows += made
            missing += self._missing
            indexes += [index] * len(made)
            numbers += [row_number(row, len(made)) for row in range(len(made))]
        return Rows(
            rows,
            list(map(len, rows)),
            indexes,
            sorted(read.rejected, key=lambda each: each.index),
            numbers,
            read.taken,
            +read.left_out,
            unknown_keys=sum(each.unknown for each in missing),
        )

    def _answers(self, documents: Sequence[bytes]) -> Sequence[Sequence[bytes] | Raised]:
        found: list[Sequence[bytes] | Raised] = []
        while len(found) < len(documents):
            found += self._query.rows_of(documents[len(found) :])
        return found

    def first_sights(self, records: Sequence[Record], made: Rows) -> Mapping[str, tuple[int, JsonKind]]:
        """Returns none: the keys of its rows are the query's columns, whatever a record brings."""
        self._check.news.clear()
        return {}

    def _read(self, records: Sequence[Record]) -> _Read:
        """Takes as many as RowMaker takes: what another reading may decide otherwise stands alone."""
        read, size, is_undecided = _Read(), 0, False
        for index, record in enumerate(records):
            if size > AT_ONCE_BYTES:
                break
            try:
                documents = [self._typed_of(number, each) for number, each in enumerate(self.objects(record))]
            except Unusable as unusable:
                if unusable.fault.reason in UNDECIDED:
                    if read.documents:
                        break
                    is_undecided = True
                read.rejected.append(RejectedRecord(index, *unusable.fault))
            except Omitted as omitted:
                read.left_out[omitted.why] += 1
            else:
                if is_undecided:
                    break
                read.documents[index] = documents
                size += sum(map(len, documents))
            read.taken = index + 1
        return read

    def _typed_of(self, number: int, document: bytes) -> bytes:
        try:
            return self._query.typed(document)
        except DuplicateKeys as error:
            raise self._unusable(number, Rejection(RejectReason.DUPLICATE_KEY, f"{error}.")) from error
        except (ValueError, ArithmeticError, msgspec.MsgspecError, RecursionError) as error:
            detail = f"it does not fit the query's schema: {error}"
            raise self._unusable(number, Rejection(RejectReason.MALFORMED, detail)) from error

    def _finished(self, record: Record, documents: Sequence[bytes]) -> Iterator[msgspec.Raw]:
        """The query's rows of one record with their metadata. Raises Unusable."""
        if len(documents) > 1 and not self._are_numbered:
            raise SeveralRowsOfOneRecord(self._stream, len(documents))
        head, size = self._head(record), 0
        for number, document in enumerate(documents):
            self._check.missing = NOTHING_KNOWN
            content = self._check(document)
            row = splice(self._head.numbered(head, number) if self._are_numbered else head, content)
            if len(row) > self._max_row_bytes:
                raise row_too_large(len(row), self._max_row_bytes)
            size += len(row)
            refuse_more(number + 1, size)
            if missing := self._check.missing.get(self.table):
                self._missing.append(missing)
            yield msgspec.Raw(row)


def _rows(answers: Sequence[Sequence[bytes] | Raised]) -> Iterator[bytes]:
    """The rows of one record. Raises Unusable where the query raised an error on a part of it."""
    for number, each in enumerate(answers):
        if isinstance(each, Raised):
            where = f" (object {number + 1} of {len(answers)})" if len(answers) > 1 else ""
            detail = f"the pipeline's query raised an error on it{where}: {each.words}"
            raise Unusable(Rejection(RejectReason.TRANSFORM_FAILED, detail))
        yield from each
