"""Stories in which a person recreates the table and has the shards read again from the horizon by another configuration, while
dead letters are replayed by this one and by the one before: nothing is in the new table twice, and all that can be a row is there
or is a dead letter.
"""

import json
import random
from collections import Counter

import pytest

from firnline_ingest.dead_letters.journal import Outcome
from firnline_ingest.dead_letters.replay import ReplayRequest, Replays, ReplayServices
from firnline_ingest.errors import FirnlineError
from firnline_ingest.snowflake.target import TargetState
from tests.chaos.oracle import place_of
from tests.chaos.records import Fate
from tests.chaos.simulated import beyond
from tests.chaos.simulated.acts import put_some, run_for, split
from tests.chaos.simulated.memory import Letters, SharedObjects
from tests.chaos.simulated.replays import kill
from tests.chaos.simulated.simulation import Actor
from tests.chaos.simulated.snowflake import EVENTS, SimulatedChannels
from tests.chaos.simulated.staged import drain, on_stage, place_of_letter, place_of_row
from tests.chaos.simulated.world import World
from tests.chaos.test_replays import REPAIRED
from tests.chaos.test_resumed_reshards import from_horizon
from tests.tiers import seeds

pytestmark = pytest.mark.chaos

ROUNDS, MOST_TRIES, REPLAY_S = 3, 6, 900.0


class Story:
    def __init__(self, seed: int) -> None:
        self.rng = random.Random(f"read again {seed}")
        self.objects = SharedObjects()
        self.replays: list[Actor] = []
        self.is_done = False
        self.world = World(seed=seed, shards=self.rng.choice((1, 2)), discards_on_open=self.rng.random() < 0.5)

    def play(self) -> None:
        world, rng = self.world, self.rng
        for number in range(ROUNDS):
            world.variant += rng.random() < 0.7
            for fate in (Fate.ROW, Fate.DEAD_LETTER, Fate.ROW):
                world.put(fate)
            self.put_large()
            self.read_and_replay()
            if number == 0 or rng.random() < 0.5:
                self.begin_anew()
        self.kill_replays()
        self.finish()
        self.replay(world.variant)
        run_for(world, REPLAY_S)
        assert self.is_done, "the last replay comes to its end"

    def put_large(self) -> None:
        """A row by one configuration, and a dead letter by the other."""
        data = json.dumps({"n": len(self.world.puts), "text": "x" * beyond.LARGER_BYTES}).encode()
        self.world.put(Fate.ROW, data=data, or_letter=True)

    def read_and_replay(self) -> None:
        world, rng = self.world, self.rng
        world.start()
        for _ in range(rng.randint(2, 5)):
            run_for(world, rng.choice((1.0, 5.0, 20.0)))
            put_some(world)
            if rng.random() < 0.5:
                self.replay(world.variant - (rng.random() < 0.3))
            if rng.random() < 0.2 and len(world.open_shards) < 3:
                split(world, rng.choice(world.open_shards))
            if rng.random() < 0.2:
                self.kill_replays()

    def begin_anew(self) -> None:
        """The table is another one, and the configuration, too; the first replay may be early."""
        world, rng = self.world, self.rng
        self.finish()
        for process in world.running:
            process.kill()
        self.kill_replays()
        world.snowflake.replace_table(EVENTS)
        from_horizon(world)
        world.stopped.clear()
        self.replay(world.variant)
        run_for(world, rng.choice((0.0, 30.0)))
        self.kill_replays()
        world.variant += 1

    def finish(self) -> None:
        """Drains by an earlier configuration what is in flight by it."""
        world = self.world
        for process in world.running:
            process.kill()
        drain(world, tries=MOST_TRIES, end_s=beyond.END_S)
        assert not world.stopped, world.last_problem

    def replay(self, variant: int) -> None:
        self.replays.append(self.world.simulation.start(lambda: self.command(max(0, variant))))

    def command(self, variant: int) -> None:
        world = self.world
        services = ReplayServices(
            letters=Letters(world.letters),
            objects=self.objects,
            ledger=world.ledger,
            channels_of=lambda _: SimulatedChannels(world.snowflake),
            target_of=lambda _: TargetState(world.snowflake.target(EVENTS), evolves=True, logs_errors=True),
        )
        repair = None if self.rng.random() < 0.5 else lambda _: REPAIRED
        request = ReplayRequest(repair=repair, again=self.rng.random() < 0.5, unfinished=Outcome.VOID)
        self.is_done = False
        try:
            Replays(world._config(variant), request, services, lambda _: None).run(lambda *_: None)
        except FirnlineError:
            return
        self.is_done = True

    def kill_replays(self) -> None:
        for actor in self.replays:
            kill(self.world, actor)
        self.replays.clear()

    def problems(self) -> list[str]:
        """Returns the problems of the newest table."""
        world = self.world
        table = world.snowflake.tables[EVENTS][-1]
        there = Counter(place_of_row(row) for row in (*table.rows, *table.rejected))
        letters = {place_of_letter(one) for one in world.letters.list()}
        put = {(shard.id, place_of(int(one.sequence_number))) for shard in world.all_shards for one in shard.records}
        return [
            *(f"{shard} {number} is there {count} times" for (shard, number), count in there.items() if count > 1),
            *(f"{shard} {number} is nowhere" for shard, number in sorted(put - there.keys() - letters)),
        ]


@pytest.mark.parametrize("seed", seeds(range(12)))
def test_what_is_read_again_from_the_horizon_and_replayed_is_in_the_new_table_once(seed: int) -> None:
    story = Story(seed)
    with on_stage(story.world):
        try:
            story.play()
        finally:
            story.kill_replays()
    assert story.problems() == []
