"""Plans of epochs: which shards may be read now, and from where.

Readable is what has not ended and whose parents all ended in the ledger, or are gone: a child's first row is never
appended before its parent's last one is proven. One listing that omits a shard proves nothing: a row that has not ended
is planned whether its shard is listed or not, and its reader finds out, under the fence, what became of it
(docs/design/ledger.md, section 8).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from firnline_ingest.kinesis.lineage import Lineage
from firnline_ingest.kinesis.start import ENDED, GONE, After, AtTimestamp, Pin, Start, TrimHorizon, parse_start
from firnline_ingest.ledger.row import ShardRow

HOUR_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class Plan:
    """An epoch's reading of one stream."""

    starts: Mapping[str, Start]
    """The readable shards, each with its start as far as the planner knows; the ledger may know better at the open."""
    ended: frozenset[str]
    waiting: Mapping[str, Start]
    """Shards whose parents are not finished yet, with the start that they are pinned to."""
    gone: frozenset[str] = frozenset()
    """Parents that left the stream and that no engine has read."""

    @property
    def readable(self) -> frozenset[str]:
        return frozenset(self.starts)

    @property
    def offsets(self) -> dict[str, str]:
        """The offsets that Spark's log keeps, including the pins of shards that wait."""
        starts = {shard: start.text for shard, start in {**self.starts, **self.waiting}.items()}
        return starts | dict.fromkeys(self.ended, ENDED) | dict.fromkeys(self.gone, GONE)


@dataclass(frozen=True, slots=True)
class PlannedStart:
    """A shard that an offset asks for."""

    shard: str
    start: str
    unread_parents: tuple[str, ...]
    """Parents that left the stream before anybody read them."""
    since_ms: int
    """Service time: what arrived before is accounted for by the shard's parents, or was not asked for. 0: its pin says so."""
    is_closed: bool
    retention_hours: int
    """The stream's; of a shard without a row the shortest that the shards before it have seen: who was away may not know."""


