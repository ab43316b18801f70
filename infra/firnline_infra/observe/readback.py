"""Reads back what Pulumi does not see: properties that statements have set, and tables and stages that a statement made.

Pulumi shows no diff when somebody else changes them, and a query that fails gives it an empty result in silence. So each
property is compared with the blueprint here, and an empty answer is a finding.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from firnline_infra.accounts.accounts import current_role, rows_if_there
from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.snowflake import (
    DeadLetterStage,
    IcebergTable,
    InteractiveTable,
    SnowflakeUser,
    Table,
    literal,
)
from firnline_infra.blueprint.table_properties import PROPERTIES, Value, values_of, written
from firnline_infra.specification.column_type import same_type
from firnline_infra.specification.identifier import QualifiedName
from firnline_ingest.checks import NOTHING, Finding
from firnline_ingest.identifiers import like_pattern, quoted

Row = Mapping[str, Any]
AnyTable = Table | IcebergTable | InteractiveTable
ON = {"ON", "Y", "TRUE"}
OFF = {"OFF", "N", "FALSE"}
EXISTS = "exists"
SUFFIXED = re.compile(r"/|\.\w+/?", re.ASCII)
"""What Snowflake may put behind BASE_LOCATION (`release-notes/bcr-bundles/2025_01/bcr-1873`)."""


def read_back(blueprint: Blueprint, session: Any) -> list[Finding]:
    """Asks Snowflake about each table and stage of a blueprint. Sorted; empty if everything is as the blueprint says.

    `session` is the deployer's. Raises SnowflakeRefused for anything but an object that does not exist.
    """
    found = [finding for table in blueprint.landing.tables for finding in table_findings(table, session)]
    for table in blueprint.landing.adopted_tables:
        found += [replace(finding, repair="") for finding in table_findings(table, session, is_made=False)]
    found += [finding for user in blueprint.landing.users for finding in _network_policy(user, session)]
    found += [finding for stage in blueprint.landing.stages for finding in stage_findings(blueprint, stage, session)]
    return sorted(found)


def stage_findings(blueprint: Blueprint, stage: DeadLetterStage, session: Any) -> Iterator[Finding]:
    """Yields nothing in the role of previews, which sees no stage (blueprint/previewing.py)."""
    if current_role(session) == blueprint.names.preview_role.name:
        return
    listed = (row for row in rows_if_there(session, stage.query) or () if row["name"] == stage.name.parts[-1].name)
    row = next(listed, None)
    if row is None:
        yield differing(f"stage {stage.name}", EXISTS, "yes", NOTHING, stage.create, afterwards=_pipe_of(stage))
    elif row["url"]:
        again = f"Its pipe would load a stranger's files. DROP STAGE {stage.name.sql}; `firnline up --refresh` makes it again."
        yield differing(f"stage {stage.name}", "URL", NOTHING, str(row["url"]), afterwards=again)
    elif str(row.get("comment") or "") != stage.comment:
        repair = f"ALTER STAGE {stage.name.sql} SET COMMENT = {literal(stage.comment)}"
        yield differing(
            f"stage {stage.name}", "comment", stage.comment or NOTHING, str(row.get("comment") or NOTHING), repair
        )


def _pipe_of(stage: DeadLetterStage) -> str:
    """Snowflake's page on SYSTEM$PIPE_STATUS has the state."""
    return (
        f"See whether its pipe loads from it: SELECT SYSTEM$PIPE_STATUS({literal(str(stage.name))}). If that says "
        f"STOPPED_STAGE_DROPPED: DROP PIPE {stage.name.sql}, and `firnline up` again."
    )


def _network_policy(user: SnowflakeUser, session: Any) -> Iterator[Finding]:
    """Finds a user without the adopted network policy: its owner gives it to the user, once there is the user."""
    policy = user.adopted_network_policy
    if policy is None:
        return
    statement = f"SHOW PARAMETERS LIKE 'NETWORK_POLICY' IN USER {user.name.sql}"
    said = [str(row["value"]) for row in rows_if_there(session, statement) or () if row["level"] == "USER"]
    if said != [policy.name]:
        asked = f"{policy} (its owner runs: ALTER USER {user.name.sql} SET NETWORK_POLICY = {policy.sql})"
        yield differing(f"user {user.name}", "NETWORK_POLICY", asked, said[0] if said else NOTHING)


def table_findings(table: AnyTable, session: Any, *, is_made: bool = True) -> Iterator[Finding]:
    """About one table, made here or adopted: who designs one may add columns, and say which of them need a value."""
    name = f"table {table.name}"
    row = _listed(table, session)
    kind = "ICEBERG TABLE" if isinstance(table, IcebergTable) else "TABLE"
    if row is None:
        yield differing(name, EXISTS, "yes", NOTHING, _creation(table))
        return
    yield from properties(name, values_of(table.kind, table), row, alter=f"ALTER {kind} {table.name.sql}")
    described = rows_if_there(session, f"DESCRIBE TABLE {table.name.sql}") or ()
    alter = "" if isinstance(table, InteractiveTable) else f"ALTER {kind} {table.name.sql}"
    yield from columns(name, _columns(table), described, alter=alter)
    if is_made:
        yield from _further_columns(name, table, described, alter=alter)
    if isinstance(table, IcebergTable) and table.needs_statement:
        yield from _settled(name, table, session)
    if isinstance(table, InteractiveTable) or (isinstance(table, Table) and table.cluster_by and not is_made):
        yield from sorting(name, (each.name for each in table.cluster_by), row)


