"""Which shards may be read now, and from where.

Readable is what has not ended and whose parents all ended in the ledger, or are no longer listed: a child's first row
is never appended before its parent's last one is proven (docs/design/ledger.md, section 8).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from firnline_ingest.kinesis.lineage import Lineage, ListedShard
from firnline_ingest.kinesis.start import ENDED, After, Pin, Start, TrimHorizon, parse_start
from firnline_ingest.ledger.row import ShardRow


@dataclass(frozen=True, slots=True)
class Plan:
    """What an epoch reads of one stream."""

    starts: Mapping[str, Start]
    """The readable shards, each with its start as far as the planner knows; the ledger may know better at the open."""
    ended: frozenset[str]
    waiting: frozenset[str]
    """Shards whose parents are not finished yet."""

    @property
    def readable(self) -> frozenset[str]:
        return frozenset(self.starts)

    @property
    def offsets(self) -> dict[str, str]:
        """As Spark's offset log keeps it."""
        return {shard: start.text for shard, start in self.starts.items()} | dict.fromkeys(self.ended, ENDED)


def plan_shards(lineage: Lineage, rows: Mapping[str, ShardRow], offsets: Mapping[str, str], initial: Pin) -> Plan:
    """`offsets` are those of the epoch before; with neither them nor rows, this is the application's first start."""
    first_start = not rows and not offsets
    ended = frozenset(shard for shard in lineage.shards if _has_ended(shard, rows, offsets))
    starts: dict[str, Start] = {}
    for shard in lineage.shards.values():
        if shard.id in ended or not _parents_are_finished(shard, lineage, ended):
            continue
        starts[shard.id] = _start_of(shard.id, rows, offsets, initial if first_start else TrimHorizon())
    waiting = frozenset(lineage.shards) - ended - frozenset(starts)
    return Plan(starts, ended, waiting)


def unread_parents(shard_id: str, lineage: Lineage, rows: Mapping[str, ShardRow]) -> tuple[str, ...]:
    """Parents that are no longer listed and never ended in the ledger: their tails left retention unread."""
    shard = lineage.shards.get(shard_id)
    parents = shard.parents if shard else ()
    return tuple(
        parent for parent in parents if parent not in lineage.shards and parent in rows and not rows[parent].ended
    )


def _has_ended(shard_id: str, rows: Mapping[str, ShardRow], offsets: Mapping[str, str]) -> bool:
    row = rows.get(shard_id)
    return row.ended if row else offsets.get(shard_id) == ENDED


def _parents_are_finished(shard: ListedShard, lineage: Lineage, ended: frozenset[str]) -> bool:
    return all(parent in ended or parent not in lineage.shards for parent in shard.parents)


def _start_of(shard_id: str, rows: Mapping[str, ShardRow], offsets: Mapping[str, str], otherwise: Pin) -> Start:
    if row := rows.get(shard_id):
        return After(row.read_through) if row.read_through else row.start
    if text := offsets.get(shard_id):
        return parse_start(text) or otherwise
    return otherwise
