"""Letters by file: journal, stage and pipe as models, killed at every effect; every record is in the table once."""

import json
from dataclasses import dataclass, field, replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.dead_letters import DeadLetter, file_transport
from firnline_ingest.dead_letters.errors import ReplayUnprovable
from firnline_ingest.dead_letters.file_errors import FileUnprovable
from firnline_ingest.dead_letters.file_load import FileLoads
from firnline_ingest.dead_letters.file_transport import FileTransport
from firnline_ingest.dead_letters.journal import Outcome
from firnline_ingest.dead_letters.replay import ReplayRequest, Replays, ReplayServices
from firnline_ingest.dead_letters.shard_replay import ReplayReport
from firnline_ingest.dead_letters.transport import BY_FILE, ReplayTable
from firnline_ingest.snowflake.target import TargetState
from firnline_ingest.values import TargetTable
from tests.fakes.configs import config, reading
from tests.fakes.kills import Killed
from tests.fakes.ledger import MemoryLedger
from tests.fakes.snowpipe import Asker, Pipe

from .conftest import (
    SHARD,
    TARGET,
    Effect,
    MemoryObjects,
    Watched,
    World,
    at_place,
    effects,
    killed_at,
    killed_when,
    letter,
)

GOOD, BAD = b'{"id":1}', b'{"id":"bad"}'
LARGE = b'{"text":"' + b"x" * 3_000_000 + b'"}'
CONFIG = config(pipelines=[reading("orders")])


@dataclass
class Files:
    """Files that outlive a replay."""

    letters: list[DeadLetter]
    objects: MemoryObjects = field(default_factory=MemoryObjects)
    snowflake: Pipe = field(default_factory=Pipe)
    pipe_created_ms: int = 1

    routes: dict[str, Any] | None = None
    beside: dict[str, Pipe] = field(default_factory=dict)
    """The pipe of each table that the routes lead to."""

    def run(self, effect: Effect = lambda _: None, **request: Any) -> ReplayReport:
        targets = {"": TARGET} | {name: replace(TARGET, table=name) for name in self.beside}
        own, *others = (TargetState(each, evolves=True, logs_errors=True) for each in targets.values())
        pipes = {"": self.snowflake, **self.beside}

        def tables(*_: Any) -> dict[str, ReplayTable]:
            return {
                name: ReplayTable(self._lane(effect, each, pipes[name]), keeps_rejected=False)
                for name, each in targets.items()
            }

        (pipeline,) = CONFIG.pipelines
        routed = PipelineConfig.model_validate({**pipeline.model_dump(by_alias=True), "routes": self.routes})
        services: Any = ReplayServices(
            letters=SimpleNamespace(shards=lambda _: iter([SHARD]), list=lambda *_: iter(self.letters)),  # type: ignore[arg-type] # as much of it as is asked for
            objects=Watched(self.objects, effect, ["create", "names", "read"]),  # type: ignore[arg-type] # the same
            ledger=MemoryLedger(),
            channels_of=None,  # type: ignore[arg-type] # not asked for by file
            target_of=lambda _: replace(own, beside=tuple(others)),
            files=tables,
        )
        asked = ReplayRequest(by_file=True, with_forgotten=True, **request)
        config = CONFIG.model_copy(update={"pipelines": [routed]})
        return Replays(config, asked, services, lambda _: None).run(lambda *_: None)

    def _lane(self, effect: Effect, target: TargetTable, pipe: Pipe) -> FileTransport:
        calls = ["history", "put", "submit", "report", "scan", "remove"]
        asker: Any = Watched(Asker(pipe), effect, calls)
        loads = FileLoads(asker, now=self._now, sleep=self._sleep)
        channel, made_ms = f"{BY_FILE}{target.table}", self.pipe_created_ms
        return FileTransport(loads=loads, target=target, channel=channel, pipe_created_ms=made_ms, now=self._now)

    def _now(self) -> Any:
        return self.snowflake.now

    def _sleep(self, seconds: float) -> None:
        for pipe in self.pipes:
            pipe.now += timedelta(seconds=seconds)
            pipe.work()

    @property
    def pipes(self) -> list[Pipe]:
        return [self.snowflake, *self.beside.values()]

    @property
    def numbers(self) -> list[str]:
        return numbers(self.snowflake)


def numbers(pipe: Pipe) -> list[str]:
    return sorted(json.loads(row)["KINESISMETADATA"]["sequenceNumber"] for row in pipe.table)


@pytest.fixture(autouse=True)
def small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firnline_ingest.dead_letters.replay.ROUNDS", (2, 1))


def files(*data: bytes) -> Files:
    return Files([letter(100 + number, each, reason="too-large") for number, each in enumerate(data)])


def test_a_row_that_no_channel_takes_goes_by_file_and_once() -> None:
    world = files(LARGE, GOOD)
    report = world.run()
    assert (report.letters, report.rows, report.already, dict(report.remaining)) == (2, 2, 0, {})
    assert world.numbers == ["100", "101"]
    again = world.run()
    assert (again.letters, again.already) == (0, 2)
    assert world.numbers == ["100", "101"]


