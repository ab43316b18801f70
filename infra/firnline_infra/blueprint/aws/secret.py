"""A Secrets Manager secret without a value: `firnline keys` puts the private key there, past every state and plan."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from firnline_infra.blueprint.value import Value
from firnline_infra.specification.model import Durability


@dataclass(frozen=True, kw_only=True)
class Secret:
    name: str
    description: str = ""
    existing_arn: str | None = None
    """Of the secret that `firnline keys create` made before the first `up`: it is taken over, not made."""
    key_arn: Value | None = None
    recovery_days: int = 30
    """How long a deleted secret can be had back; 0 deletes it at once, so that its name is free again."""
    durability: Durability = Durability.PROTECTED
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def stays(self) -> bool:
        """Left alone when it is removed from the stack. No API tells the window of a secret that was taken over, and what
        is not known counts as 0 to the provider: where a window is wanted, it must not delete that one at all.
        """
        return self.existing_arn is not None and self.recovery_days > 0