@dataclass(frozen=True)
class StreamView:
    """Knowledge of one stream: its listing, the ledger's rows, and the offsets of the epoch before."""

    lineage: Lineage
    rows: Mapping[str, ShardRow]
    offsets: Mapping[str, str] = field(default_factory=dict)
    planned_ms: int = 0
    """Service time of the stream's first plan; 0 where it was not noted."""
    consumer_arn: str = ""
    """Of the consumer that the engine registered; empty where it registers none."""

    @property
    def is_first_start(self) -> bool:
        return not self.rows and not self.offsets

    def has_ended(self, shard: str) -> bool:
        row = self.rows.get(shard)
        return row.ended if row else self.offsets.get(shard) == ENDED

    def parents_of(self, shard: str) -> tuple[str, ...]:
        """The parents of a shard. For a shard that no listing has, they are the rows that ended with it as a child."""
        listed = self.lineage.shards.get(shard)
        if listed or shard in self.rows:
            return listed.parents if listed else ()
        return tuple(parent for parent, row in self.rows.items() if shard in row.children)

    def lacks_a_parent(self, shard: str) -> bool:
        """True for an unlisted shard that may have a second parent: two children come from a split, but a single one from a
        merge, whose other parent has to end too."""
        if self._is_known(shard):
            return False
        parents = self.parents_of(shard)
        return len(parents) == 1 and len(self.rows[parents[0]].children) == 1

    def suspects(self) -> frozenset[str]:
        """Parents that this listing does not have and no engine is known to have read, of shards that have not begun.

        The service has to be asked about each. At the first start that is most of the past, which is not loss.
        """
        children = [shard for shard in self.lineage.shards if shard not in self.rows]
        return frozenset(
            parent for child in children for parent in self.parents_of(child) if self._is_suspect(parent, child)
        )

    def is_finished(self, parent: str, child: str) -> bool:
        """Returns whether `child` need not wait for `parent`."""
        if parent in self.lineage.shards or parent in self.rows:
            return self.has_ended(parent)
        return not self._is_suspect(parent, child)

    def _is_suspect(self, parent: str, child: str) -> bool:
        if parent in self.lineage.shards or parent in self.rows or child in self.rows:
            return False
        if parent in self.offsets:
            return self.offsets[parent] not in (ENDED, GONE)
        return child not in self.offsets and not self.is_first_start

    def lost_ahead(self, lost: Collection[str]) -> frozenset[str]:
        """Returns those of the lost parents whose child waits for another one: that may take long, and the loss is reported now.

        Each is read in vain under a fence of its own, as a shard with a row is that left the stream.
        """
        found = set[str]()
        for child, listed in self.lineage.shards.items():
            gone = {parent for parent in listed.parents if parent in lost and parent not in self.rows}
            if gone and not _has_begun(self.rows.get(child)):
                others = set(listed.parents) - gone
                found |= gone if any(not self.is_finished(parent, child) for parent in others) else set()
        return frozenset(found)

    def unlisted(self) -> Iterator[str]:
        """Shards to be read all the same: rows that have not ended, and children that a shard has just ended with.

        By the retention under which it ended: a longer one does not bring back children that were retired meanwhile.
        """
        for shard, row in self.rows.items():
            if not row.ended and shard not in self.lineage.shards:
                yield shard
            hours = min(row.retention_hours or self.lineage.retention_hours, self.lineage.retention_hours)
            if row.ended and row.known_ms > self.lineage.listed_ms - hours * HOUR_MS:
                yield from (child for child in row.children if not self._is_known(child))

    def _is_known(self, shard: str) -> bool:
        return shard in self.lineage.shards or shard in self.rows

    def start_of(self, shard: str, initial: Pin) -> Start:
        """A row that was lost, and taken again before an engine died, knows less than the offset of the epoch before."""
        row, start = self.rows.get(shard), parse_start(self.offsets.get(shard, ENDED))
        if row and not (row.is_new and isinstance(start, After)):
            return After(row.read_through) if row.read_through else row.start
        if start:
            return start
        return initial if self.is_first_start else self._inherited(shard)

    def _inherited(self, shard: str) -> Pin:
        """A shard that was made after the first start begins where its parents were pinned, which is before all of it."""
        parents = _pins(self.parents_of(shard), self.rows, self.offsets)
        return _earliest(parents) if parents else self._first_pin

    @cached_property
    def _first_pin(self) -> Pin:
        return _earliest(_pins(self.rows.keys() | self.offsets.keys(), self.rows, self.offsets))

    def since_ms(self, shard: str) -> int:
        """A shard is younger than what its parents' readers have seen while those were open. One whose parents no engine read
        may have been there since the stream's first plan, however late it is begun; so may one whose parents another consumer
        read (migration/plan.py). A row that was taken and never opened knows no more than none.
        """
        row = self.rows.get(shard)
        if row and isinstance(row.start, AtTimestamp):
            return row.since_ms
        if row and (row.since_ms or _has_begun(row)):
            return row.since_ms or self.lineage.listed_ms
        parents = [self.rows[parent] for parent in self.parents_of(shard) if parent in self.rows]
        if known_ms := max((row.known_ms for row in parents), default=0):
            return known_ms
        if any(self.offsets.get(parent) == GONE for parent in self.parents_of(shard)):
            return max(1, min([row.known_ms for row in self.rows.values()] + self._noted_ms, default=0))
        if row is None and isinstance(parse_start(self.offsets.get(shard, ENDED)), AtTimestamp):
            return 0
        return self._first_ms

    def retention_hours(self, shard: str) -> int:
        """The shortest that was seen since then: a longer one brings nothing back. Of one whose parents no engine read, any."""
        now = self.lineage.retention_hours
        if shard in self.rows:
            return now
        known = self.parents_of(shard)
        parents = [self.rows[parent].retention_hours for parent in known if parent in self.rows]
        before = parents or ([self._shortest_hours] if known else [])
        return min([now, *filter(None, [*before, self._shortest_open_hours])])

    @cached_property
    def _shortest_hours(self) -> int:
        return _shortest_hours(self.rows.values())

    @cached_property
    def _shortest_open_hours(self) -> int:
        return _shortest_hours(row for row in self.rows.values() if not row.ended)

    @cached_property
    def _first_ms(self) -> int:
        """Since when a shard may have been there of which no row knows more."""
        since = [row.since_ms for row in self.rows.values() if row.since_ms > 1]
        return min(since + self._noted_ms, default=self.lineage.listed_ms)

    @property
    def _noted_ms(self) -> list[int]:
        """The stream's first plan, if it was noted: older than what rows say where the oldest of them was lost."""
        return [self.planned_ms] if self.planned_ms else []


