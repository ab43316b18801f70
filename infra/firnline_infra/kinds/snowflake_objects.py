"""Changes to an object of Snowflake past the stack: grants on it, future ones, parameters, a paused pipe, a SELECT, a
suspended refresh.

Rows of `kinds/snowflake.py` name these functions. Grants to the roles of the environment itself are compared from their side
(`snowflake_roles.py`).
"""

import json
from collections.abc import Iterator
from typing import Any

from firnline_infra.blueprint.snowflake import InteractiveTable, literal
from firnline_infra.kinds.comparison import Comparison, Difference, Subject
from firnline_infra.kinds.kind import camel
from firnline_infra.specification.identifier import Identifier, QualifiedName
from firnline_ingest.identifiers import like_pattern
from firnline_ingest.permissions.snowflake import OWNERSHIP

SET_BY_CREATE = frozenset({"CATALOG", "EXTERNAL_VOLUME", "STORAGE_SERIALIZATION_POLICY"})
"""Parameters that an Iceberg table keeps from its CREATE: others read the first two, and nobody can change the last one
(docs.snowflake.com, `sql-reference/sql/create-iceberg-table-snowflake`, 2026-11-29)."""
OF_ICEBERG = frozenset({"CATALOG_SYNC", "TARGET_FILE_SIZE"})
"""Parameters of an Iceberg table that ALTER can set and our CREATE does not, so that each has its default; an account may list
them as the table's own all the same (docs.snowflake.com, `sql-reference/sql/alter-iceberg-table`, 2026-11-28)."""
ACTIVE = "ACTIVE"
REFRESHED = (ACTIVE, "RUNNING")
"""States of a dynamic table that is refreshed; RUNNING on older pages (docs.snowflake.com,
`release-notes/bcr-bundles/2024_02/bcr-1543`)."""


def name_of(wanted: Any) -> QualifiedName:
    return wanted.name if isinstance(wanted.name, QualifiedName) else QualifiedName((wanted.name,))


def grants_on(word: str) -> Comparison:
    """`word`: what GRANT calls the kind, where the object does not say it itself."""

    def find(subject: Subject) -> Iterator[Difference]:
        name, kind, own = name_of(subject.wanted), _word(subject.wanted, word), own_roles(subject)
        deployer = subject.blueprint.names.deploy_role
        owners = {deployer.name, *_further_owners(subject, name)}
        grants = (each for each in subject.blueprint.landing.grants if each.name == name)
        given = {(privilege, each.role.name) for each in grants for privilege in each.privileges}
        for row in subject.rows(f"SHOW GRANTS ON {kind} {name.sql}"):
            privilege, to, whom = str(row["privilege"]), str(row["granted_to"]), str(row["grantee_name"])
            if privilege == OWNERSHIP and whom not in owners:
                back = f"GRANT OWNERSHIP ON {kind} {name.sql} TO ROLE {deployer.sql} COPY CURRENT GRANTS"
                step = f"find out who gave it away and why; then, as {Identifier(whom)}: {back}"
                yield Difference(path="owner", expected=deployer.name, found=whom, next_step=step)
            if privilege != OWNERSHIP and not (to == "ROLE" and (whom in own or (privilege, whom) in given)):
                revoke = f"REVOKE {privilege} ON {kind} {name.sql} FROM {to.replace('_', ' ')} {Identifier(whom).sql}"
                by = f"granted by {row['granted_by']}" if row.get("granted_by") else "granted"
                yield Difference.unwanted(f"{privilege} to {to.lower()} {whom}", by, revoke)

    return Comparison(what="grants", find=find)


def _further_owners(subject: Subject, name: QualifiedName) -> Iterator[str]:
    """The role that a table is given to, and the one of whoever deploys as themselves."""
    yield from (each.role.name for each in subject.blueprint.landing.ownerships if each.name == name)
    (asking,) = subject.rows("SELECT CURRENT_ROLE() AS NAME")
    yield str(asking["name"])


def _word(wanted: Any, word: str) -> str:
    return str(wanted.securable.value) if hasattr(wanted, "securable") else word


def own_roles(subject: Subject) -> set[str]:
    """The roles whose grants are compared one by one."""
    names, landing = subject.blueprint.names, subject.blueprint.landing
    return {*(role.name.name for role in landing.roles), names.deploy_role.name, names.preview_role.name}


def future_grants_in(word: str) -> Comparison:
    """Returns what each new object inside will be granted."""

    def find(subject: Subject) -> Iterator[Difference]:
        name = name_of(subject.wanted)
        for row in subject.rows(f"SHOW FUTURE GRANTS IN {word} {name.sql}"):
            to, whom = str(row["grant_to"]), str(row["grantee_name"])
            if not (to == "ROLE" and whom in own_roles(subject)):
                what, privilege = str(row["grant_on"]).replace("_", " "), str(row["privilege"])
                revoke = f"REVOKE {privilege} ON FUTURE {what}S IN {word} {name.sql} FROM {to} {Identifier(whom).sql}"
                path = f"future {privilege} on {what} to {to.lower()} {whom}"
                yield Difference.unwanted(path, "granted", revoke)

    return Comparison(what="future grants", find=find)


