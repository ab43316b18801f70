"""A Kinesis data stream, and the consumers that have a throughput of their own."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from firnline_infra.blueprint.value import Value
from firnline_infra.specification.aws import Origin
from firnline_infra.specification.model import Durability


@dataclass(frozen=True, kw_only=True)
class Stream:
    encryption: ClassVar[str] = "KMS"

    name: str
    existing_arn: str | None = None
    """Of a stream that exists already: it is adopted, and left as it is. Only the consumers are made then."""
    shards: int | None = None
    """On demand where absent."""
    retention_hours: int = 24
    key_arn: Value = "alias/aws/kinesis"
    """AWS's own key where nothing else is said: a stream without encryption is not made."""
    shard_metrics: tuple[str, ...] = ()
    max_record_kib: int = 1024
    consumers: tuple[str, ...] = ()
    durability: Durability = Durability.PROTECTED
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def origin(self) -> Origin:
        return Origin.ADOPT if self.existing_arn else Origin.CREATE

    @property
    def mode(self) -> str:
        return "PROVISIONED" if self.shards else "ON_DEMAND"

    @property
    def takes_foreign_consumers_along(self) -> bool:
        """Else AWS refuses to delete a stream while somebody's consumer is registered on it."""
        return self.durability is Durability.EPHEMERAL
