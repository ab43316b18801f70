"""Tests of what the source plans of several streams, over a real client and the embedded Kinesis."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pytest

from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.errors import LedgerUnavailable
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.spark.planner import PlanRow, ShardPlanner, SourceOffset
from firnline_ingest.values import Fence, ShardKey
from firnline_local.kinesis import FakeKinesis, ManualClock
from tests.fakes.configs import config, reading
from tests.fakes.kinesis import client_of, faults_of, only_counted, refused
from tests.fakes.ledger import MemoryLedger


class LedgerWithAHole(MemoryLedger):
    """Does not tell the rows of one stream."""

    broken = "b"

    def rows(self, incarnation: str) -> Mapping[str, ShardRow]:
        if incarnation.startswith(f"{self.broken}@"):
            raise LedgerUnavailable("ledger", "a test")
        return super().rows(incarnation)


@dataclass
class World:
    kinesis: FakeKinesis = field(default_factory=FakeKinesis)
    ledger: MemoryLedger = field(default_factory=MemoryLedger)

    def planner(self, *streams: str, **options: object) -> ShardPlanner:
        asked = config(pipelines=[reading(stream, **options) for stream in streams])
        return ShardPlanner(asked, client_of(self.kinesis), self.ledger, sleep=lambda _: None)

    def plan(self, *streams: str, **options: object) -> list[PlanRow]:
        """The first one of a new engine."""
        planner = self.planner(*streams, **options)
        return list(planner.rows(planner.next_offset(SourceOffset())))

    def create(self, *streams: str, shards: int = 1) -> None:
        for stream in streams:
            self.kinesis.create_stream(stream, shards=shards)


@pytest.fixture
def world() -> World:
    return World()


def shards(rows: list[PlanRow]) -> list[tuple[str, str]]:
    return [(row.stream, row.shard) for row in rows if not row.problem]


def problems(rows: list[PlanRow]) -> dict[str, str]:
    found = [(row, json.loads(row.problem)) for row in rows if row.problem]
    assert all((row.shard, row.created_ms) == ("", 0) for row, _ in found)
    return {row.stream: problem["id"] for row, problem in found}


def test_a_stream_that_is_not_there_stops_only_its_own_pipeline(world: World) -> None:
    world.create("a")
    rows = world.plan("a", "gone")
    assert shards(rows) == [("a", "shardId-000000000000")]
    assert problems(rows) == {"gone": "FL-2001"}


def test_a_stream_that_is_being_made_is_not_ready_and_is_planned_once_it_is(world: World) -> None:
    """The stream's summary is there from the beginning, its shards are not."""
    clock = ManualClock()
    world.kinesis = FakeKinesis(clock=clock, creating_s=30)
    world.create("a")
    world.kinesis.call("CreateStream", {"StreamName": "new", "ShardCount": 1})
    rows = world.plan("a", "new")
    assert (shards(rows), problems(rows)) == ([("a", "shardId-000000000000")], {"new": "FL-2018"})
    clock.advance(seconds=30)
    assert [stream for stream, _ in shards(world.plan("a", "new"))] == ["a", "new"]


def test_a_stream_whose_rows_the_ledger_does_not_tell_is_named_and_the_others_are_planned(world: World) -> None:
    world.ledger = LedgerWithAHole()
    world.create("a", "b")
    rows = world.plan("a", "b")
    assert (shards(rows), problems(rows)) == ([("a", "shardId-000000000000")], {"b": "FL-2103"})


def test_where_a_stream_stood_is_kept_while_it_can_not_be_planned(world: World) -> None:
    world.create("a")
    planner = world.planner("a")
    before = planner.next_offset(SourceOffset())
    world.kinesis.faults.replace([refused("ListShards", "InternalFailure", status=500)])
    after = planner.next_offset(before)
    assert after == SourceOffset(2, before.streams)
    assert problems(list(planner.rows(after))) == {"a": "FL-2005"}


def test_what_passes_is_waited_out_for_its_stream_alone(world: World) -> None:
    world.create("a", "b")
    world.kinesis.faults.replace([refused("ListShards", "InternalFailure", status=500, times=1)])
    rows = world.plan("a", "b")
    assert problems(rows) == {}
    assert len(shards(rows)) == 2
    (fault,) = faults_of(world.kinesis)
    assert (fault["calls"], fault["hits"]) == (3, 1), "two streams, and one of them twice"


def test_an_epoch_that_is_replayed_looks_afresh(world: World) -> None:
    world.create("a")
    offset = world.planner("a", "gone").next_offset(SourceOffset())
    rows = list(world.planner("a", "gone").rows(offset))
    assert (shards(rows), problems(rows)) == ([("a", "shardId-000000000000")], {"gone": "FL-2001"})


def test_the_world_is_read_once_for_an_epoch(world: World) -> None:
    world.create("a", "b")
    world.kinesis.faults.replace(map(only_counted, ("Describe*", "ListShards")))
    assert len(world.plan("a", "b")) == 2
    assert [fault["calls"] for fault in faults_of(world.kinesis)] == [2, 2]


