"""An IAM user with one inline policy, for an engine outside AWS. Its access keys are made where no state sees them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from firnline_infra.blueprint.iam import PolicyStatement


@dataclass(frozen=True, kw_only=True)
class User:
    kind: ClassVar[str] = "user"
    policy_name: ClassVar[str] = "firnline"
    takes_keys_along: ClassVar[bool] = True
    """Its access keys are made elsewhere; with one left, AWS refuses to delete a user."""

    name: str
    statements: tuple[PolicyStatement, ...]
    permissions_boundary: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
