"""One table as the reader sees it: what it is, which shards it has rows of, and a shard's rows in order."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from firnline_infra.audit.content.check import RowContent
from firnline_infra.audit.content.column import Column
from firnline_infra.audit.error_rows import ErrorRows, read_error_rows
from firnline_infra.audit.errors import ErrorTableUnreadable, QueryFailed, RowsUnordered, TableUnreadable
from firnline_infra.audit.horizon import arrival_ms
from firnline_infra.audit.outcome import Outcome, Place, position_text
from firnline_infra.audit.statements import Statements
from firnline_ingest.snowflake.identifiers import stored_name, written_name

if TYPE_CHECKING:
    from snowflake.connector import SnowflakeConnection

ON = ("ON", "Y", "true", True)
ROWS_AT_ONCE = 1_000

OnStray = Callable[[str], None]


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
        self, shard_id: str, *, first: str | None, columns: Sequence[Column] | None, on_stray: OnStray
    ) -> Iterator[Outcome]:
        """A shard's rows from `first` on, in order; with `columns`, with their contents.

        Snowflake has answered when this returns: what is in the table later is not among them. `on_stray` is told of
        rows whose position is none. Raises QueryFailed or RowsUnordered.
        """
        names = None if columns is None else [column.name for column in columns]
        statement = self._statements.rows(shard_id, first=first, columns=names)
        return _outcomes(self._rows(statement, f"the rows of shard {shard_id}"), shard_id, on_stray)

    def count_before(self, shard_id: str, *, first: str | None, kept_since: str) -> tuple[int, int]:
        """How many rows stand before `first`, and how many of them are too young to be there. Raises QueryFailed."""
        statement = self._statements.count_before(shard_id, first=first, kept_since=kept_since)
        ((count, young),) = self._rows(statement, f"how many rows of shard {shard_id} are older than the stream")
        return int(count), int(young)

    def young_before(self, shard_id: str, *, first: str | None, kept_since: str, limit: int) -> list[str]:
        """The positions of a few of them. Raises QueryFailed."""
        statement = self._statements.young_before(shard_id, first=first, kept_since=kept_since, limit=limit)
        rows = self._rows(statement, f"which rows of shard {shard_id} are foreign")
        return [number if sub_number == "0" else f"{number}.{sub_number}" for number, sub_number in rows]

    def _named(self, statement: str) -> list[dict[str, Any]]:
        from snowflake.connector.errors import Error

        try:
            with closing(self._connection.cursor()) as cursor:
                cursor.execute(statement)
                names = [str(column[0]).lower() for column in cursor.description or ()]
                return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
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


def _fetched(cursor: Any, what: str) -> Iterator[tuple[Any, ...]]:
    from snowflake.connector.errors import Error

    with closing(cursor):
        while True:
            try:
                rows = cursor.fetchmany(ROWS_AT_ONCE)
            except Error as error:
                raise QueryFailed(what, str(error)) from error
            if not rows:
                return
            yield from rows


def _outcomes(rows: Iterator[tuple[Any, ...]], shard_id: str, on_stray: OnStray) -> Iterator[Outcome]:
    before = (0, 0)
    for number, sub_number, arrival, *content in rows:
        if not (_is_canonical(number) and _is_canonical(sub_number)):
            on_stray(f"{number}.{sub_number}")
            continue
        position = (int(number), int(sub_number))
        if position < before:
            raise RowsUnordered(shard_id, position_text(*before), position_text(*position))
        before = position
        yield Outcome(
            *position, Place.TABLE, arrival_ms(arrival), RowContent(content[0], content[1:]) if content else None
        )


def _is_canonical(number: str) -> bool:
    """As the engine writes numbers; text in any other form has no place in their order."""
    return number.isascii() and number.isdecimal() and (number[0] != "0" or number == "0")