def test_a_paused_stream_is_in_no_plan_and_goes_on_where_it_was(world: World) -> None:
    world.create("a", "b")
    planner = world.planner("a", "b")
    first = planner.next_offset(SourceOffset())
    assert world.ledger.pause("b", True)
    paused = planner.next_offset(first)
    assert [stream for stream, _ in shards(list(planner.rows(paused)))] == ["a"]
    assert paused.of_stream("b") == first.of_stream("b")
    assert world.ledger.pause("b", False)
    assert [stream for stream, _ in shards(list(planner.rows(planner.next_offset(paused))))] == ["a", "b"]


def test_a_replay_of_a_plan_leaves_out_what_was_paused_since(world: World) -> None:
    world.create("a")
    offset = world.planner("a").next_offset(SourceOffset())
    world.ledger.pause("a", True)
    assert list(world.planner("a").rows(offset)) == []


def test_nothing_is_paused_that_was_never_read(world: World) -> None:
    assert not world.ledger.pause("never", True)


def test_what_left_retention_before_any_shard_was_opened_is_known_by_the_first_plan() -> None:
    """Executors that never came, a table that could not be reached, an engine that died between its plan and its rows."""
    clock = ManualClock()
    world = World(FakeKinesis(clock=clock))
    world.create("a")
    planner = world.planner("a")
    offset = planner.next_offset(SourceOffset())
    (first,) = planner.rows(offset)
    clock.advance(hours=30)
    (replayed,) = world.planner("a").rows(offset)
    again = world.planner("a")
    (later,) = again.rows(again.next_offset(offset))
    assert first.since_ms > 0
    assert [replayed.since_ms, later.since_ms] == [first.since_ms] * 2


def test_a_plan_says_up_to_when_each_shard_was_read_also_where_nobody_reads_it(world: World) -> None:
    """The metric made of that, the time until records are dropped, has to fall for a shard that has stopped."""
    world.kinesis.create_stream("a", shards=2)
    planner = world.planner("a")
    offset = planner.next_offset(SourceOffset())
    first, second = planner.rows(offset)
    key = ShardKey("a", first.created_ms, first.shard)
    taken = world.ledger.take(key, Fence(), "run/1", TrimHorizon())
    world.ledger.write(replace(taken, tip_ms=1_000_000, arrived_ms=2_000_000))
    found = {row.shard: row.known_ms for row in planner.rows(planner.next_offset(offset))}
    assert found == {first.shard: 2_000_000, second.shard: second.since_ms}


def test_a_child_of_shards_whose_rows_were_lost_may_have_lost_what_arrived_since_the_first_plan(world: World) -> None:
    """Not only since another shard was read, which went on while this one waited: that is no time of this shard's."""
    clock = ManualClock()
    world = World(FakeKinesis(clock=clock))
    stream = world.kinesis.create_stream("a", shards=3)
    planner = world.planner("a")
    offset = planner.next_offset(SourceOffset())
    first = next(iter(planner.rows(offset)))
    left, right, other = stream.open_shards
    left.merge(right)
    key = ShardKey("a", first.created_ms, other.id)
    clock.advance(hours=60)
    now_ms = int(clock.now.timestamp() * 1000)
    stream.found.expire(now_ms)
    world.ledger.write(
        replace(world.ledger.take(key, Fence(), "run/1", TrimHorizon()), arrived_ms=now_ms, tip_ms=now_ms)
    )
    stream.found.keep_for(48, now_ms)
    planner = world.planner("a")
    child = next(
        row for row in planner.rows(planner.next_offset(offset)) if row.shard not in (left.id, right.id, other.id)
    )
    assert child.unread_parents == f"{left.id},{right.id}"
    assert child.since_ms == first.since_ms


LAZY = {"fan_out": {"registration": "lazy", "consumer": "mine"}}


def test_a_consumer_is_registered_with_the_plan_of_its_stream_and_said_to_its_shards(world: World) -> None:
    stream = world.kinesis.create_stream("a", shards=2)
    planner = world.planner("a", reader=LAZY)
    first = planner.next_offset(SourceOffset())
    (consumer,) = stream.found.consumers.values()
    assert [row.consumer_arn for row in planner.rows(first)] == [consumer.arn] * 2
    replayed = world.planner("a", reader=LAZY)
    assert [row.consumer_arn for row in replayed.rows(first)] == [consumer.arn] * 2


def test_a_consumer_that_is_somebody_elses_stops_only_its_own_pipeline(world: World) -> None:
    world.create("a", "b")
    arn = world.kinesis.stream("a").arn
    world.kinesis.call("RegisterStreamConsumer", {"StreamARN": arn, "ConsumerName": "mine"})
    rows = world.plan("a", "b", reader=LAZY)
    assert (shards(rows), problems(rows)) == ([("b", "shardId-000000000000")], {"a": "FL-2325"})


def test_a_stream_that_was_made_again_gets_no_consumer_before_a_person_begins_it(world: World) -> None:
    world.create("a")
    planner = world.planner("a", reader=LAZY)
    offset = planner.next_offset(SourceOffset())
    created_ms = world.kinesis.stream("a").found.created_ms
    world.ledger.take(ShardKey("a", created_ms, "shardId-000000000000"), Fence(), "me", TrimHorizon())
    world.kinesis.call("DeleteStream", {"StreamName": "a", "EnforceConsumerDeletion": True})
    stream = world.kinesis.create_stream("a")
    rows = list(planner.rows(planner.next_offset(offset)))
    assert (problems(rows), stream.found.consumers) == ({"a": "FL-2013"}, {})
