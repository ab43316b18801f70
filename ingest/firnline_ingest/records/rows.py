"""Pages of records to rows for one shard: checked, with the metadata in front, ready for append_rows.

A row is bytes inside msgspec.Raw, which the SDK sends as they are. What can't be a row is returned beside the rows,
never raised and never dropped. A record is rows or rejected, in whole: so it comes back in whole.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import msgspec

from firnline_ingest.config.format import EmptyRecords, SchemasOf, no_registry
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.config.query import QueryNotRunHere
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.chain import Chain
from firnline_ingest.records.contents import bounded, decoder_of, types_of, without_null, wrap_of
from firnline_ingest.records.first_sight import JsonKind, NewKey, NewKeys, first_sights
from firnline_ingest.records.json_object import JsonObjectCheck, check_any_json
from firnline_ingest.records.key_shape import NOTHING_KNOWN, LackingKeys, TableKeys
from firnline_ingest.records.metadata import MetadataHead, clock_ms, splice
from firnline_ingest.records.plain import PlainRowMaker, refuse_fault, row_too_large
from firnline_ingest.records.rejection import (
    UNDECIDED,
    DuplicateKeys,
    Filtered,
    LeftOut,
    Omitted,
    RejectedRecord,
    Rejection,
    RejectReason,
    Untransformable,
    Unusable,
    too_large,
)
from firnline_ingest.records.router import Router
from firnline_ingest.values import row_number

RECORD_BYTES, RECORD_ROWS = 16_000_000, 200_000  # of the rows of one record
AT_ONCE_BYTES = 8_000_000  # of rows, after which the rest of a page waits: records may become many times their size


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a page, in its order. Every record that was taken is in `indexes`, in `rejected`, or was left out."""

    rows: Sequence[msgspec.Raw]
    sizes: Sequence[int]
    """Bytes of each row, for pacing."""
    indexes: Sequence[int]
    """Of each row: where its record stands in the page."""
    rejected: Sequence[RejectedRecord] = field(default_factory=tuple)
    row_numbers: Sequence[int] = ()
    """Position.row of each row; empty where every row is its record's only one."""
    taken: int = 0
    """How many records of the page: all, unless their rows are more than should be in memory at once."""
    left_out: Counter[LeftOut] = field(default_factory=Counter)
    """How many records are rightly no row, and why."""
    unknown_keys: int = 0
    """Of all rows, how many keys have no column, where it is known which there are."""
    unanswered_keys: int = 0
    """Of those, how many nobody has tried to add a column for: nothing of the page is to be sent before."""
    tables: Sequence[str] = ()
    """Of each row: the table that its pipeline's routes send it to, empty for the pipeline's own; nothing without routes."""

    def of_table(self, table: str) -> Self:
        """The rows that go to one table; where the others stood, nothing stands."""
        if not self.tables and not table:
            return self
        chosen = [index for index, name in enumerate(self.tables or [""] * len(self.rows)) if name == table]
        return replace(
            self,
            rows=[self.rows[index] for index in chosen],
            sizes=[self.sizes[index] for index in chosen],
            indexes=[self.indexes[index] for index in chosen],
            row_numbers=[self.row_numbers[index] for index in chosen] if self.row_numbers else (),
            tables=[table] * len(chosen),
        )

    @property
    def bytes(self) -> int:
        return sum(self.sizes)

    @property
    def ingested(self) -> int:
        """The number of records that are rows in whole."""
        made = len(set(self.indexes)) if self.row_numbers else len(self.indexes)
        return made - sum(each.row > 0 for each in self.rejected)

    @property
    def unaccounted(self) -> int:
        """The number of records that were taken and became nothing at all; more than 0 is a defect."""
        return self.taken - self.ingested - len(self.rejected) - self.left_out.total()

    @property
    def is_to_be_settled(self) -> bool:
        """True if another reading may decide otherwise: there is no row, and none is sent before the ledger has passed these."""
        return any(one.reason in UNDECIDED for one in self.rejected)


