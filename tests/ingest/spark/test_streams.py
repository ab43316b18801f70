"""Streams that appear while the engine runs are planned when a pattern finds them; each stands for itself."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from firnline_ingest.spark import streams
from firnline_ingest.spark.pattern_watch import PatternWatch
from firnline_ingest.spark.planner import PlanRow, ShardPlanner, SourceOffset
from firnline_local.kinesis import FakeKinesis, ManualClock
from tests.fakes.configs import config, matching
from tests.fakes.kinesis import client_of, refused
from tests.fakes.ledger import MemoryLedger
from tests.ingest.spark.test_planner import problems


@dataclass
class World:
    """One application that begins again whenever `planner` is called: ledger and checkpoint stay."""

    clock: ManualClock = field(default_factory=ManualClock)
    ledger: MemoryLedger = field(default_factory=MemoryLedger)
    offset: SourceOffset = field(default_factory=SourceOffset)

    def __post_init__(self) -> None:
        self.kinesis = FakeKinesis(clock=self.clock)

    def planner(self, *patterns: str, **options: Any) -> ShardPlanner:
        seconds = options.pop("list_streams_seconds", 60)
        found = [matching(each, **options) for each in patterns]
        asked = config(pipelines=[], list_streams_seconds=seconds, patterns=found)
        planner = ShardPlanner(asked, client_of(self.kinesis), self.ledger, sleep=lambda _: None)
        planner._streams.clock = lambda: self.clock().timestamp()
        return planner

    def plan(self, planner: ShardPlanner) -> list[PlanRow]:
        self.offset = planner.next_offset(self.offset)
        return list(planner.rows(self.offset))


def starts(rows: list[PlanRow]) -> Mapping[str, str]:
    return {row.stream: row.start for row in rows if not row.problem}


@pytest.fixture
def world() -> World:
    return World()


def test_a_stream_that_appears_is_read_from_its_beginning_after_the_interval(world: World) -> None:
    world.kinesis.create_stream("clicks-eu")
    world.kinesis.create_stream("other")
    planner = world.planner("clicks-.*")
    assert starts(world.plan(planner)) == {"clicks-eu": "h"}
    world.kinesis.create_stream("clicks-us")
    assert starts(world.plan(planner)) == {"clicks-eu": "h"}, "streams are listed once an interval"
    world.clock.advance(seconds=61)
    assert starts(world.plan(planner)) == {"clicks-eu": "h", "clicks-us": "h"}


def test_how_often_streams_are_listed_is_a_setting(world: World) -> None:
    planner = world.planner("clicks-.*", list_streams_seconds=600)
    world.plan(planner)
    world.kinesis.create_stream("clicks-us")
    world.clock.advance(seconds=599)
    assert starts(world.plan(planner)) == {}
    world.clock.advance(seconds=2)
    assert starts(world.plan(planner)) == {"clicks-us": "h"}


def test_latest_is_when_the_application_began_to_look_also_for_streams_that_appear_later(world: World) -> None:
    world.kinesis.create_stream("clicks-eu")
    began_ms = int(world.clock().timestamp()) * 1000
    latest = {"initial_position": {"at": "LATEST"}}
    planner = world.planner("clicks-.*", "orders-.*", **latest)
    assert starts(world.plan(planner)) == {"clicks-eu": f"t:{began_ms}"}
    world.clock.advance(seconds=90)
    world.kinesis.create_stream("clicks-us")
    world.clock.advance(seconds=90)
    again = world.planner("clicks-.*", "orders-.*", **latest)
    assert starts(world.plan(again)) == {"clicks-eu": f"t:{began_ms}", "clicks-us": f"t:{began_ms}"}
    world.clock.advance(seconds=90)
    world.kinesis.create_stream("orders-eu")
    assert starts(world.plan(again))["orders-eu"] == f"t:{began_ms}", "a pattern that had no stream began then too"


def test_what_a_stream_held_before_it_was_found_is_ours_where_it_came_after_the_application_had_begun_to_look(
    world: World,
) -> None:
    """So its loss is told, as that of a named stream is: the engine may have been away for longer than the retention period."""
    world.kinesis.create_stream("clicks-eu")
    world.plan(world.planner("clicks-.*"))
    world.clock.advance(seconds=3600)
    created_ms = world.kinesis.create_stream("clicks-us").found.created_ms
    world.clock.advance(seconds=90_000)
    rows = {row.stream: row for row in world.plan(world.planner("clicks-.*", "other-.*"))}
    assert rows["clicks-us"].since_ms == created_ms
    world.kinesis.create_stream("other-eu")
    world.clock.advance(seconds=90_000)
    first = {row.stream: row for row in world.plan(world.planner("clicks-.*", "other-e.*"))}
    assert first["other-eu"].since_ms == int(world.clock().timestamp()) * 1000, (
        "nobody had looked for that pattern's streams"
    )


def test_an_overlap_that_a_new_stream_makes_stops_that_stream_alone(world: World) -> None:
    world.kinesis.create_stream("clicks-eu")
    planner = world.planner("clicks-.*", ".*-us")
    assert problems(world.plan(planner)) == {}
    world.kinesis.create_stream("clicks-us")
    world.clock.advance(seconds=61)
    rows = world.plan(planner)
    assert (starts(rows), problems(rows)) == ({"clicks-eu": "h"}, {"clicks-us": "FL-2341"})


def test_streams_that_were_begun_are_read_on_where_none_can_be_listed(world: World) -> None:
    world.kinesis.create_stream("clicks-eu")
    world.plan(world.planner("clicks-.*"))
    world.kinesis.faults.replace([refused("ListStreams", "AccessDeniedException")])
    rows = world.plan(world.planner("clicks-.*"))
    assert (starts(rows), problems(rows)) == ({"clicks-eu": "h"}, {"clicks-.*": "FL-2002"})
    world.kinesis.faults.replace([])
    rows = world.plan(world.planner("clicks-.*"))
    assert (starts(rows), problems(rows)) == ({"clicks-eu": "h"}, {})


def test_a_stream_that_was_begun_and_deleted_is_told_also_after_a_restart(world: World) -> None:
    for name in ("clicks-eu", "clicks-us"):
        world.kinesis.create_stream(name)
    planner = world.planner("clicks-.*")
    world.plan(planner)
    planner.kinesis.delete_stream(StreamName="clicks-us")
    world.clock.advance(seconds=61)
    for each in (planner, world.planner("clicks-.*")):
        rows = world.plan(each)
        assert (starts(rows), problems(rows)) == ({"clicks-eu": "h"}, {"clicks-us": "FL-2001"})
    rows = world.plan(world.planner("clicks-.*", exclude=["clicks-us"]))
    assert (starts(rows), problems(rows)) == ({"clicks-eu": "h"}, {})


def test_a_plan_that_is_replayed_by_a_new_engine_has_the_streams_of_its_offset(world: World) -> None:
    world.kinesis.create_stream("clicks-eu")
    world.plan(world.planner("clicks-.*"))
    assert starts(list(world.planner("clicks-.*").rows(world.offset))) == {"clicks-eu": "h"}


def test_a_pattern_without_a_stream_is_said_now_and_then(world: World, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "firnline_ingest")
    watch = PatternWatch(world.planner("clicks-.*", "orders-.*").config, lambda: world.clock().timestamp())

    def said() -> list[tuple[str, str]]:
        return [(each.getMessage(), vars(each)["pattern"]) for each in caplog.records]

    for _ in range(3):
        watch.look({"clicks-eu"})
    assert said() == [("pattern.streams", "clicks-.*"), ("pattern.empty", "orders-.*")]
    assert vars(caplog.records[-1])["problem"] == "FL-2342"
    world.clock.advance(seconds=301)
    watch.look({"clicks-eu"})
    watch.look({"clicks-eu", "orders-eu"})
    assert said()[2:] == [("pattern.empty", "orders-.*"), ("pattern.streams", "orders-.*")]


def test_a_listing_that_nobody_understands_stops_no_stream_that_was_begun(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.kinesis.create_stream("orders")
    planner = world.planner("ord.*")
    world.plan(planner)
    world.clock.advance(hours=1)

    def defect(client: object) -> object:
        raise KeyError("StreamStatus")

    monkeypatch.setattr(streams, "list_streams", defect)
    rows = world.plan(planner)
    assert list(starts(rows)) == ["orders"]
    assert problems(rows) == {"ord.*": "FL-1000"}
