"""Proves, or refutes, that a table of latest rows has the latest row of each key and no other (docs/latest.md).

What is compared are the rows of the moment that the table shows: rows that became visible later are no part of it. The latest row
is found anew, by maxima, and not by the query that defines the table.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from firnline_infra.audit.errors import LatestUnreadable, QueryFailed
from firnline_infra.audit.statements import Statements
from firnline_ingest.identifiers import like_pattern, quoted, text_literal, written_name
from firnline_ingest.snowflake.connection import rows_of

if TYPE_CHECKING:
    from snowflake.connector import SnowflakeConnection

COMMITTED = "METADATA$ROW_LAST_COMMIT_TIME"
MOST_ATTEMPTS = 5
"""A refresh between two questions makes the answer worthless; it is asked again."""
NEXT_STEPS = {
    "missing": "ALTER DYNAMIC TABLE … REFRESH, and audit again; if it stays, `firnline drift` compares the query.",
    "stale": "ALTER DYNAMIC TABLE … REFRESH, and audit again; if it stays, `firnline drift` compares the query.",
    "deleted": "compare `latest.deleted_by` with what producers send; `firnline drift` compares the query.",
    "unexpected": "rows of the table below were deleted: ALTER DYNAMIC TABLE … REFRESH, and audit again.",
}


@dataclass(frozen=True, kw_only=True)
class LatestClaim:
    """The claim of a specification about a table of latest rows, in stored names."""

    stream: str
    """Of the pipeline that fills the table below."""
    rows: Statements
    """About the table below."""
    name: str
    """The table of latest rows, in the same schema."""
    key: tuple[str, ...]
    """Columns."""
    by_partition_key: bool = False
    order_by: tuple[str, ...] = ()
    deleted_column: str | None = None
    deleted_values: tuple[str, ...] = ()
    has_row_timestamp: bool = True

    def __str__(self) -> str:
        return ".".join(written_name(each) for each in (self.rows.database, self.rows.schema, self.name))

    @property
    def inside(self) -> str:
        return f"{quoted(self.rows.database)}.{quoted(self.rows.schema)}"

    def comparison(self, shown: str) -> str:
        """Counts keys that are there, and what is wrong; `shown`: the moment that the table shows, ISO 8601."""
        keys = [f"K{number}" for number, _ in enumerate(self._key)]
        same = " AND ".join(f"L.{each} = D.{each}" for each in keys)
        steps = ", ".join(f"{name} AS ({query})" for name, query in self._narrowed(shown))
        gone = "L.GONE"
        return (
            f"WITH {steps}, D AS (SELECT {self._keyed}, {self.rows.position} AS P FROM {self.inside}.{quoted(self.name)}) "
            f"SELECT (SELECT COUNT(*) FROM L WHERE NOT {gone}) AS KEYS, "
            f"COUNT(CASE WHEN NOT {gone} AND D.P IS NULL THEN 1 END) AS MISSING, "
            f"COUNT(CASE WHEN NOT {gone} AND D.P <> L.P THEN 1 END) AS STALE, "
            f"COUNT(CASE WHEN {gone} AND D.P IS NOT NULL THEN 1 END) AS DELETED, "
            f"(SELECT COUNT(*) FROM D) AS SHOWN FROM L LEFT JOIN D ON {same}"
        )

    def _narrowed(self, shown: str) -> Iterator[tuple[str, str]]:
        """Rows, fewer at each step: by each column of the order their greatest, by the position the last."""
        keys = [f"K{number}" for number, _ in enumerate(self._key)]
        orders = [f"O{number}" for number, _ in enumerate(self.order_by)]
        chosen = ", ".join(f"{quoted(column)} AS {name}" for column, name in zip(self.order_by, orders, strict=True))
        young = f"({COMMITTED} IS NULL OR {COMMITTED} <= {text_literal(shown)}::TIMESTAMP_TZ)"
        known = " AND ".join(f"{each} IS NOT NULL" for each in self._key)
        yield (
            "A0",
            f"SELECT {self._keyed}, {chosen}{', ' if chosen else ''}{self.rows.position} AS P, {self._gone} AS GONE "
            f"FROM {self.rows.table_sql} WHERE {known} AND {young}",
        )
        for number, by in enumerate([*orders, "P"]):
            same = " AND ".join(f"A{number}.{each} = M{number}.{each}" for each in keys)
            yield f"M{number}", f"SELECT {', '.join(keys)}, MAX({by}) AS B FROM A{number} GROUP BY {', '.join(keys)}"
            last = "L" if by == "P" else f"A{number + 1}"
            all_ = ", ".join(f"A{number}.{each}" for each in (*keys, *orders, "P", "GONE"))
            yield (
                last,
                f"SELECT {'DISTINCT ' if by == 'P' else ''}{all_} FROM A{number} JOIN M{number} ON {same} "
                f"WHERE A{number}.{by} = M{number}.B OR (A{number}.{by} IS NULL AND M{number}.B IS NULL)",
            )

    @property
    def _key(self) -> tuple[str, ...]:
        columns = tuple(map(quoted, self.key))
        return (*columns, self.rows.partition_key) if self.by_partition_key else columns

    @property
    def _keyed(self) -> str:
        return ", ".join(f"{each} AS K{number}" for number, each in enumerate(self._key))

    @property
    def _gone(self) -> str:
        if self.deleted_column is None:
            return "FALSE"
        value = f"{quoted(self.deleted_column)}::VARCHAR"
        if not self.deleted_values:
            return f"{value} IS NULL"
        return f"COALESCE({value} IN ({', '.join(map(text_literal, self.deleted_values))}), FALSE)"


@dataclass(frozen=True, kw_only=True)
class LatestReport:
    """Findings about one table of latest rows."""

    table: str
    shown: str
    """The moment that it shows, ISO 8601; empty where nothing was compared."""
    remark: str = ""
    """The reason why nothing was compared."""
    next_step: str = ""
    keys: int = 0
    """That have a latest row which does not delete them."""
    missing: int = 0
    stale: int = 0
    """Keys that are there with an earlier row."""
    deleted: int = 0
    """Keys that are there though their latest row deletes them."""
    unexpected: int = 0
    """Rows of no key, or more than one of a key."""

    @property
    def found(self) -> dict[str, int]:
        return {name: count for name in NEXT_STEPS if (count := getattr(self, name))}

    @property
    def problems(self) -> list[tuple[str, str]]:
        """Problems, each with its next step; that nothing was compared is one, too."""
        if not self.shown:
            return [(f"not compared: {self.remark}", self.next_step)]
        return [(f"{count:,} {kind}", NEXT_STEPS[kind]) for kind, count in self.found.items()]

    @property
    def is_proven(self) -> bool:
        return not self.problems

    def as_document(self) -> dict[str, Any]:
        return {**asdict(self), "proven": self.is_proven}


def audit_latest(connection: "SnowflakeConnection", claim: LatestClaim, *, role: str) -> LatestReport:
    """Raises LatestUnreadable or QueryFailed."""
    if not claim.has_row_timestamp:
        return LatestReport(
            table=str(claim),
            shown="",
            remark="without row_timestamp nothing says which rows are older than the table",
            next_step="set row_timestamp: true on the pipeline.",
        )
    shown = _shown(connection, claim, role)
    for _ in range(MOST_ATTEMPTS):
        (row,) = _asked(connection, claim, claim.comparison(shown.isoformat()))
        if (now := _shown(connection, claim, role)) == shown:
            wanted = row["keys"] - row["missing"] + row["deleted"]
            return LatestReport(
                table=str(claim),
                shown=shown.isoformat(timespec="seconds"),
                keys=row["keys"],
                missing=row["missing"],
                stale=row["stale"],
                deleted=row["deleted"],
                unexpected=abs(row["shown"] - wanted),
            )
        shown = now
    return LatestReport(
        table=str(claim),
        shown="",
        remark=f"it was refreshed {MOST_ATTEMPTS} times meanwhile",
        next_step="audit again; a longer latest.target_lag_seconds leaves more time between two refreshes.",
    )


def _shown(connection: "SnowflakeConnection", claim: LatestClaim, role: str) -> datetime:
    statement = f"SHOW DYNAMIC TABLES LIKE {like_pattern(claim.name)} IN SCHEMA {claim.inside}"
    found = [each for each in _asked(connection, claim, statement) if each["name"] == claim.name]
    if not found or found[0].get("data_timestamp") is None:
        raise LatestUnreadable(str(claim), role)
    shown: datetime = found[0]["data_timestamp"]
    return shown


def _asked(connection: "SnowflakeConnection", claim: LatestClaim, statement: str) -> list[dict[str, Any]]:
    from snowflake.connector.errors import Error

    try:
        return rows_of(connection, statement)
    except Error as error:
        raise QueryFailed(f"what {claim} has", str(error)) from error
