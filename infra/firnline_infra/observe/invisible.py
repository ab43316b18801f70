"""Finds databases and tables that `up` would create, that exist, and that the role that deploys can't see at all.

Snowflake lists nothing of them, and refuses their creation when half an environment is made. So `up` asks by the very statement,
with something empty that it drops at once: only for what no stack has made yet, so that no engine writes there. Its comment says
so, and the next `up` drops what a killed one has left.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from firnline_infra.accounts.accounts import rows
from firnline_infra.accounts.errors import SnowflakeRefused
from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.snowflake import Table
from firnline_infra.observe.existing import StackResources
from firnline_infra.observe.lookup import listed
from firnline_infra.specification.identifier import QualifiedName

MARK = "firnline up asks whether this name is free; it is empty, and may be dropped"
EXISTS = 2002
"""Snowflake's number of "Object … already exists."."""


def taken_out_of_sight(blueprint: Blueprint, session: Any, state: Mapping[str, Any]) -> Iterator[str]:
    """A description of each. Raises SnowflakeRefused where a database may not be created at all."""
    for word, name in _unmade(blueprint, state):
        if listed(session, word, name) is None and _is_taken(session, word, name):
            yield f"{word.lower()} {name} in Snowflake, of which this role sees nothing"


def remove_left(blueprint: Blueprint, session: Any, state: Mapping[str, Any]) -> None:
    """Drops what a killed `up` has left by asking. Raises SnowflakeRefused."""
    for word, name in _unmade(blueprint, state):
        found = listed(session, word, name)
        if found is not None and found["comment"] == MARK:
            rows(session, f"DROP {word} {name.sql}")


def _unmade(blueprint: Blueprint, state: Mapping[str, Any]) -> Iterator[tuple[str, QualifiedName]]:
    known, landing = StackResources.of(state), blueprint.landing
    for name in (QualifiedName((each.name,)) for each in landing.databases):
        if not known.knows(name):
            yield "DATABASE", name
    made = {schema.name for schema in landing.schemas}
    for table in (each for each in landing.tables if isinstance(each, Table)):
        if not known.has_table(table.name) and QualifiedName(table.name.parts[:-1]) not in made:
            yield "TABLE", table.name


def _is_taken(session: Any, word: str, name: QualifiedName) -> bool:
    content = "DATA_RETENTION_TIME_IN_DAYS = 0" if word == "DATABASE" else "(A INT)"
    try:
        rows(session, f"CREATE TRANSIENT {word} {name.sql} {content} COMMENT = '{MARK}'")
    except SnowflakeRefused as refused:
        if refused.number == EXISTS:
            return True
        if word == "DATABASE":
            raise
        return False  # what is lacking there is said by the grants that its owner has to give
    rows(session, f"DROP {word} {name.sql}")
    return False
