"""Compares an environment with its specification: every look, whatever became of the others.

Nothing is written, in no account and in no state. A look that fails is something that could not be seen, never an absence
of differences.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from typing import Any

from firnline_infra.accounts import check_aws, check_snowflake
from firnline_infra.accounts.accounts import rows
from firnline_infra.blueprint import Blueprint, blueprint_of
from firnline_infra.blueprint.previewing import out_of_sight
from firnline_infra.deploy.deployment import Deployment
from firnline_infra.deploy.errors import NotDeployed
from firnline_infra.deploy.existing import StackResources
from firnline_infra.deploy.owners import check_owners
from firnline_infra.drift import aws_principals, aws_resources, engine, snowflake_grants, snowflake_users, tables
from firnline_infra.drift.errors import OutOfSight
from firnline_infra.drift.finding import Finding, Unseen
from firnline_infra.drift.ignore import IgnoreList
from firnline_infra.drift.report import Report
from firnline_infra.drift.scene import Look, Scene
from firnline_infra.drift.stack import State, stack_findings
from firnline_ingest.errors import FirnlineError

PARTS = (tables, snowflake_users, snowflake_grants, aws_principals, aws_resources, engine)
EXECUTE = "snowflake:index/execute:Execute"
VERIFIES = "SYSTEM$VERIFY_EXTERNAL_VOLUME"
Plan = Callable[[tuple[str, ...]], Mapping[str, Any]]
"""What `up` would do after a refresh, in Pulumi's own form; without the resources of these URNs."""


def look_for_drift(
    deployment: Deployment, ignoring: IgnoreList, *, verify_volumes: bool = False, plan: Plan | None = None
) -> Report:
    """`verify_volumes` has each external volume verified, for which Snowflake writes a file there and removes it.

    Raises NotDeployed, and that these are other accounts or that one can't be reached; what can't be seen later is in
    the report.
    """
    spec, accounts, blueprint = deployment.spec, deployment.accounts, blueprint_of(deployment.spec)
    check_aws(spec, accounts)
    state = deployment.stack.state() or {}
    if not StackResources.of(state).resources:
        raise NotDeployed(deployment.stack.name, deployment.stack.backend, environment=deployment.env_argument)
    left_out = () if verify_volumes else tuple(_verifications(state))
    with closing(accounts.snowflake()) as session:
        check_snowflake(spec, session)
        check_owners(session, state)
        outputs, hidden = _outputs(state), _hidden(blueprint, session)
        scene = Scene(spec=spec, blueprint=blueprint, accounts=accounts, session=session, outputs=outputs)
        first = Look(what="the stack", run=lambda: _stack(deployment, state, plan or deployment.plan, left_out, hidden))
        found, unseen = seen(first, *(look for part in PARTS for look in part.looks(scene)))
    return Report.of(spec.name, found, unseen, ignoring=ignoring, notes=_notes(blueprint, left_out))


def seen(*looks: Look) -> tuple[list[Finding], list[Unseen]]:
    """What all looks bring. The stack's comes first: what it misses, the others need not see."""
    found: list[Finding] = []
    unseen: list[Unseen] = []
    for look in looks:
        try:
            found += look.run()
        except OutOfSight as error:
            if (error.object, "exists") not in {finding.key for finding in found}:
                unseen.append(Unseen(what=look.what, why=error.what, next_step=error.next_step))
        except FirnlineError as error:
            unseen.append(Unseen(what=look.what, why=error.what, next_step=error.next_step))
    return found, unseen


def _stack(
    deployment: Deployment, state: Mapping[str, Any], plan: Plan, left_out: tuple[str, ...], hidden: OutOfSight | None
) -> Iterable[Finding]:
    next_step = f"firnline up {deployment.env_argument}"
    if hidden is not None:
        raise hidden
    return stack_findings(plan(left_out), State.of(state), next_step=next_step)


def _hidden(blueprint: Blueprint, session: Any) -> OutOfSight | None:
    """Of the first that the role of previews can't see."""
    role = rows(session, "SELECT CURRENT_ROLE() AS ROLE")[0]["role"]
    if role != blueprint.names.preview_role.name:
        return None
    return next((OutOfSight(kind, name) for name, kind in out_of_sight(blueprint.landing).items()), None)


def _verifications(state: Mapping[str, Any]) -> Iterator[str]:
    """The URNs of the statements that verify volumes: reading one back verifies it again."""
    for resource in state["deployment"].get("resources") or ():
        if resource["type"] == EXECUTE and VERIFIES in str((resource.get("inputs") or {}).get("query", "")):
            yield resource["urn"]


def _outputs(state: Mapping[str, Any]) -> dict[str, Any]:
    stack = (each for each in state["deployment"].get("resources") or () if each["type"] == "pulumi:pulumi:Stack")
    return dict((next(stack, None) or {}).get("outputs") or {})


def _notes(blueprint: Blueprint, left_out: tuple[str, ...]) -> Iterator[str]:
    if left_out:
        yield (
            f"{len(left_out)} external volume{'s' if len(left_out) > 1 else ''} not verified: Snowflake would write a file "
            "there. --verify-volumes does."
        )
    warehouse = next((each.default_warehouse for each in blueprint.landing.users if each.default_warehouse), None)
    if warehouse is not None and _asks_for_policies(blueprint):
        yield f"warehouse {warehouse} was used: Snowflake tells in one which policies users and Iceberg tables have."


def _asks_for_policies(blueprint: Blueprint) -> bool:
    landing = blueprint.landing
    return landing.authentication_policy is not None or any(type(each).__name__ != "Table" for each in landing.tables)