def test_what_the_table_refuses_stays_a_letter_and_keeps_no_other_out() -> None:
    world = files(GOOD, BAD, GOOD)
    report = world.run()
    assert world.numbers == ["100", "102"]
    assert (report.letters, dict(report.remaining), report.rejection) == (2, {"the table refused it": 1}, "bad row")
    assert world.snowflake.stage == {}
    world.letters[1] = letter(101, GOOD)
    assert world.run().letters == 1
    assert world.numbers == ["100", "101", "102"]


@pytest.mark.parametrize("where", ["before history", "before put", "after put"])
def test_one_that_was_frozen_while_others_mended_the_table_adds_nothing(where: str) -> None:
    """Returns whether the pipe remembers that it has refused a file, nobody says: here it does not."""
    world = files(BAD)
    world.snowflake.forgets_failures = True
    thawed = iter([True])

    def effect(name: str) -> None:
        if name == where and next(thawed, False):
            assert world.run().letters == 0  # somebody else finishes the batch: it is refused
            world.snowflake.accepts_all = True
            assert world.run().letters == 1
            world.snowflake.now += timedelta(hours=1)

    world.run(effect)
    while world.snowflake.queue:
        world.snowflake.work()
    assert world.numbers == ["100"]


@pytest.mark.parametrize("gone", [timedelta(days=15), None])
def test_what_the_pipe_has_forgotten_is_a_persons_to_say(gone: timedelta | None) -> None:
    world = files(GOOD)
    with pytest.raises(Killed):
        world.run(killed_when("after submit"))
    world.snowflake.work()
    if gone is None:
        world.pipe_created_ms = 2  # it was made again
    else:
        world.snowflake.now += gone
    with pytest.raises(FileUnprovable):
        world.run()
    assert world.run(unfinished=Outcome.ACCEPTED).already == 1
    assert world.numbers == ["100"]


def test_a_batch_of_one_way_is_not_finished_by_the_other() -> None:
    world = files(GOOD)
    with pytest.raises(Killed):
        world.run(killed_when("before put"))
    streamed = World(letters=world.letters, objects=world.objects)
    with pytest.raises(ReplayUnprovable, match="--by-file"):
        streamed.run()
    with pytest.raises(ReplayUnprovable, match="--by-file"):
        streamed.replay().decide(Outcome.VOID)
    assert streamed.rows == []


ROUTES = {"key": "kind", "tables": {"order": "ORDERS_2", "refund": "REFUNDS"}, "unmatched": "own_table"}
KINDS = ["order", "refund", "none", "order", "refund", "none", "bad"]


def routed() -> Files:
    world = files(*(b'{"kind":"%b"}' % kind.encode() for kind in KINDS))
    world.routes, world.beside = ROUTES, {"ORDERS_2": Pipe(), "REFUNDS": Pipe()}
    return world


def places(world: Files) -> dict[str, list[str]]:
    return {"": world.numbers, **{name: numbers(pipe) for name, pipe in world.beside.items()}}


ROUTED = {"": ["102", "105"], "ORDERS_2": ["100", "103"], "REFUNDS": ["101", "104"]}


@pytest.mark.parametrize("forgets", [False, True])
def test_letters_of_a_routed_pipeline_come_into_their_routes_tables_once_wherever_it_is_killed(forgets: bool) -> None:
    most = effects(routed())
    assert most > 100
    for place in range(most):
        world = routed()
        for pipe in world.pipes:
            pipe.forgets_failures = forgets
        with pytest.raises(Killed):
            world.run(killed_at(place))
        for pipe in world.pipes:
            pipe.now += timedelta(days=3)
        report = world.run()
        assert report.letters + report.already + sum(report.remaining.values()) == 7, place
        assert dict(report.remaining) == {"the table refused it": 1}
        while any(pipe.queue for pipe in world.pipes):
            world._sleep(1)
        assert places(world) == ROUTED, place


def test_frozen_anywhere_while_another_replays_by_file_each_table_has_each_row_once() -> None:
    for place in range(effects(routed())):
        world = routed()
        world.run(at_place(place, world.run))
        assert places(world) == ROUTED, place


def test_a_routed_batch_that_was_begun_by_channel_is_no_files_to_decide() -> None:
    """Also where its table has no pipe: the channel can still tell."""
    world = routed()
    streamed = World(letters=world.letters, objects=world.objects, routes=ROUTES, fixed=lambda data: data)
    streamed.beside = [replace(TARGET, table=name, pipe=f"{name}-STREAMING") for name in world.beside]
    with pytest.raises(Killed):
        streamed.run(killed_when("after append"))
    world.beside, world.routes = {}, None
    with pytest.raises(ReplayUnprovable, match="without --by-file"):
        world.run(unfinished=Outcome.VOID)
    streamed.run()
    assert sorted(streamed.numbers) == list(range(100, 107))


def test_a_dry_run_stages_nothing() -> None:
    world = files(LARGE)
    assert world.run(only_look=True).letters == 1
    assert (world.snowflake.stage, world.objects.kept) == ({}, {})


def test_the_name_of_a_file_is_in_the_words_of_paths() -> None:
    world = files(GOOD)
    names: list[str] = []
    world.run(lambda _: names.extend(world.snowflake.stage))
    assert {name.rpartition("/")[0] for name in names} == {"orders/1700000000000/shardId-000000000000"}
    assert file_transport.ROUNDS[-1] == 1
