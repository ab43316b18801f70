"""The plan of a migration: what becomes of each shard, purely from the other consumer's leases and the stream's listing.

Nothing is guessed. A lease that names no place (LATEST is evaluated anew at each start of that consumer, AT_TIMESTAMP does
not say which), and a shard that the table does not account for, need a person's word: `at`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from firnline_ingest.kinesis.lineage import Lineage, ListedShard
from firnline_ingest.kinesis.start import AtTimestamp, Pin, TrimHorizon
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.migration.lease import Lease, Leases, LeaseState
from firnline_ingest.values import Position, ShardKey


@dataclass(frozen=True, slots=True)
class MigrationStep:
    """Outcome of a migration for one shard."""

    shard_id: str
    checkpoint: str
    becomes: str
    row: ShardRow | None = None
    """What is written; None where the engine comes to the same by itself."""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Migration:
    steps: tuple[MigrationStep, ...]
    problems: tuple[str, ...]

    @property
    def rows(self) -> tuple[ShardRow, ...]:
        return tuple(step.row for step in self.steps if step.row)


def plan_migration(leases: Leases, lineage: Lineage, at: Pin | None) -> Migration:
    """`at` is where shards begin of which the table names no place."""
    problems = list(leases.problems)
    if leases.of and not leases.of.keys() & lineage.shards.keys():
        problems.append(
            f"no lease is of a shard that {lineage.stream!r} has: the table is another stream's, or of one that was deleted."
        )
    if not leases.of and not problems:
        problems.append(f"the table has no lease of {lineage.stream!r}.")
    planner = _Planner(leases.of, lineage, at)
    steps = tuple(planner.step(shard_id) for shard_id in sorted(leases.of.keys() | lineage.shards.keys()))
    if leases.of:
        problems += [f"{step.shard_id}: {step.problem}" for step in steps if step.problem]
    return Migration(steps, tuple(problems))


class _Planner:
    def __init__(self, leases: Mapping[str, Lease], lineage: Lineage, at: Pin | None) -> None:
        self._leases = leases
        self._lineage = lineage
        self._at = at

    def step(self, shard_id: str) -> MigrationStep:
        lease, listed = self._leases.get(shard_id), self._lineage.shards.get(shard_id)
        if lease is None:
            return self._without_lease(shard_id)
        if lease.problem:
            return MigrationStep(shard_id, lease.text, "refused", problem=lease.problem)
        if lease.checkpoint is LeaseState.SHARD_END:
            return self._ended(lease, listed)
        if isinstance(lease.checkpoint, Position):
            return self._behind(lease, lease.checkpoint, listed)
        if lease.checkpoint is LeaseState.TRIM_HORIZON:
            return self._from(lease.shard_id, lease.text, TrimHorizon(), lease.remark)
        return self._asked(shard_id, lease.text, "its lease names no place", lease.remark)

    def _ended(self, lease: Lease, listed: ListedShard | None) -> MigrationStep:
        if listed and not listed.is_closed:
            problem = (
                "its lease says that it ended, and it is open: the table belongs to an earlier stream of this name."
            )
            return MigrationStep(lease.shard_id, lease.text, "refused", problem=problem)
        children = lease.children or tuple(self._children(lease.shard_id))
        row = self._row(lease.shard_id, TrimHorizon(), ended=True, children=children)
        return MigrationStep(lease.shard_id, lease.text, "finished, not read again", row)

    def _behind(self, lease: Lease, position: Position, listed: ListedShard | None) -> MigrationStep:
        first = int(listed.first_number) if listed and listed.first_number else 0
        if position.sequence_number < first:
            problem = (
                f"its checkpoint lies before the first number it ever gave ({first}): the table belongs to an earlier "
                f"stream of this name."
            )
            return MigrationStep(lease.shard_id, lease.text, "refused", problem=problem)
        becomes = "goes on behind it"
        if listed is None:
            becomes += "; it left the stream, so what it still held is lost, and the engine will say so"
        row = self._row(lease.shard_id, TrimHorizon(), through=position)
        return MigrationStep(lease.shard_id, lease.text, _with(becomes, lease.remark), row)

    def _without_lease(self, shard_id: str) -> MigrationStep:
        """The step of a listed shard without a lease: the library creates a child's lease before its parent's end, and
        removes a parent's when all its children are under way."""
        if self._is_covered_below(shard_id):
            row = self._row(shard_id, TrimHorizon(), ended=True, children=tuple(self._children(shard_id)))
            return MigrationStep(shard_id, "no lease", "finished, not read again: its children have leases", row)
        if parent := self._leased_above(shard_id):
            return MigrationStep(shard_id, "no lease", f"from its oldest record, after {parent}")
        return self._asked(shard_id, "no lease", "the table does not know it, nor any shard it came from")

    def _asked(self, shard_id: str, checkpoint: str, why: str, remark: str = "") -> MigrationStep:
        if self._at is None:
            problem = f"{why}. Say where such shards begin: --at TIME, or --at trim-horizon for the oldest record."
            return MigrationStep(shard_id, checkpoint, "to be said", problem=problem)
        return self._from(shard_id, checkpoint, self._at, remark)

    def _from(self, shard_id: str, checkpoint: str, pin: Pin, remark: str) -> MigrationStep:
        becomes = "from its oldest record" if isinstance(pin, TrimHorizon) else f"from what arrived at {_time(pin)}"
        return MigrationStep(shard_id, checkpoint, _with(becomes, remark), self._row(shard_id, pin))

    def _is_covered_below(self, shard_id: str) -> bool:
        """Returns whether it is closed, and each shard that came of it has a lease, or is covered in turn."""
        listed = self._lineage.shards[shard_id]
        children = list(self._children(shard_id))
        if not listed.is_closed or not children:
            return False
        return all(child in self._leases or self._is_covered_below(child) for child in children)

    def _leased_above(self, shard_id: str) -> str | None:
        """The nearest shards that it came from, where each has a lease; text for a person."""
        listed = self._lineage.shards.get(shard_id)
        parents = listed.parents if listed else ()
        if parents and all(parent in self._leases or self._leased_above(parent) for parent in parents):
            return " and ".join(parents)
        return None

    def _children(self, shard_id: str) -> Iterator[str]:
        return (id_ for id_, shard in sorted(self._lineage.shards.items()) if shard_id in shard.parents)

    def _row(
        self,
        shard_id: str,
        pin: Pin,
        through: Position | None = None,
        *,
        ended: bool = False,
        children: tuple[str, ...] = (),
    ) -> ShardRow:
        key = ShardKey(self._lineage.stream, self._lineage.stream_created_ms, shard_id)
        return ShardRow(key=key, start=pin, read_through=through, ended=ended, children=children, is_sending=False)


def _with(text: str, remark: str) -> str:
    return f"{text} ({remark})" if remark else text


def _time(pin: AtTimestamp) -> str:
    return f"{datetime.fromtimestamp(pin.ms / 1000, UTC):%FT%TZ}"
