"""One table as the reader sees it: what it is, which shards it has rows of, and a shard's rows in order."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from firnline_infra.audit.content.column import Column
from firnline_infra.audit.error_rows import ErrorRows, read_error_rows
from firnline_infra.audit.errors import ErrorTableUnreadable, QueryFailed, TableUnreadable
from firnline_infra.audit.outcome import Outcome
from firnline_infra.audit.shard import OnStray, RowCounts
from firnline_infra.audit.statements import Part, Statements
from firnline_infra.audit.table_rows import outcomes_of, parts_between, rows_of_a_part
from firnline_ingest.identifiers import stored_name, written_name
from firnline_ingest.snowflake.connection import rows_of

if TYPE_CHECKING:
    from snowflake.connector import SnowflakeConnection
    from snowflake.connector.cursor import SnowflakeCursor

ON = ("ON", "Y", "true", True)
FETCHED_AT_ONCE = 1_000


@dataclass(frozen=True)
class Described:
    """What the audit has to know of the table beforehand."""

    columns: tuple[Column, ...]
    """Without the metadata's."""
    evolves: bool
    logs_errors: bool


@dataclass(frozen=True)
class Inventory:
    """What stands in the table, before any of it is compared."""

    shards: frozenset[str]
    """Of the stream."""
    without_position: int
    """Rows that no record can be found for: no stream, no shard, or no sequence number in their metadata."""
    other_streams: dict[str, int]
    """Rows by the stream that they name."""


class AuditedTable:
    """Its methods may be called from several threads: each question has a cursor of its own."""

    def __init__(self, connection: "SnowflakeConnection", statements: Statements, *, role: str) -> None:
        self._connection = connection
        self._statements = statements
        self._role = role

    def __str__(self) -> str:
        names = (self._statements.database, self._statements.schema, self._statements.table)
        return ".".join(written_name(name) for name in names)

    def describe(self) -> Described:
        """Raises TableUnreadable."""
        try:
            found = [row for row in self._named(self._statements.find_table) if row["name"] == self._statements.table]
            described = self._named(self._statements.describe)
        except QueryFailed as error:
            raise TableUnreadable(str(self), self._role, str(error.__cause__)) from error
        if not found:
            raise TableUnreadable(str(self), self._role, "it does not exist, or the role sees nothing of it")
        metadata_column = stored_name(self._statements.metadata.column)
        columns = tuple(Column.described(row) for row in described if row["name"] != metadata_column)
        return Described(
            columns,
            evolves=found[0].get("enable_schema_evolution") in ON,
            logs_errors=found[0].get("error_logging") in ON,
        )

    def inventory(self) -> Inventory:
        """Raises TableUnreadable."""
        try:
            groups = list(self._rows(self._statements.inventory, "which shards the table has rows of"))
        except QueryFailed as error:
            raise TableUnreadable(str(self), self._role, str(error.__cause__)) from error
        shards, without, others = set[str](), 0, dict[str, int]()
        for stream, shard, count, numbered in groups:
            if stream is None or (stream == self._statements.stream and shard is None):
                without += count
            elif stream != self._statements.stream:
                others[stream] = others.get(stream, 0) + count
            else:
                without += count - numbered
                shards.add(shard)
        return Inventory(frozenset(shards), without, others)

    def error_rows(self) -> ErrorRows:
        """Raises ErrorTableUnreadable."""
        metadata = self._statements.metadata
        try:
            return read_error_rows(
                ((row[0], row[1]) for row in self._rows(self._statements.errors, "what was rejected")),
                stream=self._statements.stream,
                metadata_column=metadata.column,
                names_stream=metadata.stream,
            )
        except QueryFailed as error:
            raise ErrorTableUnreadable(str(self), self._role, str(error.__cause__)) from error

    def rows(
        self,
        shard_id: str,
        *,
        first: str | None,
        expected: int,
        columns: Sequence[Column] | None,
        on_stray: OnStray,
    ) -> Iterator[Outcome]:
        """A shard's rows from `first` on, in order; with `columns`, with their contents.

        `expected`: how many there are, at least. What gets a place behind the last of them after this returned is not
        among them; `on_stray` is told of rows whose position is none. Raises QueryFailed or RowsUnordered.
        """
        names = None if columns is None else [column.name for column in columns]
        what = f"the rows of shard {shard_id}"
        part_rows = rows_of_a_part(expected, with_content=names is not None)
        parts = [Part(first)]
        if expected > part_rows:
            cuts = self._statements.cuts(shard_id, first=first, part_rows=part_rows, total=expected)
            parts = parts_between(first, [str(number) for (number,) in self._rows(cuts, what)])
        statements = [self._statements.rows(shard_id, part, columns=names) for part in parts]
        begun = self._rows(statements[0], what)
        rest = (self._rows(statement, what) for statement in statements[1:])
        return outcomes_of(chain(begun, chain.from_iterable(rest)), shard_id, on_stray)

    def count_rows(self, shard_id: str, *, first: str | None, kept_since: str) -> RowCounts:
        """Raises QueryFailed."""
        statement = self._statements.count_rows(shard_id, first=first, kept_since=kept_since)
        (counts,) = self._rows(statement, f"how many rows shard {shard_id} has")
        return RowCounts(*map(int, counts))

    def _named(self, statement: str) -> list[dict[str, Any]]:
        from snowflake.connector.errors import Error

        try:
            return rows_of(self._connection, statement)
        except Error as error:
            raise QueryFailed(f"what {self} is", str(error)) from error

    def _rows(self, statement: str, what: str) -> Iterator[tuple[Any, ...]]:
        """The statement has run when this returns; its rows come as they are taken."""
        from snowflake.connector.errors import Error

        cursor = self._connection.cursor()
        try:
            cursor.execute(statement)
        except Error as error:
            cursor.close()
            raise QueryFailed(what, str(error)) from error
        return _fetched(cursor, what)


def _fetched(cursor: "SnowflakeCursor", what: str) -> Iterator[tuple[Any, ...]]:
    from snowflake.connector.errors import Error

    with closing(cursor):
        while True:
            try:
                rows = cursor.fetchmany(FETCHED_AT_ONCE)
            except Error as error:
                raise QueryFailed(what, str(error)) from error
            if not rows:
                return
            yield from rows
