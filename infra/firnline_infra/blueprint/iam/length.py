"""How long a policy gets, which IAM limits (IAM user guide, "IAM and AWS STS quotas"): white space does not count.

A role has one inline policy here, a user and a boundary one managed policy.
"""

import json
from collections.abc import Mapping

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
    """At most what it will be."""
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
