"""What all files of this folder do: name an object, find it, give back its properties, refuse what they don't know."""

from collections.abc import Collection, Iterable, Mapping
from contextlib import closing
from typing import Any

from firnline_ingest.snowflake.connection import DOES_NOT_EXIST
from firnline_local.errors import InputNotCarried
from firnline_local.providers.clients import Clients
from firnline_local.providers.kind import Properties
from firnline_local.providers.snowflake.settings import is_given
from firnline_local.providers.snowflake.sql import literal, parts, quoted

SCHEMA_OBJECT = ("database", "schema", "name")


def path(properties: Properties, names: Iterable[str] = SCHEMA_OBJECT) -> str:
    """The object's full name, quoted, from the properties that hold its parts."""
    return quoted(*(properties[name] for name in names))


def located(id_: str, properties: Properties, names: Iterable[str] = SCHEMA_OBJECT) -> dict[str, str]:
    """Where the object is, by property: as last known, or while it is imported as its id says."""
    found = id_.split("|") if "|" in id_ else parts(id_)
    from_id = dict(zip(names, found, strict=True))
    return {name: properties.get(name) or from_id[name] for name in names}


def named(id_: str, properties: Properties) -> str:
    """The name of an object that is in nothing but the account."""
    return located(id_, properties, ("name",))["name"]


def shown(clients: Clients, listing: str, name: str, inside: str = "") -> dict[str, Any] | None:
    """The row of SHOW with exactly this name. LIKE knows wildcards and ignores case, so it may find more."""
    rows = clients.rows(f"SHOW {listing} LIKE {literal(name)}{inside}")
    return next((row for row in rows if row["name"] == name), None)


def described(clients: Clients, target: str) -> dict[str, Any]:
    """The values of DESCRIBE by property; `null` is how a user's say that there is none."""
    rows = clients.rows(f"DESCRIBE {target}")
    return {row["property"]: None if row["value"] in (None, "null", "") else row["value"] for row in rows}


def kept(properties: Properties, *names: str) -> dict[str, Any]:
    """What can't be read back."""
    return {name: properties[name] for name in names if properties.get(name) is not None}


def given(found: Mapping[str, Any]) -> dict[str, Any]:
    """Without what the server doesn't have."""
    return {name: value for name, value in found.items() if value is not None}


def refuse_others(type_: str, inputs: Properties, known: Collection[str]) -> None:
    """Raises InputNotCarried: nothing that was asked for is forgotten in silence."""
    others = sorted(name for name, value in inputs.items() if is_given(value) and name not in known)
    if others:
        raise InputNotCarried(type_, others, carried=sorted(known))


def renaming(kind: str, before: str, after: str) -> str | None:
    """The statement that leads from one full name to another; None where they are the same."""
    return None if before == after else f"ALTER {kind} {before} RENAME TO {after}"


def drop(clients: Clients, kind: str, target: str) -> None:
    """No error where it, or what contained it, does not exist any more."""
    run_unless_gone(clients, f"DROP {kind} IF EXISTS {target}")


def run_unless_gone(clients: Clients, statement: str) -> None:
    from snowflake.connector.errors import ProgrammingError

    with closing(clients.snowflake.cursor()) as cursor:
        try:
            cursor.execute(statement)
        except ProgrammingError as error:
            if error.errno not in DOES_NOT_EXIST:
                raise
