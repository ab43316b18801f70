"""The SQL statements of an audit. Pure: names are quoted, values are escaped, nothing is run.

Sequence numbers have up to 56 digits, more than a NUMBER holds; as text without leading zeros they order by their
length, then by their characters.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from firnline_infra.audit.window import written_arrival
from firnline_ingest.config.rows import Metadata, MetadataForm, MetadataTimes, PartName
from firnline_ingest.identifiers import like_pattern, quoted, stored_name, text_literal

NO_NUMBER = "'0'"


class StatementPart(NamedTuple):
    """A range of a shard's rows, by sequence number; None for a bound that is open."""

    first: str | None = None
    after: str | None = None
    """Only rows after this number; `first` includes those of the number itself."""
    last: str | None = None


@dataclass(frozen=True)
class Statements:
    """The statements about the rows of one stream in one table."""

    database: str
    """Names as they are stored."""
    schema: str
    table: str
    stream: str
    metadata: Metadata
    are_numbered: bool = False
    """True if the format makes several rows of a record."""

    @property
    def table_sql(self) -> str:
        return ".".join(quoted(name) for name in (self.database, self.schema, self.table))

    @property
    def find_table(self) -> str:
        return f"SHOW TABLES LIKE {like_pattern(self.table)} IN SCHEMA {quoted(self.database)}.{quoted(self.schema)}"

    @property
    def describe(self) -> str:
        return f"DESCRIBE TABLE {self.table_sql}"

    @property
    def inventory(self) -> str:
        """Statement that counts a table's rows of each stream and shard, and how many of them have a sequence number."""
        stream = self._part("stream") if self.metadata.is_on("stream") else text_literal(self.stream)
        return (
            f"SELECT {stream} AS STREAM, {self._part('shard_id')} AS SHARD, COUNT(*) AS ROW_COUNT, "
            f"COUNT({self._number}) AS NUMBERED FROM {self.table_sql} GROUP BY 1, 2"
        )

    @property
    def errors(self) -> str:
        """All of them: only the rejected rows themselves say which stream and shard they are from."""
        return f"SELECT ERROR_DATA, ERROR_METADATA FROM ERROR_TABLE({self.table_sql})"

    def rows(self, shard_id: str, part: StatementPart, *, columns: Sequence[str] | None) -> str:
        """A part of a shard's rows, in order: sequence and sub-sequence number, row, arrival; with `columns` (stored names, in
        this order) also the metadata's columns and those.
        """
        content = [quoted(name) for name in (*self.metadata_columns, *columns)] if columns is not None else []
        arrival = self.arrival if self.metadata.is_on("approximate_arrival") else "NULL"
        selected = ", ".join([self._number, self._sub_number, self._row, arrival, *content])
        return (
            f"SELECT {selected} FROM {self.table_sql} WHERE {self._of(shard_id)}{self._in(part)} ORDER BY {self._order}"
        )

    def cuts(self, shard_id: str, *, first: str | None, part_rows: int, total: int) -> str:
        """The number of each `part_rows`-th of a shard's rows from `first` on, and that of the last one, in order."""
        return (
            f"SELECT N FROM (SELECT {self._number} AS N, ROW_NUMBER() OVER (ORDER BY {self._order}) AS R "
            f"FROM {self.table_sql} WHERE {self._of(shard_id)}{self._in(StatementPart(first))}) "
            f"WHERE MOD(R, {part_rows}) = 0 OR R = {total} ORDER BY R"
        )

    def count_rows(self, shard_id: str, *, first: str | None, kept_since_ms: int) -> str:
        """A shard's rows before `first` (all where it is None), how many of these are too young for that, the others."""
        is_before = "TRUE" if first is None else self._is_before(first)
        return (
            f"SELECT COUNT(CASE WHEN {is_before} THEN 1 END) AS OLDER, "
            f"COUNT(CASE WHEN {is_before} AND {self._is_young(kept_since_ms)} THEN 1 END) AS YOUNG, "
            f"COUNT(CASE WHEN NOT {is_before} THEN 1 END) AS OTHERS "
            f"FROM {self.table_sql} WHERE {self._of(shard_id)}"
        )

    @property
    def metadata_columns(self) -> tuple[str, ...]:
        """Their stored names, in the order in which `rows` gives them."""
        return self.metadata.columns(are_numbered=self.are_numbered)

    @property
    def _column(self) -> str:
        return quoted(stored_name(self.metadata.column))

    @property
    def _number(self) -> str:
        return self._part("sequence_number")

    @property
    def _sub_number(self) -> str:
        has_one = self.metadata.is_on("sub_sequence_number") or not self._are_columns
        return f"COALESCE({self._part('sub_sequence_number')}, '0')" if has_one else NO_NUMBER

    @property
    def _row(self) -> str:
        """The row's number in its record: only formats that make several rows of a record number them."""
        has_one = self.are_numbered or not self._are_columns
        return f"COALESCE({self._part('row')}, '0')" if has_one else NO_NUMBER

    @property
    def _order(self) -> str:
        by = [each for each in (self._number, self._sub_number, self._row) if each != NO_NUMBER]
        return ", ".join(f"LENGTH({each}), {each}" for each in by)

    @property
    def position(self) -> str:
        """A row's place among the rows of its partition key, as a text that orders as the three numbers do; empty, and so the
        first, of a row that says none: somebody has inserted it."""
        parts = ((self._number, 60), (self._sub_number, 20), (self._row, 20))
        text = " || ".join(f"LPAD({each}, {length}, '0')" for each, length in parts)
        return f"COALESCE({text}, '')"

    @property
    def partition_key(self) -> str:
        return self._part("partition_key")

    @property
    def arrival(self) -> str:
        """A text; of columns of their own, what the column holds: a moment, or the text of one."""
        return (
            quoted(self.metadata.name_of("approximate_arrival"))
            if self._are_moments
            else self._part("approximate_arrival")
        )

    @property
    def pushed(self) -> str:
        """Expression of when the engine made the row, in the form of `arrival`; NULL if no row has it."""
        if not self.metadata.is_on("push_time"):
            return "NULL"
        return quoted(self.metadata.name_of("push_time")) if self._are_moments else self._part("push_time")

    @property
    def of_the_stream(self) -> str:
        return f"{self._part('stream')} = {text_literal(self.stream)}" if self.metadata.is_on("stream") else "TRUE"

    def _part(self, part: PartName) -> str:
        """The part as text: a cast to a number would fail the whole statement for one row with an invalid one."""
        name = quoted(self.metadata.name_of(part))
        return f"{name}::VARCHAR" if self._are_columns else f"{self._column}:{name}::VARCHAR"

    @property
    def _are_columns(self) -> bool:
        return self.metadata.form is MetadataForm.COLUMNS

    @property
    def _are_moments(self) -> bool:
        """Returns whether times are columns of that type."""
        return self._are_columns and self.metadata.times is not MetadataTimes.EPOCH_MS

    def _of(self, shard_id: str) -> str:
        is_stream = (
            f"{self._part('stream')} = {text_literal(self.stream)} AND " if self.metadata.is_on("stream") else ""
        )
        return f"{is_stream}{self._part('shard_id')} = {text_literal(shard_id)} AND {self._number} IS NOT NULL"

    def _in(self, part: StatementPart) -> str:
        conditions = ""
        if part.first is not None:
            conditions += f" AND NOT {self._is_before(part.first)}"
        if part.after is not None:
            conditions += f" AND NOT {self._is_before(part.after, or_at=True)}"
        if part.last is not None:
            conditions += f" AND {self._is_before(part.last, or_at=True)}"
        return conditions

    def _is_before(self, number: str, *, or_at: bool = False) -> str:
        length, less = f"LENGTH({self._number})", "<=" if or_at else "<"
        same_length = f"{length} = {len(number)} AND {self._number} {less} {text_literal(number)}"
        return f"({length} < {len(number)} OR ({same_length}))"

    def _is_young(self, kept_since_ms: int) -> str:
        """A row lacking the arrival time that this pipeline writes is unexpected. If it writes none, age can't be determined."""
        if not self.metadata.is_on("approximate_arrival"):
            return "FALSE"
        as_moment = "::TIMESTAMP_TZ" if self._are_moments else ""
        since = text_literal(written_arrival(kept_since_ms, self.metadata.times))
        return f"({self.arrival} IS NULL OR {self.arrival}{as_moment} >= {since}{as_moment})"
