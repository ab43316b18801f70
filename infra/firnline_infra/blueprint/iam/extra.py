"""The statements that a specification adds to the engine's policy, with what they may never reach.

The boundary that the bootstrap renders holds the same ones. The deployer can't write it: a statement of a pull request does
nothing until an administrator has applied the bootstrap again.
"""

from collections.abc import Iterable, Iterator

from firnline_infra.blueprint.iam.statement import Effect, PolicyStatement
from firnline_infra.blueprint.value import Value
from firnline_infra.environment import Environment
from firnline_infra.specification.statements import Allowance, ExtraStatement

NEVER_STATES_KEY = "NeverStatesKey"  # the names of what is added begin with Extra
VERBS = {Allowance.ALLOW: "allows", Allowance.DENY: "denies"}


def extra_statements(environment: Environment) -> tuple[PolicyStatement, ...]:
    """The statements in the specification's order."""
    return (*(_statement(each) for each in environment.aws.runtime.statements), *_never(environment))


def extra_bounds(environment: Environment) -> tuple[PolicyStatement, ...]:
    """Returns the boundary's part of it: what is taken from the engine is not taken from the roles of volumes, which it
    bounds too.
    """
    allowed = (each for each in environment.aws.runtime.statements if each.effect is Allowance.ALLOW)
    return (*map(_statement, allowed), *_never(environment))


def extra_lines(statements: Iterable[ExtraStatement]) -> tuple[str, ...]:
    """A line for each, for whoever reviews."""
    return tuple(
        f"Extra{each.sid} {VERBS[each.effect]} the engine {', '.join(each.actions)} on {', '.join(each.resources)}"
        f"{' under conditions' if each.conditions else ''}: {each.why.strip()}"
        for each in statements
    )


def _statement(extra: ExtraStatement) -> PolicyStatement:
    return PolicyStatement(
        sid=f"Extra{extra.sid}",
        effect=Effect.ALLOW if extra.effect is Allowance.ALLOW else Effect.DENY,
        actions=tuple(extra.actions),
        resources=tuple(extra.resources),
        conditions={
            operator: {key: _values(value) for key, value in keys.items()}
            for operator, keys in extra.conditions.items()
        },
    )


def _values(value: str | list[str]) -> Value | tuple[Value, ...]:
    return tuple(value) if isinstance(value, list) else value


def _never(environment: Environment) -> Iterator[PolicyStatement]:
    """AWS makes up a key's id, so nobody can see from an ARN that it is the key of Pulumi's state; its alias tells."""
    if not any(action.startswith("kms:") for each in environment.aws.runtime.statements for action in each.actions):
        return
    alias = f"alias/{environment.bootstrap.state_key_alias}"
    yield PolicyStatement(
        sid=NEVER_STATES_KEY,
        effect=Effect.DENY,
        actions=("kms:*",),
        resources=(environment.arns.key("*"),),
        conditions={"ForAnyValue:StringEquals": {"kms:ResourceAliases": alias}},
    )
