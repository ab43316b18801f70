"""Length of a policy, which IAM limits (IAM user guide, "IAM and AWS STS quotas"): white space does not count.

A role has one inline policy here, a user and a boundary one managed policy. A deployer's statements are split over several
managed policies.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace

from firnline_infra.blueprint.iam.statement import PolicyStatement, policy_document
from firnline_infra.blueprint.value import Value
from firnline_ingest.errors import ConfigError

MANAGED = 6_144
"""The longest managed policy."""
LIMITS: Mapping[str, int] = {"role": 10_240, "user": MANAGED, "boundary": MANAGED}
ADVICE: Mapping[str, str] = {
    "role": "Split the environment",
    "user": "Give it fewer streams, split the environment, or let it run with a role (aws.runtime.trust)",
    "boundary": "Split the environment, or name a boundary of your own (aws.permissions_boundary)",
}
UNKNOWN_ARN = 150
"""Characters that are set aside for an ARN that is not known yet: those of keys have 80, a secret's some 90 and its name's."""


def policy_length(statements: tuple[PolicyStatement, ...]) -> int:
    """The length that the policy has at most."""
    return len(json.dumps(policy_document(statements, _as_text), separators=(",", ":")))


def check_policy_length(statements: tuple[PolicyStatement, ...], *, kind: str, name: str, source: str) -> None:
    """`kind` is role, user or boundary. Raises ConfigError about `source`, the specification."""
    length, limit = policy_length(statements), LIMITS[kind]
    if length <= limit:
        return
    what = f"the policy of the {kind} {name} would have about {length} characters, and IAM takes {limit}"
    raise ConfigError(source, [f"{what} for a {kind}. {ADVICE[kind]}."])


def _as_text(value: Value) -> str:
    return value if isinstance(value, str) else "x" * UNKNOWN_ARN


MOST_RESOURCES = 40  # of one statement; a longer list becomes several statements


def split(statements: tuple[PolicyStatement, ...]) -> tuple[tuple[PolicyStatement, ...], ...]:
    """Splits the statements, in order, into as few policies as possible."""
    policies: list[list[PolicyStatement]] = [[]]
    for statement in (part for each in statements for part in _parts(each)):
        if policies[-1] and policy_length((*policies[-1], statement)) > MANAGED:
            policies.append([])
        policies[-1].append(statement)
    return tuple(tuple(policy) for policy in policies)


def _parts(statement: PolicyStatement) -> Iterator[PolicyStatement]:
    if len(statement.resources) <= MOST_RESOURCES:
        yield statement
        return
    for number, start in enumerate(range(0, len(statement.resources), MOST_RESOURCES)):
        some = statement.resources[start : start + MOST_RESOURCES]
        yield replace(statement, sid=f"{statement.sid}{number}", resources=some)
