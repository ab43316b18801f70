"""The stories of replays, of a stream that another consumer has read before: what it took in is nowhere, the rest as ever.

The migration is killed after each of its writes, and run again, before any engine starts.
"""

from dataclasses import replace
from typing import Any

import pytest

from firnline_ingest.kinesis.lineage import Lineage, read_lineage
from firnline_ingest.ledger.lease import RunLease
from firnline_ingest.migration.lease import Lease, Leases, LeaseState
from firnline_ingest.migration.migrate import MigrationWriter, WatchedSource, apply
from firnline_ingest.migration.plan import Migration, plan_migration
from firnline_ingest.migration.tables import Item
from firnline_ingest.values import Position
from tests.chaos.oracle import Put, place_of
from tests.chaos.records import Fate
from tests.chaos.simulated.configured import STREAM
from tests.chaos.simulated.staged import on_stage, place_of_letter, reshard
from tests.chaos.test_replays import Story as Replays
from tests.chaos.test_replays import judge
from tests.fakes.kills import Killed
from tests.fakes.migration import MemoryJournal
from tests.tiers import seeds

pytestmark = pytest.mark.chaos


class Notes(MemoryJournal):
    """Kills its migration once, after so many writes."""

    def __init__(self, kill_after: int) -> None:
        super().__init__()
        self.kill_after = kill_after

    def write(self, incarnation: str, shard: str, noted: Item) -> None:
        super().write(incarnation, shard, noted)
        self.kill_after -= 1
        if self.kill_after == 0:
            raise Killed


class Unchanged:
    table, kind = "leases", "a test"

    def items(self) -> dict[str, Any]:
        return {}


class Story(Replays):
    """Some shards have a place of the other consumer's, and some were read by it to their end."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        world, rng = self.world, self.world.rng
        for _ in range(8):
            world.put(rng.choice(list(Fate)))
        if rng.random() < 0.5:
            reshard(world)
            for _ in range(6):
                world.put(rng.choice(list(Fate)))
        places = {shard.id: self._place(shard) for shard in world.all_shards}
        self.taken = [put for put in world.puts if self._is_taken(put, places)]
        world.puts[:] = [put for put in world.puts if put not in self.taken]
        lineage = read_lineage(world.kinesis.client(), STREAM)
        migration = plan_migration(Leases({id_: Lease(id_, at) for id_, at in places.items()}), lineage, None)
        self._migrate(migration, lineage, Notes(rng.randint(1, 4)))

    def _place(self, shard: Any) -> Position | LeaseState:
        if not shard.is_open:
            return LeaseState.SHARD_END
        records = shard.records[: self.world.rng.randint(0, len(shard.records))]
        return Position(int(records[-1].sequence_number)) if records else LeaseState.TRIM_HORIZON

    @staticmethod
    def _is_taken(put: Put, places: dict[str, Position | LeaseState]) -> bool:
        at = places[put.shard]
        if isinstance(at, Position):
            return put.number <= place_of(at.sequence_number)
        return at is LeaseState.SHARD_END

    def _migrate(self, migration: Migration, lineage: Lineage, notes: Any) -> None:
        ledger = self.world.ledger.memory
        watched = WatchedSource(source=Unchanged(), items={}, seconds=0.0)  # type: ignore[arg-type]
        for attempt in range(2):
            lease = RunLease(ledger, "story", sleep=lambda _: None, every_s=0.01)
            try:
                apply(migration, watched, lineage, MigrationWriter(ledger, notes, replace(lease)))
            except Killed:
                assert attempt == 0
                mark = ledger.mark(STREAM)
                assert mark is None or mark.is_paused, "no engine begins a stream that is half migrated"
            else:
                return


@pytest.mark.parametrize("seed", seeds(range(91_600_000, 91_600_008)))
def test_replays_of_a_stream_that_was_migrated_bring_each_letter_once_and_nothing_of_before(seed: int) -> None:
    story = Story(seed)
    with on_stage(story.world):
        story.play()
    found = {(one.shard, one.number) for each in story.world.found() for one in each}
    letters = {place_of_letter(one) for one in story.world.letters.list()}
    assert not {(put.shard, put.number) for put in story.taken} & (found | letters)
    judge(story)
