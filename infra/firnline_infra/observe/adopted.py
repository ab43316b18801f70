"""Checks that what is adopted in Snowflake is there, as it is said to be, and that its owners have granted what is needed.

Asked before an `up`, for the role that deploys, so that all of it can be handed to the owners at once.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.grants import RequiredGrant, Securable
from firnline_infra.observe.grants import grants_with_inherited
from firnline_infra.observe.lookup import listed
from firnline_infra.observe.readback import table_findings
from firnline_infra.specification.identifier import QualifiedName
from firnline_ingest.permissions.snowflake import OWNERSHIP
from firnline_ingest.snowflake.grants import ListedGrant

Held = frozenset[ListedGrant]


@dataclass(frozen=True)
class Unusable:
    """What is in the way of using what is adopted, and the statements by which its owners change that."""

    problems: tuple[str, ...] = ()
    statements: tuple[str, ...] = ()


def check_adopted(blueprint: Blueprint, session: Any) -> Unusable:
    """Without problems where all is well."""
    role = blueprint.names.deploy_role
    held = grants_with_inherited(session, role) if blueprint.required_grants else frozenset()
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


def _lacking(grant: RequiredGrant, held: Held) -> list[str]:
    on = [each for each in held if each.is_on(*_object(grant.on, grant.name))]
    if any(each.privilege == OWNERSHIP for each in on):
        return []
    has = {each.privilege for each in on if each.is_grantable or not grant.handed_on}
    wanted = " WITH GRANT OPTION" if grant.handed_on else ""
    return [f"{each}{wanted}" for each in grant.privileges if each not in has]


def _managed(blueprint: Blueprint, session: Any, held: Held) -> Iterator[str]:
    """In a schema with managed access only its owner grants, whoever owns the table."""
    for grant in blueprint.required_grants:
        if grant.on is not Securable.SCHEMA or not grant.handed_on:
            continue
        row = listed(session, "SCHEMA", grant.name)
        owned = any(each.privilege == OWNERSHIP and each.is_on(*_object(grant.on, grant.name)) for each in held)
        if row is not None and "MANAGED ACCESS" in str(row.get("options") or "") and not owned:
            yield (
                f"schema {grant.name} has managed access: only its owner {row['owner']} may grant there, so the roles of this "
                f"environment could get no privileges on tables; adopt another schema, or have one of your own made"
            )


def _object(on: Securable, name: QualifiedName) -> tuple[str, tuple[str, ...]]:
    return on.value, tuple(part.name for part in name.parts)
