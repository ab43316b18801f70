"""A stream: its shards, which of them a record goes to, and what has left retention.

The open shards always cover every hash key once. A record goes to the shard that is open when it is put; one that was
closed takes nothing more.
"""

from bisect import bisect_right
from dataclasses import dataclass, field
from hashlib import md5

from firnline_local.kinesis.consumer import Consumer
from firnline_local.kinesis.errors import invalid_argument, not_found
from firnline_local.kinesis.hash_key import KEY_COUNT, HashRange, even_ranges, hash_of
from firnline_local.kinesis.sequence import TAG_BITS
from firnline_local.kinesis.shard import Shard

HOUR_MS = 3_600_000
PROVISIONED, ON_DEMAND = "PROVISIONED", "ON_DEMAND"


@dataclass(kw_only=True)
class StreamSettings:
    """What can be changed while records flow."""

    mode: str = PROVISIONED
    retention_hours: int = 24
    max_record_kib: int = 1024
    key_id: str | None = None
    """The KMS key that its records are said to be encrypted with; nothing here encrypts."""
    tags: dict[str, str] = field(default_factory=dict)
    shard_metrics: list[str] = field(default_factory=list)
    """Those that were asked for at shard level; nothing here publishes any."""


class Stream:
    """The shards of one stream, oldest first; expired ones are gone."""

    def __init__(
        self, name: str, arn: str, *, created_ms: int, shards: int, seed: int, settings: StreamSettings
    ) -> None:
        self.name = name
        self.arn = arn
        self.created_ms = created_ms
        self.settings = settings
        self.consumers: dict[str, Consumer] = {}
        self.tag = _tag(f"{seed} {arn} {created_ms}")
        self.shards: dict[int, Shard] = {}
        self._shards_made = 0
        self._expired_at_ms = 0
        for hash_range in even_ranges(shards):
            self.add_shard(hash_range, now_ms=created_ms)
        self.refresh_routes()

    @property
    def open_shards(self) -> list[Shard]:
        """In the order of their hash keys."""
        return sorted(
            (shard for shard in self.shards.values() if shard.is_open), key=lambda shard: shard.hash_range.start
        )

    def shard(self, shard_id: str) -> Shard:
        """Raises ResourceNotFoundException for one that never was, or that has expired."""
        for shard in self.shards.values():
            if shard.id == shard_id:
                return shard
        raise not_found(f"Could not find shard {shard_id} in stream {self.name}.")

    def children_of(self, parent: Shard) -> list[Shard]:
        return [shard for shard in self.shards.values() if parent.id in shard.parent_ids]

    def route(self, partition_key: str, explicit_hash_key: str | None = None) -> Shard:
        """The open shard that such a record goes to."""
        key = hash_of(partition_key) if explicit_hash_key is None else int(explicit_hash_key)
        if key >= KEY_COUNT:
            raise invalid_argument(f"ExplicitHashKey {key} is not below 2^128.")
        return self._routes[bisect_right(self._route_starts, key) - 1]

    def add_shard(self, hash_range: HashRange, *, now_ms: int, parents: tuple[Shard, ...] = ()) -> Shard:
        """Call `refresh_routes` once the open shards cover every key again."""
        shard = Shard(
            number=self._shards_made,
            stream_tag=self.tag,
            hash_range=hash_range,
            created_ms=now_ms,
            generation=max([now_ms, *(parent.generation + 1 for parent in parents)]),
            parent_ids=tuple(parent.id for parent in parents),
        )
        self._shards_made += 1
        self.shards[shard.number] = shard
        return shard

    def refresh_routes(self) -> None:
        self._routes = self.open_shards
        self._route_starts = [shard.hash_range.start for shard in self._routes]

    def horizon_ms(self, now_ms: int) -> int:
        """What arrived before is no longer there."""
        return now_ms - self.settings.retention_hours * HOUR_MS

    def expire(self, now_ms: int) -> None:
        """Forgets the records that have left retention, and closed shards with the last of theirs."""
        if now_ms == self._expired_at_ms:
            return
        self._expired_at_ms = now_ms
        horizon_ms = self.horizon_ms(now_ms)
        for shard in list(self.shards.values()):
            shard.log.trim(horizon_ms)
            if shard.closed_ms is not None and shard.closed_ms < horizon_ms:
                del self.shards[shard.number]

    def keep_for(self, hours: int, now_ms: int) -> None:
        """A longer retention never brings back what has already left: `expire` has forgotten it."""
        self.settings.retention_hours = hours
        self._expired_at_ms = 0
        self.expire(now_ms)


def _tag(identity: str) -> int:
    """What tells the numbers of one stream from those of every other, also of one that had its name before."""
    return int.from_bytes(md5(identity.encode(), usedforsecurity=False).digest()[: TAG_BITS // 8], "big")
