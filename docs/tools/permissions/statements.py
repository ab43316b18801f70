"""The part of docs/permissions.md about the AWS side of a bootstrap: who deploys, previews, keeps the keys, replays letters, and
the boundary.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import itemgetter

from docs.tools.permissions import about, reasons
from docs.tools.permissions.example import BLUEPRINTS, together
from docs.tools.permissions.markdown import reasoned, spans, table, where
from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.blueprint.iam.statement import PolicyStatement
from firnline_infra.render.bootstrap.boundary import VOLUME_ACTIONS, boundary_statements
from firnline_infra.render.bootstrap.ci_provider import GitHub
from firnline_infra.render.bootstrap.dead_letter_replayer import dead_letter_replayer_statements
from firnline_infra.render.bootstrap.deployer import deployer_statements, previewer_statements
from firnline_infra.render.bootstrap.key_keeper import key_keeper_statements
from firnline_infra.render.bootstrap.reasons import REASONS, Reasons
from firnline_infra.render.bootstrap.resources import resources
from firnline_infra.render.bootstrap.template import Template, template
from firnline_infra.specification.model import EnvironmentSpec
from firnline_ingest.permissions import PERMISSIONS

Policy = Callable[[EnvironmentSpec, Blueprint], tuple[PolicyStatement, ...]]


def roles() -> str:
    """Of CI: who may be them."""
    spec, blueprint = BLUEPRINTS[0]
    made = template(spec, blueprint, provider=GitHub(repository="OWNER/NAME"))["Resources"]
    return table(("role", "who may be it"), map(_trusting, (made["DeployRole"], made["PreviewRole"])))


def deployer() -> str:
    return "\n\n".join(
        _section(each, about.DEPLOYER[each.sid], reasons_of(each, BLUEPRINTS)) for each in _all(deployer_statements)
    )


def previewer() -> str:
    rows = ((each.sid, spans(each.actions)) for each in _all(previewer_statements))
    return table(("statement", "of its actions only"), rows)


def boundary() -> str:
    return table(("statement", "on", "actions", "for"), map(_bounded, _all(boundary_statements)))


def keepers() -> str:
    return "\n\n".join(
        _section(each, about.KEY_KEEPER[each.sid], reasons.KEY_KEEPER[each.sid]) for each in _all(key_keeper_statements)
    )


def replayers() -> str:
    return "\n\n".join(
        _section(each, about.LETTER_REPLAYER[each.sid], reasons.LETTER_REPLAYER[each.sid])
        for each in _all(dead_letter_replayer_statements)
    )


def reasons_of(statement: PolicyStatement, environments: Iterable[tuple[EnvironmentSpec, Blueprint]]) -> dict[str, str]:
    """Of each of its actions, and of others: its own, else those of what it is about, else of what asks for them at all."""
    if statement.sid in reasons.DEPLOYER:
        return _by_action([reasons.DEPLOYER[statement.sid]])
    kinds = [
        (kind, bool(set(arns) & set(statement.resources)))
        for spec, blueprint in environments
        for kind, arns in resources(spec, blueprint).items()
    ]
    return _by_action(REASONS[kind] for kind, is_about_it in sorted(kinds, key=itemgetter(1)))


def _all(policy: Policy) -> tuple[PolicyStatement, ...]:
    return together(policy(spec, blueprint) for spec, blueprint in BLUEPRINTS)


def _by_action(given: Iterable[Reasons]) -> dict[str, str]:
    """Of two reasons for an action the last: a bucket's setting says more than the bucket that has it."""
    return {action: why for each in given for why, actions in each.items() for action in actions}


def _section(statement: PolicyStatement, what: str, why: Mapping[str, str]) -> str:
    return f"#### {statement.sid}\n\n{what}\n{where(statement)}\n\n{reasoned(statement, why)}"


def _trusting(role: Template) -> tuple[str, ...]:
    (statement,) = role["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    conditions = statement["Condition"]["StringEquals"]
    return f"`{role['Properties']['RoleName']}`", " and ".join(
        f"`{key}` is {' or '.join(f'`{each}`' for each in ([value] if isinstance(value, str) else value))}"
        for key, value in conditions.items()
    )


def _bounded(statement: PolicyStatement) -> tuple[str, ...]:
    return statement.sid, spans(statement.resources), spans(statement.actions), " and ".join(_who(statement))


def _who(statement: PolicyStatement) -> Iterator[str]:
    if set(statement.actions) & {permission.action for permission in PERMISSIONS}:
        yield "the engine"
    if set(statement.actions) & set(VOLUME_ACTIONS):
        yield "Snowflake, for external volumes"
