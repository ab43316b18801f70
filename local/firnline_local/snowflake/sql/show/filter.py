"""The clauses that every SHOW may have: LIKE, IN, STARTS WITH, LIMIT."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from firnline_local.snowflake.catalog import CatalogObject, Database, Schema, Table
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.words import Words

Row = TypeVar("Row", bound=Sequence[Any])

PLACES: dict[str, type[CatalogObject]] = {"DATABASE": Database, "SCHEMA": Schema, "TABLE": Table}


@dataclass(frozen=True, slots=True)
class Filter:
    """What a SHOW narrows its rows to."""

    inside: CatalogObject
    """The account, a database, a schema or a table."""
    like: re.Pattern[str] | None = None
    starts_with: str = ""
    limit: int | None = None
    after: str = ""

    def matches(self, name: str) -> bool:
        return (
            (self.like is None or self.like.fullmatch(name) is not None)
            and name.startswith(self.starts_with)
            and name > self.after
        )

    def limited(self, rows: Iterable[Row]) -> list[Row]:
        return list(rows)[: self.limit]


def read_filter(
    context: Context,
    words: Words,
    *,
    bare: type[CatalogObject] = Schema,
    places: Mapping[str, type[CatalogObject]] = PLACES,
) -> Filter:
    """Reads to the end; `bare` is what `IN x` names without a keyword, `places` what it may name with one."""
    like = like_pattern(words.string()) if words.accept("LIKE") else None
    inside = _read_place(context, words, bare, places) if words.accept_one("IN", "FOR") else _default_place(context)
    starts_with = words.string() if words.accept("STARTS WITH") else ""
    limit = words.integer() if words.accept("LIMIT") else None
    after = words.string() if limit is not None and words.accept("FROM") else ""
    words.end()
    return Filter(inside, like, starts_with, limit, after)


def _read_place(
    context: Context, words: Words, bare: type[CatalogObject], places: Mapping[str, type[CatalogObject]]
) -> CatalogObject:
    if words.accept("ACCOUNT"):
        return context.account
    place = words.accept_one(*places)
    if place is None:
        return context.find(bare, words.name())
    has_name = not words.at_end and not any(words.starts(clause) for clause in ("STARTS WITH", "LIMIT"))
    if not has_name and place == "DATABASE" and context.session.database is not None:
        return context.session.database
    if not has_name and place == "SCHEMA" and context.session.schema is not None:
        return context.session.schema
    return context.find(places[place], words.name())


def _default_place(context: Context) -> CatalogObject:
    """The session's database, where it has one."""
    return context.session.database or context.account


def like_pattern(like: str) -> re.Pattern[str]:
    """SQL's LIKE, in any case; a backslash takes the meaning from the next character."""
    parts = re.findall(r"\\.|.", like, re.DOTALL)
    wild = {"%": ".*", "_": "."}
    return re.compile("".join(wild.get(part) or re.escape(part[-1]) for part in parts), re.IGNORECASE | re.DOTALL)
