"""Compares an environment with its specification: every check, whatever became of the others.

Nothing is written, in no account and in no state. A check that fails is something that could not be seen, never an absence
of differences.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from firnline_infra.accounts import check_aws, checked_session
from firnline_infra.accounts.accounts import current_role
from firnline_infra.blueprint import Blueprint, blueprint_of
from firnline_infra.drift import engine, incarnations, objects, redshift, tables
from firnline_infra.drift.context import DriftContext
from firnline_infra.drift.errors import OutOfSight
from firnline_infra.drift.ignore import IgnoreList
from firnline_infra.drift.stack import State, stack_findings
from firnline_infra.kinds.keys_and_secrets import ARN
from firnline_infra.kinds.snowflake_users import TYPE
from firnline_infra.observe.existing import StackResources
from firnline_infra.observe.ownership import check_ownership
from firnline_infra.observe.readback import EXISTS
from firnline_infra.observe.sight import ICEBERG, HiddenObject, hidden_objects, resources_behind
from firnline_infra.stack.deployment import Deployment
from firnline_ingest.checks import Check, Finding, Report, Rule, Suite, Verdict, findings_of

PARTS = (tables, objects, redshift, engine, incarnations)
RULES = {
    "stack": Rule("A resource is not as the program says."),
    "table": Rule("A property of a table differs from the specification."),
    "user": Rule("A property of a user or policy differs from the specification."),
    "right": Rule("Somebody has a right that the specification does not give.", is_security=True),
    "view": Rule("A view of Redshift differs from the specification."),
    "engine": Rule("The running engine is not the specified one."),
}
DRIFT = Suite(name="drift", rules=RULES, first=Verdict.UNKNOWN, lists_good=False)
"""What could not be seen may be a difference, so it decides the exit status."""
EXECUTE = "snowflake:index/execute:Execute"
VERIFIES = "SYSTEM$VERIFY_EXTERNAL_VOLUME"
Further = Callable[[DriftContext], tuple[Iterable[Check], Iterable[str]]]
Plan = Callable[[tuple[str, ...]], Mapping[str, Any]]
"""What `up` would do after a refresh, in Pulumi's own form; without the resources of these URNs."""


def find_drift(
    deployment: Deployment,
    ignoring: IgnoreList,
    *,
    verify_volumes: bool = False,
    further: Further | None = None,
    plan: Plan | None = None,
) -> Report:
    """`verify_volumes` has each external volume verified, for which Snowflake writes a file there and removes it;
    `further` yields the checks of what is asked for besides, and a note.

    Raises NotDeployed, and that these are other accounts or that one can't be reached; what can't be seen later is in
    the report.
    """
    spec, accounts, blueprint = deployment.spec, deployment.accounts, blueprint_of(deployment.spec)
    check_aws(spec, accounts)
    state = deployment.stack.state() or {}
    if not StackResources.of(state).resources:
        raise deployment.not_deployed()
    omitted = () if verify_volumes else tuple(_verifications(state))
    with checked_session(spec, accounts) as session:
        check_ownership(session, state)
        hidden, outputs, role = (
            list(hidden_objects(blueprint, session, state)),
            _outputs(deployment, state),
            current_role(session),
        )
        context = DriftContext(blueprint=blueprint, accounts=accounts, session=session, outputs=outputs, state=state)
        without = (*omitted, *resources_behind(hidden, state))
        stack = partial(_stack, deployment, state, plan or deployment.plan, without)
        more, note = further(context) if further else ((), ())
        checks = [*(check for part in PARTS for check in part.checks(context)), *more]
        stack_check = Check(rule="stack", name="the stack", run=stack)
        unseen = [each for each in hidden if not each.is_described]
        found = [each.finding(role) for each in unseen]
        found += observed(stack_check, *checks, hidden={each.display_name for each in unseen})
    return drift_report(spec.name, found, ignoring=ignoring, notes=[*_notes(blueprint, omitted, hidden), *note])


def observed(*checks: Check, hidden: Collection[str] = ()) -> Iterator[Finding]:
    """Yields the findings of all checks.

    The stack's comparison comes first: an object that it misses, Snowflake need not show. What is `hidden` is never
    gone.
    """
    missing = set(hidden)
    for check in checks:
        for finding in findings_of(replace(check, run=partial(_unless_missing, check, missing))):
            if finding.path == EXISTS and finding.object in hidden:
                continue
            if finding.path == EXISTS:
                missing.add(finding.object)
            yield finding


def _unless_missing(check: Check, missing: set[str]) -> Iterator[Finding]:
    try:
        yield from check.run()
    except OutOfSight as error:
        if error.object not in missing:
            raise


def drift_report(
    environment: str, found: Iterable[Finding], *, ignoring: IgnoreList, notes: Iterable[str] = ()
) -> Report:
    """Two checks may see the same property: the first one counts."""
    by_key: dict[tuple[str, str], Finding] = {}
    for finding in found:
        by_key.setdefault(finding.key, finding)
    for name in [name for name, path in by_key if path in (TYPE, ARN)]:
        by_key.pop((name, EXISTS), None)  # it is there, as something else
    kept, ignored = ignoring.applied(sorted(by_key.values(), key=lambda each: (each.verdict is Verdict.UNKNOWN, each)))
    is_unseen = any(each.verdict is Verdict.UNKNOWN for each in kept)
    idle = () if is_unseen else ignoring.idle(ignored)  # what could not be seen may be what an entry is for
    return Report(suite=DRIFT, environment=environment, findings=kept, ignored=ignored, notes=(*notes, *idle))


def _stack(deployment: Deployment, state: Mapping[str, Any], plan: Plan, without: tuple[str, ...]) -> Iterable[Finding]:
    next_step = f"firnline up {deployment.env_argument}"
    return stack_findings(plan(without), State.of(state), next_step=next_step)


def _verifications(state: Mapping[str, Any]) -> Iterator[str]:
    """The URNs of the statements that verify volumes: reading one back verifies it again."""
    for resource in state["deployment"].get("resources") or ():
        if resource["type"] == EXECUTE and VERIFIES in str((resource.get("inputs") or {}).get("query", "")):
            yield resource["urn"]


def _outputs(deployment: Deployment, state: Mapping[str, Any]) -> dict[str, Any]:
    """Pulumi's state has them; Terraform is asked."""
    resources = state["deployment"].get("resources") or ()
    stack = next((each for each in resources if each["type"] == "pulumi:pulumi:Stack"), None)
    return deployment.stack.outputs() if stack is None else dict(stack.get("outputs") or {})


def _notes(blueprint: Blueprint, omitted: tuple[str, ...], hidden: Iterable[HiddenObject]) -> Iterator[str]:
    for each in hidden:
        if each.is_described and each.word == ICEBERG:
            yield (
                f"volume, location and version of {each.display_name} not compared: Snowflake shows them to a role with SELECT "
                "on it. The role that deploys compares them."
            )
    if omitted:
        yield (
            f"{len(omitted)} external volume{'s' if len(omitted) > 1 else ''} not verified: Snowflake would write a file "
            "there. --verify-volumes does."
        )
    warehouse = next((each.default_warehouse for each in blueprint.landing.users if each.default_warehouse), None)
    if warehouse is not None and _asks_for_policies(blueprint):
        yield f"warehouse {warehouse} was used: Snowflake tells in one which policies users and Iceberg tables have."


def _asks_for_policies(blueprint: Blueprint) -> bool:
    landing = blueprint.landing
    return landing.authentication_policy is not None or any(type(each).__name__ != "Table" for each in landing.tables)
