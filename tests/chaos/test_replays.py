"""Stories in which a person replays dead letters while engines run, are killed and get another configuration, and in which the
replay itself is killed, or two run at once: at the end each dead letter is in the table once, and no record is there twice.
"""

import random
from collections import Counter
from collections.abc import Callable
from functools import partial

import pytest

from firnline_ingest.dead_letters.conversion import Conversion, DeadLetterConverter
from firnline_ingest.dead_letters.journal import Journal
from firnline_ingest.dead_letters.letter import DeadLetter
from firnline_ingest.dead_letters.passed import has_passed
from firnline_ingest.dead_letters.shard_replay import ShardReplay
from firnline_ingest.dead_letters.transport import replay_tables
from firnline_ingest.errors import FirnlineError
from firnline_ingest.snowflake.target import TargetState
from firnline_ingest.values import ShardKey
from tests.chaos.oracle import problems
from tests.chaos.records import Fate
from tests.chaos.simulated import beyond
from tests.chaos.simulated.acts import commits_are_held, put_some, run_for, start_an_engine
from tests.chaos.simulated.memory import SharedObjects
from tests.chaos.simulated.replays import kill
from tests.chaos.simulated.simulation import Actor
from tests.chaos.simulated.snowflake import EVENTS, SimulatedChannels
from tests.chaos.simulated.staged import drain, on_stage, place_of_letter, place_of_row, reshard
from tests.chaos.simulated.world import World
from tests.tiers import seeds

pytestmark = pytest.mark.chaos

REPAIRED = b'{"repaired":true}'
ACTS = 40
REPLAY_S = 900.0


class Story:
    def __init__(self, seed: int) -> None:
        rng = random.Random(f"replays {seed}")
        self.world = World(seed=seed, shards=rng.choice((1, 2)), discards_on_open=rng.random() < 0.5)
        self.objects = SharedObjects()
        self.replays: list[Actor] = []
        self.finished = 0

    def play(self) -> None:
        rng, world = self.world.rng, self.world
        for fate in (*Fate, Fate.DEAD_LETTER):
            world.put(fate)
        world.start()
        for _ in range(ACTS):
            rng.choice((put_some, put_some, *self.others()))(world)
            run_for(world, rng.choice((0.02, 0.05, 0.2, 1.0, 5.0)))
        for process in world.running:
            process.kill()
        for actor in self.replays:
            kill(world, actor)
        drain(world)
        before = self.finished
        self.replay(world)
        run_for(world, REPLAY_S)
        assert self.finished == before + 1, "the last replay comes to its end"

    def others(self) -> list[Callable[[World], None]]:
        acts = [self.replay, self.replay, self.kill, start_an_engine, beyond.the_configuration_changes, reshard]
        return [*acts, commits_are_held]

    def kill(self, world: World) -> None:
        """An engine, or a replay at work."""
        at_work = [each for each in self.replays if not each.is_over]
        victim = world.rng.choice([*world.running, *at_work, None])
        if isinstance(victim, Actor):
            kill(world, victim)
        elif victim is not None:
            victim.kill()

    def replay(self, world: World) -> None:
        self.replays.append(world.simulation.start(self.command))

    def command(self) -> None:
        try:
            for shard in sorted({_shard_of(letter) for letter in self.world.letters.list()}, key=str):
                self.replay_shard(shard)
        except FirnlineError:
            return
        self.finished += 1

    def replay_shard(self, shard: ShardKey) -> None:
        world = self.world
        row = world.ledger.read(shard)
        pipeline = world._config(0).pipelines[0]
        target = TargetState(world.snowflake.target(EVENTS), evolves=True, logs_errors=True)
        replay = ShardReplay(
            shard=shard,
            journal=Journal(self.objects, "story", shard),
            tables=replay_tables(SimulatedChannels(world.snowflake), "story", shard, target),
            make=partial(_made, DeadLetterConverter(pipeline, shard.shard_id)),
            most_letters=world.rng.choice((None, 1, 2)),
        )
        letters = [letter for letter in world.letters.list() if _shard_of(letter) == shard]
        replay.run(lambda: [letter for letter in letters if row is not None and has_passed(row, letter)])

    def take_replayed(self) -> list[tuple[str, int]]:
        """Takes the rows of replays out of the tables, so that the rest is what engines wrote. Returns their places."""
        taken = list[tuple[str, int]]()
        for table in self.world.snowflake.tables[EVENTS]:
            replayed = [row for row in table.rows if b"repaired" in row]
            table.rows[:] = [row for row in table.rows if b"repaired" not in row]
            taken += [place_of_row(row) for row in replayed]
        return taken


def _made(maker: DeadLetterConverter, letter: DeadLetter) -> Conversion:
    return maker.make(letter, REPAIRED)


def _shard_of(letter: DeadLetter) -> ShardKey:
    return ShardKey(letter.stream, letter.stream_created_ms, letter.shard_id)


def judge(story: Story) -> None:
    """Each dead letter is in the table once, and no record that an engine made a row of."""
    replayed = Counter(story.take_replayed())
    letters = {place_of_letter(letter) for letter in story.world.letters.list()}
    assert replayed == Counter(letters)
    rows = {(one.shard, one.number) for one in story.world.found()[0]}
    assert not rows & letters, "a record that an engine made a row of, and a replay too"
    assert not problems(story.world.evidence())


@pytest.mark.parametrize("seed", seeds(range(91_500_000, 91_500_012)))
def test_each_letter_is_replayed_once_whatever_happens_to_engines_and_replays(seed: int) -> None:
    story = Story(seed)
    with on_stage(story.world):
        story.play()
    judge(story)
