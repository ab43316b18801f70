"""Stories in which drivers replay by file what no channel takes, beside engines that read on: engines and their drivers are
killed, frozen and thawed anywhere, two of them run at once, and a person replays the same: each row is in the table once.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any, TypeVar, cast

import pytest

from firnline_ingest.dead_letters import Choice
from firnline_ingest.dead_letters.file_load import FileLoads
from firnline_ingest.dead_letters.file_transport import FileTransport
from firnline_ingest.dead_letters.replay import ReplayRequest, Replays, ReplayServices
from firnline_ingest.dead_letters.transport import BY_FILE, ReplayTable
from firnline_ingest.errors import FirnlineError
from firnline_ingest.shard.receipt import Receipt
from firnline_ingest.snowflake.target import TargetState
from firnline_ingest.spark.oversize import REASONS, OversizeRounds
from tests.chaos.oracle import Put, place_of, problems
from tests.chaos.records import Fate
from tests.chaos.simulated import beyond
from tests.chaos.simulated.acts import commits_are_held, freeze_an_engine, put_some, run_for
from tests.chaos.simulated.memory import Letters, SharedObjects
from tests.chaos.simulated.replays import kill
from tests.chaos.simulated.simulation import Actor, SimulatedEvent, pause, sleep
from tests.chaos.simulated.snowflake import EVENTS
from tests.chaos.simulated.staged import drain, on_stage, place_of_letter, place_of_row, reshard
from tests.chaos.simulated.world import World
from tests.fakes.snowpipe import Asker, Pipe
from tests.tiers import seeds

pytestmark = pytest.mark.chaos

Answer = TypeVar("Answer")
LIMIT = 1024
LARGE = "x" * 2 * LIMIT
ACTS = 40
LAST_S = 3000.0
PIPE = "DB.RAW.EVENTS_DEAD_LETTERS"


class SimulatedAsker(Asker):
    """Each call is an effect: whoever makes it may be gone before, or after."""

    def _do(self, name: str, effect: Callable[[], Answer]) -> Answer:
        pause()
        found = super()._do(name, effect)
        pause()
        return found


class Story:
    def __init__(self, seed: int) -> None:
        rng = random.Random(f"oversize {seed}")
        self.world = World(
            seed=seed,
            shards=rng.choice((1, 2)),
            discards_on_open=rng.random() < 0.5,
            options={"max_row_bytes": LIMIT, "oversize_rows": "file"},
        )
        self.pipe = Pipe(now=self.now())
        """What it loads is kept apart from the rows that engines send."""
        self.pipe.forgets_failures = rng.random() < 0.5
        self.objects = SharedObjects()
        self.persons: list[Actor] = []
        self.bad = set[tuple[str, int]]()
        """Places of rows that the table refuses by file too."""

    def now(self) -> datetime:
        return self.world.simulation.clock()

    def play(self) -> None:
        rng, world = self.world.rng, self.world
        world.simulation.start(self.load)
        self.put_large(world)
        self.start(world)
        for _ in range(ACTS):
            rng.choice((put_some, self.put_large, *self.others()))(world)
            run_for(world, rng.choice((0.02, 0.05, 0.2, 1.0, 5.0, 60.0)))
        for process in world.processes:
            process.kill()
        for actor in self.persons:
            kill(world, actor)
        drain(world)
        last = self.rounds(world.config_now)
        actor = world.simulation.start(lambda: last.round(lambda: False))
        run_for(world, LAST_S)
        assert actor.is_over, "the last round comes to its end"
        assert not last.problems, last.problems
        assert set(last.left) <= {"the table refused it"}, last.left

    def others(self) -> list[Callable[[World], None]]:
        acts = [self.put_large, self.kill, self.kill, self.start, freeze_an_engine, self.thaw, self.a_person_replays]
        return [*acts, beyond.the_configuration_changes, reshard, commits_are_held]

    def put_large(self, world: World) -> None:
        """A row that no channel takes; one of six is refused by file as well."""
        for _ in range(world.rng.randint(1, 3)):
            shard, is_bad = world.rng.choice(world.open_shards), world.rng.random() < 1 / 6
            text = f"bad {LARGE}" if is_bad else LARGE
            record = shard.put(b'{"n": %d, "large": "%s"}' % (len(world.puts), text.encode()))
            place = place_of(record.sequence_number)
            if is_bad:
                self.bad.add((shard.id, place))
            world.puts.append(
                Put(world.name_of(shard), place, world.simulation.now_ms, Fate.DEAD_LETTER, EVENTS, False)
            )

    def start(self, world: World) -> None:
        """An engine with the thread of its driver, which lives and dies with it."""
        if len(world.running) >= 2:
            return
        process = world.start()
        rounds, judge = self.rounds(process.config), process._judge

        def judged(receipt: Receipt) -> None:
            judge(receipt)
            rounds.look([receipt])

        process._judge = judged  # type: ignore[method-assign]
        process._actor(lambda: rounds.run(cast("Any", SimulatedEvent())))

    def kill(self, world: World) -> None:
        at_work = [each for each in self.persons if not each.is_over]
        victim = world.rng.choice([*world.running, *world.frozen, *at_work, None])
        if isinstance(victim, Actor):
            kill(world, victim)
        elif victim is not None:
            victim.kill()

    def thaw(self, world: World) -> None:
        for process in world.frozen:
            process.freeze(is_frozen=False)

    def a_person_replays(self, world: World) -> None:
        self.persons.append(world.simulation.start(self.command))

    def command(self) -> None:
        request = ReplayRequest(choice=Choice(reasons=REASONS), by_file=True)
        config = self.world.config_now
        with self.services(config, self.objects, self.world.ledger, None) as services:
            try:
                Replays(config, request, services, lambda _: None).run(lambda *_: None)
            except FirnlineError:
                return

    def rounds(self, config: Any) -> OversizeRounds:
        return OversizeRounds(
            config,
            self.world.ledger,
            lambda: True,
            services=self.services,
            objects_of=lambda _: self.objects,
            now=self.now,
            every_s=30.0,
        )

    @contextmanager
    def services(self, config: Any, objects: Any, ledger: Any, memories: Any) -> Iterator[ReplayServices]:
        target = TargetState(self.world.snowflake.target(EVENTS), evolves=True, logs_errors=True)
        yield ReplayServices(
            letters=Letters(self.world.letters),
            objects=objects,
            ledger=ledger,
            channels_of=None,  # type: ignore[arg-type] # not asked for by file
            target_of=lambda _: target,
            files=lambda *_: self.tables(target),
            memories=memories,
        )

    def tables(self, target: TargetState) -> Mapping[str, ReplayTable]:
        loads = FileLoads(SimulatedAsker(self.pipe, pipe=PIPE), now=self.now, sleep=sleep)
        lane = FileTransport(
            loads=loads, target=target.target, channel=f"{BY_FILE}{PIPE}", pipe_created_ms=1, now=self.now
        )
        return {"": ReplayTable(lane, keeps_rejected=False)}

    def load(self) -> None:
        """Snowflake's side of the pipe, which nobody kills."""
        while True:
            sleep(self.world.rng.choice((0.5, 5.0, 40.0)))
            self.pipe.now = self.now()
            self.pipe.work()


def judge(story: Story) -> None:
    """Each dead letter that is too large is in the table once, unless the table refuses it, and no other one is."""
    by_file = Counter(map(place_of_row, story.pipe.table))
    large = {place_of_letter(letter) for letter in story.world.letters.list() if letter.reason in REASONS}
    assert by_file == Counter(large - story.bad)
    assert by_file, "the story has some"
    engines = {(one.shard, one.number) for one in story.world.found()[0]}
    assert not engines & by_file.keys(), "a record that an engine made a row of, and a driver's file too"
    assert story.pipe.stage == {}, "a file that was loaded or refused is removed"
    assert not problems(story.world.evidence())


@pytest.mark.parametrize("seed", seeds(range(92_500_000, 92_500_012)))
def test_what_no_channel_takes_is_in_the_table_once_whatever_happens_to_drivers(seed: int) -> None:
    story = Story(seed)
    with on_stage(story.world):
        story.play()
    judge(story)
