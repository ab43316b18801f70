"""Checks that what is adopted in Snowflake is there, as it is said to be, and that its owners have granted what is needed.

Asked before an `up`, for the role that deploys, so that all of it can be handed to the owners at once.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from firnline_infra.accounts.accounts import rows_if_there
from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.grants import RequiredGrant, Securable
from firnline_infra.deploy.lookup import listed
from firnline_infra.deploy.readback import table_findings
from firnline_infra.specification.identifier import Identifier, QualifiedName
from firnline_ingest.identifiers import InvalidIdentifier

Held = frozenset[tuple[str, tuple[str, ...], str]]
"""What a role may: the kind of the object, its name, the privilege, or PRIVILEGE! where it may be granted on."""
SAME_KIND = {"ICEBERG TABLE": "TABLE", "INTERACTIVE TABLE": "TABLE", "VOLUME": "EXTERNAL VOLUME"}
PART = re.compile(r'"(?:[^"]|"")*"|[^.]+')


@dataclass(frozen=True)
class Unusable:
    """What is in the way of using what is adopted, and the statements by which its owners change that."""

    problems: tuple[str, ...] = ()
    statements: tuple[str, ...] = ()


def check_adopted(blueprint: Blueprint, session: Any) -> Unusable:
    """Without problems where all is well."""
    role = blueprint.names.deploy_role
    held = held_by(session, role) if blueprint.required_grants else frozenset()
    if held is None:
        return Unusable((f"role {role} is not there, or can't be seen: run what `firnline bootstrap` writes",))
    problems, statements = list[str](), list[str]()
    if listed(session, "ROLE", QualifiedName((blueprint.names.preview_role,))) is None:
        problems.append(
            f"role {blueprint.names.preview_role} is not there: run what `firnline bootstrap` writes, again"
        )
    for grant in blueprint.required_grants:
        if lacking := _lacking(grant, held):
            is_there = "" if listed(session, grant.on.value, grant.name) else "; is it there? It sees nothing of it"
            problems.append(f"{grant.on.value.lower()} {grant.name}: {role} lacks {', '.join(lacking)}{is_there}")
            statements.append(grant.statement(role))
    problems += _managed(blueprint, session, held)
    for table in blueprint.landing.adopted_tables:
        for finding in table_findings(table, session):
            problems.append(str(finding))
            statements += [finding.repair] if finding.repair.startswith("ALTER ") else []
    return Unusable(tuple(problems), tuple(statements))


def held_by(session: Any, role: Identifier) -> Held | None:
    """What the role may, by itself or through roles that it holds; None where there is no such role."""
    held: set[tuple[str, tuple[str, ...], str]] = set()
    visited, waiting = set[Identifier](), [role]
    while waiting:
        current = waiting.pop()
        if current in visited:
            continue
        visited.add(current)
        rows = rows_if_there(session, f"SHOW GRANTS TO ROLE {current.sql}")
        if rows is None and current == role:
            return None
        for row in rows or ():
            kind, name = str(row["granted_on"]).replace("_", " "), _parts(str(row["name"]))
            if kind == "ROLE" and row["privilege"] == "USAGE":
                waiting.append(Identifier(name[-1]))
            held.add((SAME_KIND.get(kind, kind), name, str(row["privilege"])))
            if str(row["grant_option"]).lower() == "true":
                held.add((SAME_KIND.get(kind, kind), name, f"{row['privilege']}!"))
    return frozenset(held)


def _lacking(grant: RequiredGrant, held: Held) -> list[str]:
    kind, name = _object(grant.on, grant.name)
    if (kind, name, "OWNERSHIP") in held:
        return []
    mark = "!" if grant.handed_on else ""
    wanted = " WITH GRANT OPTION" if grant.handed_on else ""
    return [f"{each}{wanted}" for each in grant.privileges if (kind, name, f"{each}{mark}") not in held]


def _managed(blueprint: Blueprint, session: Any, held: Held) -> Iterator[str]:
    """In a schema with managed access only its owner grants, whoever owns the table."""
    for grant in blueprint.required_grants:
        if grant.on is not Securable.SCHEMA or not grant.handed_on:
            continue
        row = listed(session, "SCHEMA", grant.name)
        owned = (*_object(grant.on, grant.name), "OWNERSHIP") in held
        if row is not None and "MANAGED ACCESS" in str(row.get("options") or "") and not owned:
            yield (
                f"schema {grant.name} has managed access: only its owner {row['owner']} may grant there, so the roles of this "
                f"environment could get no privileges on tables; adopt another schema, or have one of your own made"
            )


def _object(on: Securable, name: QualifiedName) -> tuple[str, tuple[str, ...]]:
    return SAME_KIND.get(on.value, on.value), tuple(part.name for part in name.parts)


def _parts(name: str) -> tuple[str, ...]:
    """As SHOW GRANTS writes a name: LAKE."my schema".ORDERS"""
    return tuple(_stored(part) for part in PART.findall(name))


def _stored(written: str) -> str:
    """Without quotes it is shown as it is stored."""
    try:
        return Identifier.parse(written).name if written.startswith('"') else written
    except InvalidIdentifier:
        return written