def parameters_of(word: str, *, but: frozenset[str] = frozenset()) -> Comparison:
    """Compares the parameters that are set on the object itself; the stack sets none `but` these."""

    def find(subject: Subject) -> Iterator[Difference]:
        name = name_of(subject.wanted).sql
        for row in subject.rows(f"SHOW PARAMETERS IN {word} {name}"):
            key = str(row["key"])
            is_as_made = key in OF_ICEBERG and str(row["value"] or "") == str(row["default"] or "")
            if row["level"] == word and key not in but and not is_as_made:
                yield Difference(
                    path=camel(key.lower()),  # one property is one finding, whoever sees it
                    expected="what it inherits",
                    found=str(row["value"]),
                    next_step=f"find out who set it and why; then ALTER {word} {name} UNSET {key}",
                )

    return Comparison(what="parameters", find=find, rule="table")


def paused(subject: Subject) -> Iterator[Difference]:
    name = subject.wanted.name
    (row,) = subject.rows(f"SELECT SYSTEM$PIPE_STATUS({literal(name.sql)}) AS STATUS")
    state = json.loads(row["status"]).get("executionState")
    if state != "RUNNING":
        step = f"find out who did it and why; then ALTER PIPE {name.sql} SET PIPE_EXECUTION_PAUSED = FALSE"
        yield Difference(path="executionState", expected="RUNNING", found=str(state), next_step=step)


def selected(subject: Subject) -> Iterator[Difference]:
    """The SELECT of an interactive table, as the pipe that Snowflake made with it says it. Where no such pipe is listed, the
    table may have been made anew without one: Snowflake is asked for it by name, which answers or shows nothing of it.
    """
    table = subject.wanted
    if not isinstance(table, InteractiveTable) or not table.select:
        return
    *container, own = table.name.parts
    shown = subject.rows(f"SHOW PIPES IN SCHEMA {QualifiedName(tuple(container)).sql}")
    pipes = [each for each in shown if each["name"] in (own.name, f"{own.name}-STREAMING")]
    for pipe in pipes or subject.rows(f"DESCRIBE PIPE {table.name.sql}"):
        definition = str(pipe["definition"])
        if _plain(table.select) not in _plain(definition):
            step = "find out who made it anew and why; its rows have other columns: docs/when-snowflake-changes.md"
            yield Difference(path="select", expected=table.select, found=definition, next_step=step)


def pipe_beside(subject: Subject) -> Iterator[Difference]:
    """Finds a pipe of the table's name that is not specified. A channel is opened on a pipe, and the default one is named after
    its table: a pipe of the same name is taken for it by who may operate it. An interactive table AS SELECT brings its own.
    """
    table, pipes = subject.wanted, [each.name for each in subject.blueprint.landing.pipes]
    if table.name in pipes or (isinstance(table, InteractiveTable) and table.select):
        return
    *container, own = table.name.parts
    for each in subject.rows(
        f"SHOW PIPES LIKE {like_pattern(own.name)} IN SCHEMA {QualifiedName(tuple(container)).sql}"
    ):
        if each["name"] == own.name:
            found = f"of {each.get('owner') or 'an owner who is not shown'}: {each['definition']}"
            yield Difference.unwanted(f"pipe {own.name}", found, f"DROP PIPE {table.name.sql}")


def policies_of_table(subject: Subject) -> Iterator[Difference]:
    """Finds policies that hide rows or columns from whoever counts them, or that archive or delete rows. Snowflake tells in a
    warehouse alone (docs.snowflake.com, `sql-reference/functions/policy_references`, 2026-11-28); without one nothing is asked.
    """
    table, warehouse = subject.wanted, subject.environment.snowflake.warehouse
    if not warehouse:
        return
    subject.rows(f"USE WAREHOUSE {Identifier.parse(warehouse).sql}")
    about = f"REF_ENTITY_NAME => {literal(table.name.sql)}, REF_ENTITY_DOMAIN => 'TABLE'"
    for row in subject.rows(f"SELECT * FROM TABLE(SNOWFLAKE.INFORMATION_SCHEMA.POLICY_REFERENCES({about}))"):
        kind = str(row["policy_kind"]).replace("_", " ").lower()
        column = f" of column {row['ref_column_name']}" if row.get("ref_column_name") else ""
        name = ".".join(str(row[each]) for each in ("policy_db", "policy_schema", "policy_name") if row.get(each))
        step = f"ALTER TABLE {table.name.sql} … (Snowflake's page on {kind} says how it is taken off)"
        found = f"{name}: rows or values may be hidden from the audit, or removed"
        yield Difference.unwanted(f"{kind}{column}", found, step)


def _plain(sql: str) -> str:
    return "".join(sql.split()).upper().rstrip(";")


def refreshes(subject: Subject) -> Iterator[Difference]:
    """Finds one that was suspended, also by Snowflake after five refreshes that failed, or that is read whole each time."""
    table = subject.wanted
    *container, own = table.name.parts
    inside = QualifiedName(tuple(container)).sql
    for row in subject.rows(f"SHOW DYNAMIC TABLES LIKE {like_pattern(own.name)} IN SCHEMA {inside}"):
        if row["name"] != own.name:
            continue
        state, mode = row.get("scheduling_state"), str(row.get("refresh_mode"))
        if state is None:
            raise subject.out_of_sight("the scheduling state")
        if state not in REFRESHED:
            step = (
                "find out who did it, or which refresh failed (INFORMATION_SCHEMA.DYNAMIC_TABLE_REFRESH_HISTORY); "
                f"then ALTER DYNAMIC TABLE {table.name.sql} RESUME"
            )
            yield Difference(path="schedulingState", expected=ACTIVE, found=str(state), next_step=step)
        if mode != table.refresh_mode:
            step = "find out who made it anew and why; each refresh reads the whole table. `firnline up` makes it again"
            yield Difference(path="refreshMode", expected=table.refresh_mode, found=mode, next_step=step)
