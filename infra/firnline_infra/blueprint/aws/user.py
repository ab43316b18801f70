"""An IAM user with one policy, for an engine outside AWS. Its access keys are made where no state sees them.

The policy is a managed one: those inside of a user are too short for an engine with a key of the customer's.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from firnline_infra.blueprint.iam import PolicyStatement


@dataclass(frozen=True, kw_only=True)
class User:
    policy_path: ClassVar[str] = "/firnline/"
    """Of nobody else's policies: whoever may write this one must not come near another, and AWS has no condition for that."""
    takes_keys_along: ClassVar[bool] = True
    """Its access keys are made elsewhere; with one left, AWS refuses to delete a user."""

    name: str
    """The policy's too."""
    statements: tuple[PolicyStatement, ...]
    description: str = ""
    """Of the policy: a user has none."""
    permissions_boundary: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