def _further_columns(object_: str, table: AnyTable, described: Iterable[Row], *, alter: str) -> Iterator[Finding]:
    """A column that needs a value refuses each row that brings none; a table that does not evolve has no others."""
    wanted = {each.name.name: each for each in (*table.metadata, *table.columns)}
    evolves = not isinstance(table, InteractiveTable) and table.schema_evolution
    for row in described:
        name = str(row["name"])
        column = wanted.get(name)
        if column is None and not evolves:
            yield differing(object_, f"column {name}", NOTHING, str(row["type"]))
        if column is not None and row.get("comment"):
            repair = f"{alter} ALTER COLUMN {quoted(name)} COMMENT ''" if alter else ""
            yield differing(object_, f"column {name} comment", NOTHING, str(row["comment"]), repair)
        if str(row.get("null?")) == "N" and (column is None or column.nullable):
            repair = f"{alter} ALTER COLUMN {quoted(name)} DROP NOT NULL" if alter else ""
            yield differing(object_, f"column {name} nullable", "yes", "no: rows without it are refused", repair)


def _settled(object_: str, table: IcebergTable, session: Any) -> Iterator[Finding]:
    """Yields what a table keeps for good, of one that a statement made: no provider compares it."""
    wanted = {
        "external_volume_name": table.volume.name,
        "base_location": table.base_location,
        "iceberg_table_format_version": str(table.format_version),
    }
    listed = rows_if_there(session, table.query) or ()
    for row in (row for row in listed if row["name"] == table.name.parts[-1].name):
        for name, expected in wanted.items():
            found = str(row.get(name) or "")
            is_suffixed = name == "base_location" and SUFFIXED.fullmatch(found.removeprefix(expected))
            if found not in ("", expected) and not is_suffixed:
                yield differing(object_, name.upper(), f"{expected} (another one is another table)", found)


def _creation(table: AnyTable) -> str:
    """The statement that makes the table; empty where the provider's resource makes it."""
    match table:
        case InteractiveTable():
            return table.create
        case IcebergTable() if table.needs_statement:
            return table.create
        case _:
            return ""


def _columns(table: AnyTable) -> dict[str, str]:
    return {each.name.name: each.type for each in (*table.metadata, *table.columns)}


def _listed(table: AnyTable, session: Any) -> dict[str, Any] | None:
    """SHOW's LIKE is a pattern that ignores case: only the exact name counts.

    SHOW TABLES lists Iceberg tables too, and it alone is documented to have their switches.
    """
    kind = "INTERACTIVE TABLES" if isinstance(table, InteractiveTable) else "TABLES"
    *container, name = table.name.parts
    statement = f"SHOW {kind} LIKE {like_pattern(name.name)} IN SCHEMA {QualifiedName(tuple(container)).sql}"
    return next((row for row in rows_if_there(session, statement) or () if row["name"] == name.name), None)


def properties(object_: str, wanted: Mapping[str, Value], row: Row, *, alter: str) -> Iterator[Finding]:
    """Compares the properties that Pulumi doesn't see, by their fields: statements set them, and the provider doesn't read
    an Iceberg table's ERROR_LOGGING. `row` is the object's in SHOW. `alter` begins the statement that sets one back."""
    for each in PROPERTIES:
        value = wanted.get(each.field)
        if value is None:
            continue
        said, expected = _plain(str(row.get(each.shown, "")).upper()), written(value)
        if said in ("", "NONE") or (isinstance(value, bool) and said not in ("TRUE", "FALSE")):
            yield differing(object_, each.sql, expected, NOTHING if said in ("", "NONE") else said)
        elif said != expected:
            yield differing(object_, each.sql, expected, said, f"{alter} SET {each.sql} = {expected}")


def _plain(said: str) -> str:
    """Snowflake writes switches in three ways."""
    return "TRUE" if said in ON else "FALSE" if said in OFF else said


def columns(object_: str, wanted: Mapping[str, str], described: Iterable[Row], *, alter: str = "") -> Iterator[Finding]:
    """Columns that the blueprint does not know were added by evolution, or by whoever designs the table. `alter` begins the
    statement that adds one, where the kind of table lets it be added.
    """
    found = {str(row["name"]): str(row["type"]) for row in described}
    if not found:
        yield differing(object_, "columns", ", ".join(wanted), NOTHING)
        return
    for name, type_ in wanted.items():
        if name not in found:
            repair = f"{alter} ADD COLUMN {quoted(name)} {type_}" if alter else ""
            yield differing(object_, f"column {name}", type_, NOTHING, repair)
        elif not same_type(type_, found[name]):
            yield differing(object_, f"column {name}", type_, found[name])


def sorting(object_: str, wanted: Iterable[str], row: Row) -> Iterator[Finding]:
    """CLUSTER BY as SHOW writes it: (A, B) or LINEAR(A, B)."""
    expected, said = list(wanted), str(row.get("cluster_by") or "")
    found = [part.strip().strip('"') for part in re.sub(r"^(LINEAR)?\(|\)$", "", said).split(",") if part.strip()]
    if found != expected:
        yield differing(object_, "CLUSTER_BY", ", ".join(expected), said or NOTHING)


def differing(object_: str, path: str, expected: str, found: str, repair: str = "", *, afterwards: str = "") -> Finding:
    return Finding(name=object_, path=path, expected=expected, found=found, repair=repair, afterwards=afterwards)