class RowMaker:
    """Makes rows of one shard's records; not thread-safe."""

    asks_query: ClassVar[bool] = False
    """Whether it asks the pipeline's query; one that can't makes no row of a pipeline that has one."""

    def __init__(
        self,
        pipeline: PipelineConfig,
        stream: str,
        shard_id: str,
        schemas: SchemasOf = no_registry,
        *,
        now_ms: Callable[[], int] = clock_ms,
    ) -> None:
        """Raises QueryNotRunHere."""
        if pipeline.query is not None and not self.asks_query:
            raise QueryNotRunHere(stream)
        self._are_numbered = pipeline.format.makes_several_rows
        self._head = MetadataHead(pipeline.metadata, stream=stream, shard_id=shard_id)
        self._now_ms = now_ms if pipeline.metadata.is_on("push_time") else None
        self._check = JsonObjectCheck(pipeline.metadata.columns(are_numbered=self._are_numbered))
        self._transform = Chain(pipeline.transforms, stream=stream, shard_id=shard_id) if pipeline.transforms else None
        self._wrap = wrap_of(pipeline)
        needs_no_object = self.asks_query or self._transform is not None or self._wrap is not None
        self._check_content = bounded(check_any_json, pipeline.max_row_bytes) if needs_no_object else self._check
        if pipeline.format.may_be_null and pipeline.empty_records is not EmptyRecords.REJECT:
            self._check_content = without_null(self._check_content)
        of = pipeline.format.in_column(pipeline.content_column)
        self._decode = decoder_of(of, self._check_content, pipeline.max_row_bytes, schemas)
        has_its_fields = self._transform is None and self._wrap is None  # a transform's keys are no field's
        self._declared = types_of(of, schemas) if has_its_fields and pipeline.adds_columns else None
        self._check_made = self._check if self._wrap is None else check_any_json
        self._tables: Mapping[str, TableKeys] = {}
        self._missing: list[LackingKeys] = []  # of the rows of the record at hand
        self._router = Router(pipeline.routes) if pipeline.routes else None
        is_read = self._decode is not None or needs_no_object or self._router is not None
        self._is_plain = not is_read and pipeline.empty_records is EmptyRecords.REJECT
        self._max_row_bytes = pipeline.max_row_bytes
        self._plain = PlainRowMaker(self._head, self._check, pipeline.max_row_bytes)
        self._empty = pipeline.empty_records

    def set_columns(self, columns: Collection[str] | None) -> None:
        """The columns of a table that gets no others, so that keys without one are counted; None where they are not."""
        self.set_tables({} if columns is None else {"": TableKeys.of(tuple(columns))})

    def set_tables(self, tables: Mapping[str, TableKeys]) -> None:
        """Takes what is known of the columns of each table, by its name as in Rows.tables."""
        if tables != self._tables:
            self._tables = tables
            self._check.set_tables(tables)
            self._plain.forget()

    def convert(self, records: Sequence[Record]) -> Rows:
        """A function of the records and the pipeline alone: the same records make the same rows at every reading, of the same
        size, but for their push time where that is asked for.

        Raises SchemaRegistryError where a registry has to be asked, and does not answer: then nothing was taken.
        """
        if self._now_ms is not None:
            self._head.pushed_at(self._now_ms())
        if not self._is_plain:
            return self._decoded(records)
        made = self._plain.make(records)
        count = len(records)
        indexes, sizes = _others(count, made.rejected), list(map(len, made.rows))
        return Rows(
            made.rows,
            sizes,
            indexes,
            made.rejected,
            taken=count,
            unknown_keys=made.unknown,
            unanswered_keys=made.unanswered,
        )

    def first_sights(self, records: Sequence[Record], made: Rows) -> Mapping[str, tuple[int, JsonKind]]:
        """First-level keys that no record before these brought, with the record that did; each is reported once."""
        if not self._check.news or not made.rows:
            return {}
        news = self._check.news[:]
        self._check.news.clear()
        return first_sights(news, records[: made.taken], made.rejected, self.objects)

    def unanswered(self, records: Sequence[Record], made: Rows) -> Mapping[str, Mapping[str, NewKey]]:
        """The keys that nobody has tried to add a column for, of each table that gets more."""
        new = NewKeys(lambda table, key: table in self._tables and self._tables[table].is_unanswered(key))
        for index in dict.fromkeys(made.indexes):
            documents = self.objects(records[index])
            new.add(self.table, index, documents, records[index].SequenceNumber)
        if self._declared is None:
            return new.found
        return {table: self._typed(keys, records) for table, keys in new.found.items()}

    def _typed(self, keys: Mapping[str, NewKey], records: Sequence[Record]) -> Mapping[str, NewKey]:
        """The keys with the types that their records' schemas declare."""
        assert self._declared is not None, "who asks has declared types"
        typed = dict(keys)
        for index in {new.record for new in keys.values()}:
            types = self._declared(records[index].Data)
            for key, new in keys.items():
                if new.record == index and (declared := types.get(key)):
                    kind = JsonKind(declared.kind) if declared.kind else new.kind
                    typed[key] = new._replace(kind=kind, column=declared.column)
        return typed

    def objects(self, record: Record) -> Sequence[bytes]:
        """Returns what the record holds, without metadata: an object for each row. Raises Unusable and Omitted."""
        refuse_fault(record)
        return list(self._documents(record))

    @property
    def table(self) -> str:
        """The table of the record whose objects were asked for last, as in Rows.tables."""
        return self._router.table if self._router else ""

    def _routed(self, documents: Iterable[bytes]) -> Iterable[bytes]:
        return documents if self._router is None else self._router.follow(documents)

    def _documents(self, record: Record) -> Iterator[bytes]:
        self._check.missing = NOTHING_KNOWN
        try:
            documents = self._contents(record.Data)
            if self._transform is not None:
                documents = self._transformed(documents, self._transform, record)
            routed = self._routed(documents)
            yield from routed if self._wrap is None else map(self._wrap, routed)
        except Unusable as unusable:
            if unusable.fault.reason is not RejectReason.EMPTY or self._empty is EmptyRecords.REJECT:
                raise
            if self._empty is EmptyRecords.IGNORE:
                raise Omitted(LeftOut.TOMBSTONE) from unusable
            yield from self._routed([b"{}"])

    def _contents(self, data: bytes) -> Iterator[bytes]:
        """The record's contents by the format: checked as far as transforms need it, or in full if there are none."""
        if self._decode is not None:
            yield from self._decode(data)
        else:
            yield self._check_content(data)

    def _transformed(self, documents: Iterator[bytes], transform: Chain, record: Record) -> Iterator[bytes]:
        """Raises Omitted where all of them are filtered."""
        any_filtered = any_made = False
        for number, document in enumerate(documents):
            refuse_more(number + 1)
            try:
                made = self._check_made(transform(document, record))
            except Filtered:
                any_filtered = True
            except Untransformable as error:
                is_double = isinstance(error, DuplicateKeys)
                reason = RejectReason.DUPLICATE_KEY if is_double else RejectReason.TRANSFORM_FAILED
                raise self._unusable(number, Rejection(reason, str(error))) from error
            except Unusable as unusable:
                raise self._unusable(number, unusable.fault) from unusable
            else:
                any_made = True
                yield made
        if any_filtered and not any_made:
            raise Omitted(LeftOut.FILTERED)

    def _unusable(self, row: int, fault: Rejection) -> Unusable:
        """The fault of a row; says which one if a record makes several."""
        return Unusable(fault._replace(detail=f"row {row}: {fault.detail}") if self._are_numbered else fault)

    def _decoded(self, records: Sequence[Record]) -> Rows:
        rows: list[msgspec.Raw] = []
        indexes: list[int] = []
        numbers: list[int] = []
        tables: list[str] = []
        rejected: list[RejectedRecord] = []
        left_out = Counter[LeftOut]()
        missing: list[LackingKeys] = []
        taken = size = 0
        is_undecided = False
        for index, record in enumerate(records):
            if size > AT_ONCE_BYTES:
                break
            self._missing = []
            try:
                made = list(self._rows_of(record))
            except Unusable as unusable:
                if unusable.fault.reason in UNDECIDED:
                    if rows:
                        break
                    is_undecided = True
                rejected.append(RejectedRecord(index, *unusable.fault))
            except Omitted as omitted:
                left_out[omitted.why] += 1
            else:
                if is_undecided:
                    break
                rows += made
                missing += self._missing
                indexes += [index] * len(made)
                numbers += [row_number(row, len(made)) for row in range(len(made))]
                tables += [self._router.table] * len(made) if self._router else ()
                size += sum(map(len, made))
            taken = index + 1
        page = Rows(rows, list(map(len, rows)), indexes, rejected, numbers, taken, left_out, tables=tables)
        unknown, unanswered = (sum(each.unknown for each in missing), sum(each.unanswered for each in missing))
        return replace(page, unknown_keys=unknown, unanswered_keys=unanswered)

    def _rows_of(self, record: Record) -> Iterator[msgspec.Raw]:
        """Raises Unusable and Omitted."""
        head, most, size = self._head_of_user_record(record), self._max_row_bytes, 0
        for number, document in enumerate(self._documents(record)):
            row = splice(self._head.numbered(head, number) if self._are_numbered else head, document)
            if len(row) > most:
                raise row_too_large(len(row), most)
            size += len(row)
            if missing := self._check.missing.get(self.table):
                self._missing.append(missing)
            refuse_more(number + 1, size)
            yield msgspec.Raw(row)

    def _head_of_user_record(self, record: Record) -> bytes:
        """Raises Unusable for one that is not to be a row."""
        refuse_fault(record)
        return self._head(record)


def refuse_more(rows: int, size: int = 0) -> None:
    """Raises Unusable where a record has more rows, or more bytes of them, than one may have."""
    if rows > RECORD_ROWS:
        raise too_large(f"it has more than {RECORD_ROWS:,} rows.")
    if size > RECORD_BYTES:
        raise too_large(f"its rows have more than {RECORD_BYTES:,} bytes with their metadata.")


def _others(count: int, rejected: Sequence[RejectedRecord]) -> Sequence[int]:
    if not rejected:
        return range(count)
    missing = {one.index for one in rejected}
    return [index for index in range(count) if index not in missing]
