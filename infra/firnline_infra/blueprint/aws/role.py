"""An IAM role with one inline policy."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from firnline_infra.blueprint.iam import PolicyStatement


@dataclass(frozen=True, kw_only=True)
class Role:
    policy_name: ClassVar[str] = "firnline"

    name: str
    trust: tuple[PolicyStatement, ...]
    statements: tuple[PolicyStatement, ...]
    description: str = ""
    permissions_boundary: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
