"""Looks for an object of Snowflake by its exact name. What a role has no privilege on is not there, as far as it can see."""

from collections.abc import Mapping
from typing import Any

from firnline_infra.accounts.accounts import rows_if_there
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
    return next((row for row in rows_if_there(session, statement) or () if row["name"] == own.name), None)
