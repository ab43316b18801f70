"""One table as the reader's user sees it: what it is, which shards it has rows of, and a shard's rows in order.

A shard's rows are fetched in parts of bounded size, in an order that is checked.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

from firnline_infra.audit.columns import AuditedColumn
from firnline_infra.audit.content_check import RowContent
from firnline_infra.audit.errors import ErrorTableUnreadable, QueryFailed, RowsUnordered, TableUnreadable
from firnline_infra.audit.outcome import AuditOutcome, RecordPlace, position_text
from firnline_infra.audit.rejected import ErrorRows, read_error_rows
from firnline_infra.audit.shards import OnInvalidPosition, RowCounts
from firnline_infra.audit.statements import StatementPart, Statements
from firnline_infra.audit.window import arrival_ms
from firnline_ingest.activity import waiting_for
from firnline_ingest.identifiers import written_name
from firnline_ingest.snowflake.connection import rows_of
from firnline_ingest.snowflake.target import made_text

if TYPE_CHECKING:
    from snowflake.connector import SnowflakeConnection
    from snowflake.connector.cursor import SnowflakeCursor


ON = ("ON", "Y", "true", True)
FETCHED_AT_ONCE = 1_000
PART_ROWS, PART_ROWS_WITH_CONTENT = 400_000, 100_000
"""The most rows one statement fetches: a server that sends a result whole costs the connector several times its size."""
MAX_PARTS = 40  # of a shard: each is a scan of its own


@dataclass(frozen=True)
class TableDescription:
    """The properties of the table that the audit depends on."""

    columns: tuple[AuditedColumn, ...]
    """All but the metadata's."""
    evolves: bool
    logs_errors: bool
    created_on: str = ""
    """The moment of its creation, as the engine notes it."""


@dataclass(frozen=True)
class TableInventory:
    """The number of rows in the table by stream and shard."""

    shards: frozenset[str]
    """Shards of the stream that have rows."""
    without_position: int
    """Rows whose metadata lacks the stream, the shard or the sequence number."""
    other_streams: dict[str, int]
    """Rows by the stream that they name."""


