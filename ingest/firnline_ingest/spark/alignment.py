"""Up to which time of arrival the shards of a stream may be taken in, from one plan to the next.

Where a shard has come to is in the ledger: what it has taken in, its tip, and the arrival of a record that it holds back. So the
slowest shard always goes on: the record that it holds is no later than the bound that follows from it. Shards that wait for their
parents are not planned, and an ended one neither; a child is where its parents were.
"""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from firnline_ingest.config.pipeline import Alignment
from firnline_ingest.kinesis.lineage import Lineage
from firnline_ingest.kinesis.start import AtTimestamp, parse_start
from firnline_ingest.ledger.plan import PlannedStart, StreamView
from firnline_ingest.values import ShardKey

HOUR_MS = 3_600_000


@dataclass(slots=True)
class Bounds:
    """Remembers since when each shard has been where it is; one planner's."""

    clock: Callable[[], float] = time.monotonic
    _been: dict[ShardKey, tuple[int, float]] = field(default_factory=dict)
    """How far it has come, and since when that is known here."""
    _until_ms: dict[str, int] = field(default_factory=dict)
    """By incarnation: what the plan before has said."""

    def until_ms(self, rule: Alignment | None, view: StreamView, starts: Sequence[PlannedStart]) -> int:
        """Service time; 0 where the shards are not kept together, or none is to be waited for."""
        if rule is None:
            return 0
        lineage, now_s = view.lineage, self.clock()
        self._forget_others(lineage, {start.shard for start in starts})
        counted = [
            place_ms(start, view)
            for start in starts
            if not self._is_left_out(rule, lineage, start.shard, come_ms(start, view), now_s)
        ]
        until_ms = max(1, min(counted) + rule.max_ahead_seconds * 1000) if counted else 0
        self._until_ms[lineage.incarnation] = until_ms
        return until_ms

    def not_planned(self, stream: str) -> None:
        """No engine reads the stream, because it is paused or can't be planned: its shards' time begins when they are planned
        again.
        """
        self._been = {key: been for key, been in self._been.items() if key.stream != stream}

    def _forget_others(self, lineage: Lineage, shards: Collection[str]) -> None:
        """What is not planned any more comes back with a place of its own, if it ever does."""
        stream = lineage.stream, lineage.stream_created_ms
        gone = [
            key for key in self._been if (key.stream, key.stream_created_ms) == stream and key.shard_id not in shards
        ]
        for key in gone:
            del self._been[key]

    def _is_left_out(self, rule: Alignment, lineage: Lineage, shard: str, come: int, now_s: float) -> bool:
        """One that is held back comes no further because of us: its time begins when it may."""
        key = ShardKey(lineage.stream, lineage.stream_created_ms, shard)
        before, since_s = self._been.get(key, (-1, now_s))
        is_held_back = 0 < self._until_ms.get(lineage.incarnation, 0) <= come
        if come > before or is_held_back:
            self._been[key] = come, now_s
            return False
        return rule.ignore_stalled_after_seconds is not None and now_s - since_s > rule.ignore_stalled_after_seconds


def place_ms(start: PlannedStart, view: StreamView) -> int:
    """What arrived in the shard before was taken in, or is no concern of ours."""
    if come := _taken_ms(start, view):
        return come
    return max(come_ms(start, view), view.lineage.listed_ms - start.retention_hours * HOUR_MS)


def come_ms(start: PlannedStart, view: StreamView) -> int:
    """The same without what retention does: of a shard that is not read it stands still."""
    if come := _taken_ms(start, view):
        return come
    parents = [view.rows[parent] for parent in view.parents_of(start.shard) if parent in view.rows]
    begun = [come for parent in parents if (come := max(parent.tip_ms, parent.arrived_ms))]
    pin = parse_start(start.start)
    return max([*begun, pin.ms if isinstance(pin, AtTimestamp) else 0])


def _taken_ms(start: PlannedStart, view: StreamView) -> int:
    """0 where nothing of it was read."""
    row = view.rows.get(start.shard)
    return max(row.tip_ms, row.arrived_ms, row.waits_ms) if row is not None else 0