def _shortest_hours(rows: Iterable[ShardRow]) -> int:
    """Returns 0 where no row knows of any."""
    return min((row.retention_hours for row in rows if row.retention_hours), default=0)


def plan_shards(
    lineage: Lineage,
    rows: Mapping[str, ShardRow],
    offsets: Mapping[str, str],
    initial: Pin,
    gone: frozenset[str] = frozenset(),
) -> Plan:
    """`offsets` are those of the epoch before; with neither them nor rows, this is the application's first start.

    `gone` are those of `StreamView.suspects` of which the service says that they are no more.
    """
    view = StreamView(lineage, rows, offsets)
    lost = gone | {shard for shard in _gone(offsets) if shard not in lineage.shards and shard not in rows}
    ended = frozenset(shard for shard in lineage.shards if view.has_ended(shard))
    starts: dict[str, Start] = {}
    waiting: dict[str, Start] = {shard: view.start_of(shard, initial) for shard in view.suspects() - gone}
    for shard in [*lineage.shards, *dict.fromkeys(view.unlisted())]:
        if shard in ended:
            continue
        is_ready = all(parent in lost or view.is_finished(parent, shard) for parent in view.parents_of(shard))
        is_ready = is_ready and not view.lacks_a_parent(shard)
        (starts if is_ready else waiting)[shard] = view.start_of(shard, initial)
    concerned = {
        parent for shard in starts | waiting if not _has_begun(rows.get(shard)) for parent in view.parents_of(shard)
    }
    return Plan(starts, ended, waiting, frozenset(lost & concerned))


def planned_starts(
    lineage: Lineage, rows: Mapping[str, ShardRow], offsets: Mapping[str, str], planned_ms: int = 0
) -> Iterator[PlannedStart]:
    """Yields what an offset asks for, as the world is now: also where it is an old one that Spark replays.

    `planned_ms` is the service's time of the stream's first plan, 0 where it was not noted.

    Left out are shards that wait for their parents, that have ended since, and that are no longer listed and have no row.
    """
    view = StreamView(lineage, rows, offsets, planned_ms)
    known = lineage.shards.keys() | set(view.unlisted())
    lost = _gone(offsets) - rows.keys()
    for shard in sorted(view.lost_ahead(lost)):
        yield PlannedStart(shard, TrimHorizon().text, (), view.since_ms(shard), True, view.retention_hours(shard))
    for shard, text in offsets.items():
        if parse_start(text) is None or shard not in known or view.has_ended(shard) or view.lacks_a_parent(shard):
            continue
        parents = view.parents_of(shard)
        if all(view.is_finished(parent, shard) for parent in parents):
            unread = tuple(parent for parent in parents if parent in lost)
            is_closed = shard not in lineage.shards or lineage.shards[shard].is_closed
            yield PlannedStart(shard, text, unread, view.since_ms(shard), is_closed, view.retention_hours(shard))


def _gone(offsets: Mapping[str, str]) -> frozenset[str]:
    return frozenset(shard for shard, text in offsets.items() if text == GONE)


def _has_begun(row: ShardRow | None) -> bool:
    return row is not None and bool(row.channels)


def _pins(shards: Iterable[str], rows: Mapping[str, ShardRow], offsets: Mapping[str, str]) -> list[Pin]:
    found = [rows[shard].start if shard in rows else parse_start(offsets.get(shard, ENDED)) for shard in shards]
    return [pin for pin in found if isinstance(pin, TrimHorizon | AtTimestamp)]


def _earliest(pins: Sequence[Pin]) -> Pin:
    times = [pin.ms for pin in pins if isinstance(pin, AtTimestamp)]
    return AtTimestamp(min(times)) if times and len(times) == len(pins) else TrimHorizon()
