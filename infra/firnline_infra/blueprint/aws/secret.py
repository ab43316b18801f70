"""A Secrets Manager secret without a value: `firnline keys` puts the private key there, past every state and plan."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from firnline_infra.blueprint.value import Value
from firnline_infra.spec.model import Durability


@dataclass(frozen=True, kw_only=True)
class Secret:
    kind: ClassVar[str] = "secret"

    name: str
    description: str = ""
    existing_arn: str | None = None
    """Of the secret that `firnline keys create` made before the first `up`: it is taken over, not made."""
    key_arn: Value | None = None
    recovery_days: int = 30
    """How long a deleted secret can be had back."""
    durability: Durability = Durability.PROTECTED
    tags: Mapping[str, str] = field(default_factory=dict)
