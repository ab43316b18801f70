"""The DynamoDB table of the ledger: one item per stream and shard (docs/design/ledger.md, section 3)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, Self

from firnline_infra.blueprint.value import Value
from firnline_infra.specification.model import Durability


@dataclass(frozen=True, kw_only=True)
class LedgerTable:
    """Billed per request: the engine writes a few items a shard and minute, in bursts."""

    hash_key: ClassVar[str] = "stream"
    range_key: ClassVar[str] = "shard"
    key_type: ClassVar[Literal["S"]] = "S"
    billing_mode: ClassVar[Literal["PAY_PER_REQUEST"]] = "PAY_PER_REQUEST"

    name: str
    key_arn: Value | None = None
    """Encrypted with DynamoDB's own key where absent."""
    point_in_time_recovery: bool = True
    migration: bool = False
    """Makes <name>_migration too, with the same keys."""
    durability: Durability = Durability.PROTECTED
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def migration_name(self) -> str:
        return f"{self.name}_migration"

    @property
    def migration_table(self) -> Self | None:
        """A copy of what another consumer keeps elsewhere: it goes when the migration is over."""
        if not self.migration:
            return None
        return replace(self, name=self.migration_name, migration=False, durability=Durability.EPHEMERAL)

    @property
    def is_deletion_protected(self) -> bool:
        return self.durability is Durability.PROTECTED
