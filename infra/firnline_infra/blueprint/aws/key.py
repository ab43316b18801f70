"""The KMS key that encrypts what an environment keeps."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.specification.model import Durability


@dataclass(frozen=True, kw_only=True)
class EncryptionKey:
    """Rotated every year."""

    is_rotated: ClassVar[bool] = True

    alias: str
    """Without the prefix alias/."""
    policy: tuple[PolicyStatement, ...]
    description: str = "Firnline: stream, ledger and bucket"
    deletion_window_days: int = 30
    """How long a key that was deleted can be had back; without it, everything that it encrypted is lost."""
    durability: Durability = Durability.PROTECTED
    tags: Mapping[str, str] = field(default_factory=dict)
