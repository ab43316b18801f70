"""Computes the alignment bound of a stream: the latest arrival time that any of its shards may ingest until the next plan.

The ledger has each shard's progress: what it has ingested, its tip, and the arrival of a record that it holds back. So the
slowest shard always makes progress: the record that it holds is no later than the bound that follows from it. Shards that wait
for their parents are not planned, nor are ended ones; a child starts where its parents were.
"""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from firnline_ingest.config.pipeline import Alignment
from firnline_ingest.kinesis.lineage import Lineage
from firnline_ingest.kinesis.start import AtTimestamp, parse_start
from firnline_ingest.ledger.plan import PlannedStart, StreamView
from firnline_ingest.values import ShardKey

HOUR_MS = 3_600_000


@dataclass(slots=True)
class AlignmentBounds:
    """Alignment bounds of one planner's streams; remembers since when each shard has been where it is."""

    clock: Callable[[], float] = time.monotonic
    _been: dict[ShardKey, tuple[int, float]] = field(default_factory=dict)
    """How far it has come, and since when that is known here."""
    _until_ms: dict[str, int] = field(default_factory=dict)
    """By incarnation: what the plan before has said."""
    _planned_s: dict[str, float] = field(default_factory=dict)
    """By incarnation: when that was."""

    def until_ms(self, rule: Alignment | None, view: StreamView, starts: Sequence[PlannedStart]) -> int:
        """Service time; 0 where the shards are not kept together."""
        if rule is None or not starts:
            return 0
        lineage = view.lineage
        self._forget_others(lineage, {start.shard for start in starts})
        self._follow(lineage, {start.shard: come_ms(start, view) for start in starts})
        counted = [start for start in starts if not self._is_left_out(rule, lineage, start.shard)]
        slowest = min(place_ms(start, view) for start in counted or starts)
        self._until_ms[lineage.incarnation] = max(1, slowest + rule.max_ahead_seconds * 1000)
        return self._until_ms[lineage.incarnation]

    def not_planned(self, stream: str) -> None:
        """No engine reads the stream, because it is paused or can't be planned: its shards' time begins when they are planned
        again.
        """
        self._been = {key: been for key, been in self._been.items() if key.stream != stream}

    def _forget_others(self, lineage: Lineage, shards: Collection[str]) -> None:
        """Forgets what is not planned any more: it comes back with a place of its own, if it ever does."""
        stream = lineage.stream, lineage.stream_created_ms
        gone = [
            key for key in self._been if (key.stream, key.stream_created_ms) == stream and key.shard_id not in shards
        ]
        for key in gone:
            del self._been[key]

    def _follow(self, lineage: Lineage, come: Mapping[str, int]) -> None:
        """Notes who came further. One that is held back comes no further because of us: its time begins when it may. And time in
        which none of them did is nobody's: a service was away.
        """
        now_s, held_from = self.clock(), self._until_ms.get(lineage.incarnation, 0)
        passed_s = now_s - self._planned_s.get(lineage.incarnation, now_s)
        self._planned_s[lineage.incarnation] = now_s
        keys = {ShardKey(lineage.stream, lineage.stream_created_ms, shard): there for shard, there in come.items()}
        moved = {
            key: (there, now_s)
            for key, there in keys.items()
            if there > self._been.get(key, (-1, now_s))[0] or 0 < held_from <= there
        }
        if not moved:
            moved = {key: (self._been[key][0], self._been[key][1] + passed_s) for key in keys}
        self._been |= moved

    def _is_left_out(self, rule: Alignment, lineage: Lineage, shard: str) -> bool:
        _, since_s = self._been[ShardKey(lineage.stream, lineage.stream_created_ms, shard)]
        stalled_after_s = rule.ignore_stalled_after_seconds
        return stalled_after_s is not None and self._planned_s[lineage.incarnation] - since_s > stalled_after_s


def place_ms(start: PlannedStart, view: StreamView) -> int:
    """Returns when everything that arrived in the shard before was taken in, or does not concern this engine."""
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
    return max(row.tip_ms, row.arrived_ms, row.held_back_ms) if row is not None else 0
