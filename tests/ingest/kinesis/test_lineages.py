"""Many streams are planned within the limits of an account, and what changes under their names is seen."""

from dataclasses import dataclass, field

import pytest

from firnline_ingest.kinesis.errors import StreamMissing
from firnline_ingest.kinesis.lineages import RENEWED, Lineages
from firnline_local.kinesis import FakeKinesis, ManualClock
from tests.fakes.kinesis import client_of, faults_of, only_counted

OPERATIONS = ("DescribeStreamSummary", "ListShards")


@dataclass
class World:
    """The limits of the service are obeyed, on a clock that a sleep moves."""

    clock: ManualClock = field(default_factory=ManualClock)

    def __post_init__(self) -> None:
        self.kinesis = FakeKinesis(clock=self.clock)
        self.client = client_of(self.kinesis)

    def lineages(self) -> Lineages:
        return Lineages(
            lambda _: self.client,
            clock=lambda: self.clock().timestamp(),
            sleep=lambda seconds: self.clock.advance(seconds=seconds),
        )

    def count_calls(self) -> None:
        """From now on."""
        self.kinesis.faults.replace(map(only_counted, OPERATIONS))

    @property
    def calls(self) -> dict[str, int]:
        return {fault["endpoint"]: fault["calls"] for fault in faults_of(self.kinesis)}

    def plan(self, lineages: Lineages, streams: list[str], *, of: list[str] | None = None) -> dict[str, int]:
        """The calls that it took; of a plan of more streams than are read, where `of` names them."""
        self.count_calls()
        lineages.next_plan(of or streams)
        for stream in streams:
            lineages.read(stream)
        return {endpoint.partition(":")[2]: calls for endpoint, calls in self.calls.items()}


STREAMS = [f"s{number}" for number in range(50)]


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def fifty(world: World) -> World:
    """A planner, whose fifty streams were planned once."""
    for stream in STREAMS:
        world.kinesis.create_stream(stream, shards=2)
    world.planned = world.lineages()
    world.plan(world.planned, STREAMS)
    return world


def test_fifty_streams_are_planned_without_a_refusal_and_their_summaries_renewed_in_turns(world: World) -> None:
    for stream in STREAMS:
        world.kinesis.create_stream(stream, shards=10)
    lineages, began = world.lineages(), world.clock()
    assert world.plan(lineages, STREAMS) == {"DescribeStreamSummary": 50, "ListShards": 50}
    assert (world.clock() - began).total_seconds() < 3
    renewed = [world.plan(lineages, STREAMS) for _ in range(3)]
    assert all(calls["ListShards"] == 50 for calls in renewed)
    assert sum(calls["DescribeStreamSummary"] for calls in renewed) == 50
    assert max(calls["DescribeStreamSummary"] for calls in renewed) <= RENEWED


def test_a_few_streams_are_asked_for_everything_in_every_plan(world: World) -> None:
    for stream in "ab":
        world.kinesis.create_stream(stream)
    lineages = world.lineages()
    for _ in range(2):
        assert world.plan(lineages, ["a", "b"]) == {"DescribeStreamSummary": 2, "ListShards": 2}


def test_a_stream_that_was_made_again_under_its_name_is_seen_in_the_next_plan(fifty: World) -> None:
    before = {stream: fifty.planned.read(stream).stream_created_ms for stream in STREAMS}
    for stream in STREAMS:
        fifty.client.delete_stream(StreamName=stream)
        fifty.kinesis.create_stream(stream, shards=2)
    fifty.clock.advance(seconds=2)
    fifty.planned.next_plan(STREAMS)
    assert all(fifty.planned.read(stream).stream_created_ms > before[stream] for stream in STREAMS)


def test_a_changed_retention_is_seen_within_as_many_plans_as_there_are_turns(fifty: World) -> None:
    for stream in STREAMS:
        fifty.client.increase_stream_retention_period(StreamName=stream, RetentionPeriodHours=48)
    for _ in range(3):
        fifty.plan(fifty.planned, STREAMS)
    fifty.planned.next_plan(STREAMS)
    assert {fifty.planned.read(stream).retention_hours for stream in STREAMS} == {48}


def test_a_reshard_is_no_other_stream(fifty: World) -> None:
    for _ in range(3):
        for stream in ("s0", "s1", "s2"):
            fifty.kinesis.stream(stream).shards[-1].split()
        calls = fifty.plan(fifty.planned, ["s0", "s1", "s2"], of=STREAMS)
        assert calls == {"DescribeStreamSummary": 1, "ListShards": 3}


def test_a_stream_that_was_deleted_is_missing_whether_its_turn_has_come_or_not(fifty: World) -> None:
    for stream in STREAMS[:3]:
        fifty.client.delete_stream(StreamName=stream)
    fifty.planned.next_plan(STREAMS)
    for stream in STREAMS[:3]:
        with pytest.raises(StreamMissing):
            fifty.planned.read(stream)
