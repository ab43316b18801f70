"""Checks that what is adopted in Snowflake is there, as it is said to be, and that its owners have granted what is needed.

Asked before an `up`, for the role that deploys, so that all of it can be handed to the owners at once.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.grants import RequiredGrant, Securable
from firnline_infra.observe.grants import grants_with_inherited
from firnline_infra.observe.lookup import listed
from firnline_infra.observe.readback import table_findings
from firnline_infra.specification.identifier import QualifiedName
from firnline_ingest.checks import Finding
from firnline_ingest.permissions.snowflake import OWNERSHIP
from firnline_ingest.snowflake.grants import ListedGrant

Held = frozenset[ListedGrant]


def check_adopted(blueprint: Blueprint, session: Any) -> Iterator[Finding]:
    """Yields what is in the way of using it; the repair of a finding is a statement for the owner. Raises SnowflakeRefused."""
    role = blueprint.names.deploy_role
    held = grants_with_inherited(session, role) if blueprint.required_grants else frozenset()
    if held is None:
        step = "run what `firnline bootstrap` writes"
        yield Finding(name=f"role {role}", found=f"is not there, or can't be seen: {step}")
        return
    previewer = blueprint.names.preview_role
    if listed(session, "ROLE", QualifiedName((previewer,))) is None:
        yield Finding(name=f"role {previewer}", found="is not there: run what `firnline bootstrap` writes, again")
    for grant in blueprint.required_grants:
        if lacking := _lacking(grant, held):
            is_there = "" if listed(session, grant.on.value, grant.name) else "; is it there? It sees nothing of it"
            found = f"{role} lacks {', '.join(lacking)}{is_there}"
            yield Finding(name=f"{grant.on.value.lower()} {grant.name}", found=found, repair=grant.statement(role))
    yield from _managed(blueprint, session, held)
    for table in blueprint.landing.adopted_tables:
        for finding in table_findings(table, session, is_made=False):
            yield finding if finding.repair.startswith("ALTER ") else replace(finding, repair="")


def _lacking(grant: RequiredGrant, held: Held) -> list[str]:
    on = [each for each in held if each.is_on(*_object(grant.on, grant.name))]
    if any(each.privilege == OWNERSHIP for each in on):
        return []
    has = {each.privilege for each in on if each.is_grantable or not grant.handed_on}
    wanted = " WITH GRANT OPTION" if grant.handed_on else ""
    return [f"{each}{wanted}" for each in grant.privileges if each not in has]


def _managed(blueprint: Blueprint, session: Any, held: Held) -> Iterator[Finding]:
    """Finds adopted schemas with managed access: only the schema's owner grants there, whoever owns the table."""
    for grant in blueprint.required_grants:
        if grant.on is not Securable.SCHEMA or not grant.handed_on:
            continue
        row = listed(session, "SCHEMA", grant.name)
        owned = any(each.privilege == OWNERSHIP and each.is_on(*_object(grant.on, grant.name)) for each in held)
        if row is not None and "MANAGED ACCESS" in str(row.get("options") or "") and not owned:
            found = (
                f"has managed access: only its owner {row['owner']} may grant there, so the roles of this environment could get "
                "no privileges on tables; adopt another schema, or have one of your own made"
            )
            yield Finding(name=f"schema {grant.name}", found=found)


def _object(on: Securable, name: QualifiedName) -> tuple[str, tuple[str, ...]]:
    return on.value, tuple(part.name for part in name.parts)
