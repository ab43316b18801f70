"""Listings by SHOW of the tables and pipes that pipelines write to: one statement for many of a schema.

SHOW answers with 10,000 rows at most and sees what a role has any privilege on, so a name that a long list lacks is asked
for by itself before it is missed. Of tables it refuses a longer answer (090153) where no LIMIT is given; of pipes it has no
LIMIT, and leaves off the rest (SQL reference, SHOW TABLES, SHOW PIPES; 2026-11-28).
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Protocol, TypeAlias

from firnline_ingest.identifiers import like_pattern, quoted

Row: TypeAlias = Mapping[str, Any]
Schema: TypeAlias = tuple[str, str]
"""Database and schema, as Snowflake stores the names."""

FEW = 3
"""So many of a schema are asked for one by one: it may hold thousands of others."""
LONGEST_ANSWER = 10_000  # rows
LIMIT = f" LIMIT {LONGEST_ANSWER}"
UNLIMITED = {"PIPES"}
"""The kinds whose SHOW takes no LIMIT."""


class Statements(Protocol):
    """Runs what only reads (sql_session.py)."""

    def rows(self, statement: str, empty: Collection[int] = ...) -> list[dict[str, Any]]:
        """The rows by lower-cased column name; none if the place does not exist for the role."""

    def close(self) -> None:
        """Closes the session until the next statement."""


class Listing:
    """The objects of one kind (TABLES, PIPES), cached for this instance's life."""

    def __init__(self, session: Statements, kind: str, wanted: Iterable[tuple[str, str, str]]) -> None:
        """`wanted` are the names that will be asked for, with database and schema."""
        self._session = session
        self._kind = kind
        self._found: dict[Schema, dict[str, Row]] = {}
        names: dict[Schema, set[str]] = {}
        for database, schema, name in wanted:
            names.setdefault((database, schema), set()).add(name)
        self._many = {schema for schema, those in names.items() if len(those) > FEW}

    def find(self, database: str, schema: str, name: str) -> Row | None:
        """Raises what the session raises."""
        place = (database, schema)
        if place not in self._many:
            return self._find_one(place, name)
        if place not in self._found:
            limit = "" if self._kind in UNLIMITED else LIMIT
            rows = self._session.rows(f"SHOW {self._kind} IN SCHEMA {_written(place)}{limit}")
            self._found[place] = {row["name"]: row for row in rows}
        found = self._found[place].get(name)
        is_cut = len(self._found[place]) >= LONGEST_ANSWER
        return self._find_one(place, name) if found is None and is_cut else found

    def _find_one(self, place: Schema, name: str) -> Row | None:
        """LIKE is a pattern and ignores case: only the exact name counts."""
        rows = self._session.rows(f"SHOW {self._kind} LIKE {like_pattern(name)} IN SCHEMA {_written(place)}")
        return next((row for row in rows if row["name"] == name), None)


def _written(place: Schema) -> str:
    return ".".join(map(quoted, place))
