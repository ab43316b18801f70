"""The DynamoDB table of the ledger: one item per stream and shard (docs/design/ledger.md, section 3)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal


@dataclass(frozen=True, kw_only=True)
class LedgerTable:
    """Billed per request: the engine writes a few items a shard and minute, in bursts."""

    kind: ClassVar[str] = "ledger table"
    hash_key: ClassVar[str] = "stream"
    range_key: ClassVar[str] = "shard"
    billing_mode: ClassVar[Literal["PAY_PER_REQUEST"]] = "PAY_PER_REQUEST"

    name: str
    tags: Mapping[str, str]
