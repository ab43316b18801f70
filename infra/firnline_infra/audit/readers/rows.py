"""From a record to the rows that it should have become, and the table that they belong in."""

from collections.abc import Sequence
from typing import NamedTuple

from firnline_infra.audit.readers.json_model import Json, NotIngested, Number, Unreadable, has_unknown, written
from firnline_infra.audit.readers.of_format import reader_of
from firnline_infra.audit.readers.packing import unpacked
from firnline_infra.audit.readers.transforms import Metadata, transforms_of
from firnline_infra.audit.window import arrival_text
from firnline_ingest.config.format import EmptyRecords, SchemasOf
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.config.routes import Unmatched
from firnline_ingest.formats.json import JsonFormat
from firnline_ingest.identifiers import stored_name
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.user_record import AggregateProblem, UserRecord

NO_ROUTE = "no-route"
FAULTS = {AggregateProblem.BROKEN: "broken-aggregate", AggregateProblem.MISPLACED: "misplaced"}
UNREAD_RULES = frozenset({"too-large", "too-deep", "duplicate-key", "metadata-clash", "unusable-key", "refused"})
"""Why a record is not a row by rules that no reader judges: there the engine's word is taken (docs/audit.md)."""


class ReadRow(NamedTuple):
    """One row of a record."""

    data: bytes
    """The object, as JSON."""
    unknown: frozenset[str] = frozenset()
    """First-level keys, in upper case, whose values the readers do not say."""


class RowReader:
    """Reads the records of one shard for one pipeline. Raises CallableUnusable."""

    def __init__(self, pipeline: PipelineConfig, stream: str, shard_id: str, schemas: SchemasOf) -> None:
        self._format = pipeline.format.in_column(pipeline.content_column)
        self._read = reader_of(self._format, schemas)
        self._transforms = transforms_of(pipeline.transforms, stream, shard_id)
        self._empty = pipeline.empty_records
        column = pipeline.content_column
        self._column = stored_name(column) if column is not None and not self._format.is_one_column else None
        self._routes = pipeline.routes
        self._tables = (
            {value: stored_name(table) for value, table in self._routes.tables.items()} if self._routes else {}
        )
        self._stream, self._shard_id = stream, shard_id
        self.table = ""
        """The table of the rows that were read last, as the routes call it."""

    def rows(self, record: Record) -> list[ReadRow]:
        """The record's rows, at least one. Raises Unreadable for what can't be rows, NotIngested for what is intentionally
        none, and SchemaRegistryError."""
        if isinstance(record, UserRecord) and record.fault:
            raise Unreadable(FAULTS[record.fault.problem], record.fault.detail)
        try:
            contents = self._read(unpacked(self._format, record.Data))
            if self._empty is not EmptyRecords.REJECT and isinstance(self._format, JsonFormat) and contents == [None]:
                raise Unreadable("empty")
        except Unreadable as error:
            if error.reason != "empty" or self._empty is EmptyRecords.REJECT:
                raise
            if self._empty is EmptyRecords.IGNORE:
                raise NotIngested("tombstones") from None
            self.table = self._table_of([{}])
            return [ReadRow(b"{}")]
        contents = self._transformed(contents, record)
        if self._column is None and not all(isinstance(each, dict) for each in contents):
            raise Unreadable("not-an-object")
        self.table = self._table_of(contents)
        return [_row({self._column: each} if self._column is not None else each) for each in contents]

    def _transformed(self, contents: Sequence[Json], record: Record) -> list[Json]:
        if not self._transforms:
            return list(contents)
        made = [root[0] for root in ([each] for each in contents) if self._is_kept(root, record)]
        if not made:
            raise NotIngested("filtered")
        return made

    def _is_kept(self, root: list[Json], record: Record) -> bool:
        """Changes what it holds."""
        try:
            for apply in self._transforms:
                apply(root, self._metadata(record), record)
        except NotIngested:
            return False
        return True

    def _metadata(self, record: Record) -> Metadata:
        arrival = record.ApproximateArrivalTimestamp
        return {
            "stream": self._stream,
            "shard_id": self._shard_id,
            "approximate_arrival": None if arrival is None else arrival_text(round(arrival * 1000)),
            "partition_key": record.PartitionKey,
            "sequence_number": record.SequenceNumber,
            "sub_sequence_number": Number(str(record.SubSequenceNumber if isinstance(record, UserRecord) else 0)),
        }

    def _table_of(self, contents: Sequence[Json]) -> str:
        if self._routes is None:
            return ""
        own = "" if self._routes.unmatched is Unmatched.OWN_TABLE else None
        tables = {self._tables.get(value, own) if isinstance(value, str) else own for value in map(self._key, contents)}
        if len(tables) > 1 or None in tables:
            raise Unreadable(NO_ROUTE)
        return tables.pop() or ""

    def _key(self, content: Json) -> Json:
        assert self._routes is not None, "asked of a pipeline with routes"
        return content.get(self._routes.key) if isinstance(content, dict) else None


def _row(content: dict[str, Json]) -> ReadRow:
    unknown = frozenset(key.upper() for key, value in content.items() if has_unknown(value))
    return ReadRow(written(content).encode(), unknown)
