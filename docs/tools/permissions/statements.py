"""The part of docs/permissions.md about the AWS side of a bootstrap: the deployer, preview, key administrator, replay, and
the boundary.
"""

from collections.abc import Callable, Iterator, Mapping

from docs.tools.permissions import about
from docs.tools.permissions.example import BLUEPRINTS, together
from docs.tools.permissions.markdown import reasoned, spans, table, where
from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.blueprint.iam.statement import PolicyStatement
from firnline_infra.render.bootstrap.boundary import VOLUME_ACTIONS, boundary_statements
from firnline_infra.render.bootstrap.ci_provider import GitHub
from firnline_infra.render.bootstrap.dead_letter_replayer import dead_letter_replayer_statements
from firnline_infra.render.bootstrap.deployer import deployer_statements, previewer_statements
from firnline_infra.render.bootstrap.key_keeper import key_keeper_statements
from firnline_infra.render.bootstrap.template import Template, template
from firnline_ingest.permissions import PERMISSIONS

Policy = Callable[[Blueprint], tuple[PolicyStatement, ...]]


def roles() -> str:
    """Returns the roles of CI: who may be them."""
    made = template(BLUEPRINTS[0], provider=GitHub(repository="OWNER/NAME"))["Resources"]
    return table(("role", "trust policy"), map(_trusting, (made["DeployRole"], made["PreviewRole"])))


def deployer() -> str:
    return _sections(deployer_statements, about.DEPLOYER)


def previewer() -> str:
    rows = ((each.sid, spans(each.actions)) for each in _all(previewer_statements))
    return table(("statement", "of its actions only"), rows)


def boundary() -> str:
    return table(("statement", "on", "actions", "for"), map(_bounded, _all(boundary_statements)))


def keepers() -> str:
    return _sections(key_keeper_statements, about.KEY_KEEPER)


def replayers() -> str:
    return _sections(dead_letter_replayer_statements, about.LETTER_REPLAYER)


def _all(policy: Policy) -> tuple[PolicyStatement, ...]:
    return together(policy(blueprint) for blueprint in BLUEPRINTS)


def _sections(policy: Policy, what: Mapping[str, str]) -> str:
    return "\n\n".join(
        f"#### {each.sid}\n\n{what[each.sid]}\n{where(each)}\n\n{reasoned(each)}" for each in _all(policy)
    )


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
