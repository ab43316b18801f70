"""Looks for an object of Snowflake by its exact name. What a role has no privilege on is not there, as far as it can see."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from firnline_infra.accounts.accounts import Rows, rows_if_there
from firnline_infra.specification.identifier import QualifiedName
from firnline_ingest.identifiers import like_pattern

PLURALS = {
    "DATABASE": "DATABASES",
    "SCHEMA": "SCHEMAS",
    "TABLE": "TABLES",
    "ICEBERG TABLE": "TABLES",
    "INTERACTIVE TABLE": "TABLES",
    "DYNAMIC TABLE": "DYNAMIC TABLES",
    "STAGE": "STAGES",
    "PIPE": "PIPES",
    "WAREHOUSE": "WAREHOUSES",
    "EXTERNAL VOLUME": "EXTERNAL VOLUMES",
    "ROLE": "ROLES",
    "USER": "USERS",
    "NETWORK POLICY": "NETWORK POLICIES",
    "AUTHENTICATION POLICY": "AUTHENTICATION POLICIES",
}
WITHOUT_LIKE = {"NETWORK POLICY"}  # docs.snowflake.com/en/sql-reference/sql/show-network-policies
CONTAINERS = {1: "DATABASE", 2: "SCHEMA"}


_known: ContextVar[dict[tuple[int, str], Rows | None] | None] = ContextVar("listings", default=None)


@contextmanager
def listed_once() -> Iterator[None]:
    """Each listing is asked for once while the block runs, which looks and changes nothing but what `forget_listings` says."""
    known = _known.set({})
    try:
        yield
    finally:
        _known.reset(known)


def forget_listings() -> None:
    """Has everything asked for again: something was dropped."""
    if (known := _known.get()) is not None:
        known.clear()


def _rows(session: Any, statement: str) -> Rows | None:
    known = _known.get()
    if known is None:
        return rows_if_there(session, statement)
    key = (id(session), statement)
    if key not in known:
        known[key] = rows_if_there(session, statement)
    return known[key]


def listed(session: Any, kind: str, name: QualifiedName, *, plural: str = "") -> Mapping[str, Any] | None:
    """The object's row in SHOW, of another `plural` where it is said; None if it isn't there, or what contains it isn't.
    Raises SnowflakeRefused.
    """
    *container, own = name.parts
    statement = f"SHOW {plural or PLURALS[kind]}"
    if kind not in WITHOUT_LIKE:
        statement += f" LIKE {like_pattern(own.name)}"
    if container:
        statement += f" IN {CONTAINERS[len(container)]} {QualifiedName(tuple(container)).sql}"
    return next((row for row in _rows(session, statement) or () if row["name"] == own.name), None)