class AuditedTable:
    """Thread-safe: each statement has a cursor of its own."""

    def __init__(self, connection: "SnowflakeConnection", statements: Statements, *, role: str) -> None:
        self._connection = connection
        self._statements = statements
        self._role = role

    def __str__(self) -> str:
        names = (self._statements.database, self._statements.schema, self._statements.table)
        return ".".join(written_name(name) for name in names)

    def describe(self) -> TableDescription:
        """Raises TableUnreadable."""
        try:
            found = [row for row in self._named(self._statements.find_table) if row["name"] == self._statements.table]
            described = self._named(self._statements.describe)
        except QueryFailed as error:
            raise TableUnreadable(str(self), self._role, str(error.__cause__)) from error
        if not found:
            raise TableUnreadable(str(self), self._role, "it does not exist, or the role sees nothing of it")
        own = self._statements.metadata_columns
        columns = tuple(AuditedColumn.described(row) for row in described if row["name"] not in own)
        return TableDescription(
            columns,
            evolves=found[0].get("enable_schema_evolution") in ON,
            logs_errors=found[0].get("error_logging") in ON,
            created_on=made_text(found[0].get("created_on")),
        )

    def inventory(self) -> TableInventory:
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
        return TableInventory(frozenset(shards), without, others)

    def error_rows(self) -> ErrorRows:
        """Raises ErrorTableUnreadable."""
        try:
            return read_error_rows(
                ((row[0], row[1]) for row in self._rows(self._statements.errors, "what was rejected")),
                stream=self._statements.stream,
                metadata=self._statements.metadata,
            )
        except QueryFailed as error:
            raise ErrorTableUnreadable(str(self), self._role, str(error.__cause__)) from error

    def rows(
        self,
        shard_id: str,
        *,
        first: str | None,
        expected: int,
        columns: Sequence[AuditedColumn] | None,
        on_invalid_position: OnInvalidPosition,
    ) -> Iterator[AuditOutcome]:
        """A shard's rows from `first` on, in order; with `columns`, with their contents.

        `expected`: how many there are, at least. Rows that are appended after this call are not among them.
        `on_invalid_position` is called for rows whose position is not a number. Raises QueryFailed or RowsUnordered.
        """
        names = None if columns is None else [column.name for column in columns]
        what = f"the rows of shard {shard_id}"
        part_rows = rows_of_a_part(expected, with_content=names is not None)
        parts = [StatementPart(first)]
        if expected > part_rows:
            cuts = self._statements.cuts(shard_id, first=first, part_rows=part_rows, total=expected)
            parts = parts_between(first, [str(number) for (number,) in self._rows(cuts, what)])
        statements = [self._statements.rows(shard_id, part, columns=names) for part in parts]
        begun = self._rows(statements[0], what)
        rest = (self._rows(statement, what) for statement in statements[1:])
        read = chain(begun, chain.from_iterable(rest))
        return outcomes_of(read, shard_id, on_invalid_position, metadata=self._statements.metadata_columns)

    def count_rows(self, shard_id: str, *, first: str | None, kept_since_ms: int) -> RowCounts:
        """Raises QueryFailed."""
        statement = self._statements.count_rows(shard_id, first=first, kept_since_ms=kept_since_ms)
        (counts,) = self._rows(statement, f"how many rows shard {shard_id} has")
        return RowCounts(*map(int, counts))

    def _named(self, statement: str) -> list[dict[str, Any]]:
        from snowflake.connector.errors import Error

        try:
            return rows_of(self._connection, statement)
        except Error as error:
            raise QueryFailed(f"what {self} is", str(error)) from error

    def _rows(self, statement: str, what: str) -> Iterator[tuple[Any, ...]]:
        """The statement has run when this returns; its rows are fetched as they are consumed."""
        from snowflake.connector.errors import Error

        cursor = self._connection.cursor()
        try:
            with waiting_for(f"Snowflake: {what}"):
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


def rows_of_a_part(expected: int, *, with_content: bool) -> int:
    return max(PART_ROWS_WITH_CONTENT if with_content else PART_ROWS, -(-expected // MAX_PARTS))


def parts_between(first: str | None, cuts: Sequence[str]) -> list[StatementPart]:
    """The parts from `first` to the first cut, and from each cut to the next. Rows of the same number are in one part."""
    if not cuts:
        return [StatementPart(first)]
    distinct = list(dict.fromkeys(cuts))
    return [
        StatementPart(first, last=distinct[0]),
        *(StatementPart(after=after, last=last) for after, last in pairwise(distinct)),
    ]


def outcomes_of(
    rows: Iterator[tuple[Any, ...]],
    shard_id: str,
    on_invalid_position: Callable[[str], None],
    *,
    metadata: Sequence[str],
) -> Iterator[AuditOutcome]:
    """Each row: sequence number, sub-sequence number, row and arrival; the columns of the metadata and values too if contents
    are compared.

    Raises RowsUnordered.
    """
    before = (0, 0, 0)
    for number, sub_number, row, arrival, *content in rows:
        if not all(map(_is_canonical, (number, sub_number, row))):
            on_invalid_position(f"{number}.{sub_number}" if row == "0" else f"{number}.{sub_number}.{row}")
            continue
        position = (int(number), int(sub_number), int(row))
        if position < before:
            raise RowsUnordered(shard_id, position_text(*before), position_text(*position))
        before = position
        own = dict(zip(metadata, content, strict=False))  # the values stand behind them
        seen = RowContent(own, content[len(own) :]) if content else None
        yield AuditOutcome(position[0], position[1], RecordPlace.TABLE, arrival_ms(arrival), seen, position[2])


def _is_canonical(number: str) -> bool:
    """Returns whether the number is written as the engine writes it; other text would not sort as a number."""
    return number.isascii() and number.isdecimal() and (number[0] != "0" or number == "0")
