"""Finds databases and tables that `up` would create, that exist, and that the role that deploys can't see at all.

Snowflake lists nothing of them, and refuses their creation when half an environment is made. So `up` asks by the very statement,
with something empty that it drops at once: only for what no stack has made yet, so that no engine writes there.
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

EXISTS = 2002
"""Snowflake's number of "Object … already exists."."""


def taken_out_of_sight(blueprint: Blueprint, session: Any, state: Mapping[str, Any]) -> Iterator[str]:
    """A description of each. Raises SnowflakeRefused where a database may not be created at all."""
    known, landing = StackResources.of(state), blueprint.landing
    for database in landing.databases:
        name = QualifiedName((database.name,))
        is_free = not known.knows(name) and listed(session, "DATABASE", name) is None
        if is_free and _is_taken(session, "DATABASE", name, "DATA_RETENTION_TIME_IN_DAYS = 0"):
            yield f"database {name} in Snowflake, of which this role sees nothing"
    made = {schema.name for schema in landing.schemas}
    for table in (each for each in landing.tables if isinstance(each, Table)):
        is_free = not known.has_table(table.name) and QualifiedName(table.name.parts[:-1]) not in made
        if (
            is_free
            and listed(session, "TABLE", table.name) is None
            and _is_taken(session, "TABLE", table.name, "(A INT)")
        ):
            yield f"table {table.name} in Snowflake, of which this role sees nothing"


def _is_taken(session: Any, word: str, name: QualifiedName, rest: str) -> bool:
    try:
        rows(session, f"CREATE TRANSIENT {word} {name.sql} {rest}")
    except SnowflakeRefused as refused:
        if refused.number == EXISTS:
            return True
        if word == "DATABASE":
            raise
        return False  # what is lacking there is said by the grants that its owner has to give
    rows(session, f"DROP {word} {name.sql}")
    return False
