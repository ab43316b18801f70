"""Many streams are planned within the limits of an account, and what changes under their names is seen."""

import json
from dataclasses import dataclass, field

import pytest

from firnline_ingest.config.model import AwsConfig
from firnline_ingest.kinesis.client import kinesis_client
from firnline_ingest.kinesis.errors import StreamMissing
from firnline_ingest.kinesis.lineages import RENEWED, Lineages
from firnline_local.faults import Fault, FaultKind
from firnline_local.kinesis import FakeKinesis, ManualClock

OPERATIONS = ("DescribeStreamSummary", "ListShards")


@dataclass
class World:
    """The limits of the service are obeyed, on a clock that a sleep moves."""

    clock: ManualClock = field(default_factory=ManualClock)

    def __post_init__(self) -> None:
        self.kinesis = FakeKinesis(clock=self.clock)
        self.client = kinesis_client(AwsConfig(region="us-east-1", endpoints={"kinesis": "http://fake.invalid"}))
        self.kinesis.connect(self.client)

    def lineages(self) -> Lineages:
        return Lineages(
            lambda _: self.client,
            clock=lambda: self.clock().timestamp(),
            sleep=lambda seconds: self.clock.advance(seconds=seconds),
        )

    def count_calls(self) -> None:
        """From now on."""
        self.kinesis.faults.replace(
            Fault(endpoint=f"kinesis:{name}", kind=FaultKind.ERROR, times=0) for name in OPERATIONS
        )

    @property
    def calls(self) -> dict[str, int]:
        return {fault["endpoint"]: fault["calls"] for fault in json.loads(self.kinesis.faults.to_json())}

    def plan(self, lineages: Lineages, streams: list[str], *, of: list[str] | None = None) -> dict[str, int]:
        """The calls that it took; of a plan of more streams than are read, where `of` names them."""
        self.count_calls()
        lineages.next_plan(of or streams)
        for stream in streams:
            lineages.read(stream)
        return {endpoint.partition(":")[2]: calls for endpoint, calls in self.calls.items()}


@pytest.fixture
def world() -> World:
    return World()


def test_fifty_streams_are_planned_without_a_refusal_and_their_summaries_renewed_in_turns(world: World) -> None:
    streams = [f"s{number}" for number in range(50)]
    for stream in streams:
        world.kinesis.create_stream(stream, shards=10)
    lineages, began = world.lineages(), world.clock()
    assert world.plan(lineages, streams) == {"DescribeStreamSummary": 50, "ListShards": 50}
    assert (world.clock() - began).total_seconds() < 3
    renewed = [world.plan(lineages, streams) for _ in range(3)]
    assert all(calls["ListShards"] == 50 for calls in renewed)
    assert sum(calls["DescribeStreamSummary"] for calls in renewed) == 50
    assert max(calls["DescribeStreamSummary"] for calls in renewed) <= RENEWED


def test_a_few_streams_are_asked_for_everything_in_every_plan(world: World) -> None:
    for stream in "ab":
        world.kinesis.create_stream(stream)
    lineages = world.lineages()
    for _ in range(2):
        assert world.plan(lineages, ["a", "b"]) == {"DescribeStreamSummary": 2, "ListShards": 2}


def test_a_stream_that_was_made_again_under_its_name_is_seen_in_the_next_plan(world: World) -> None:
    streams = [f"s{number}" for number in range(50)]
    for stream in streams:
        world.kinesis.create_stream(stream, shards=2)
    lineages = world.lineages()
    world.plan(lineages, streams)
    before = {stream: lineages.read(stream).stream_created_ms for stream in streams}
    for stream in streams:
        world.client.delete_stream(StreamName=stream)
        world.kinesis.create_stream(stream, shards=2)
    world.clock.advance(seconds=2)
    lineages.next_plan(streams)
    assert all(lineages.read(stream).stream_created_ms > before[stream] for stream in streams)


def test_a_changed_retention_is_seen_within_as_many_plans_as_there_are_turns(world: World) -> None:
    streams = [f"s{number}" for number in range(50)]
    for stream in streams:
        world.kinesis.create_stream(stream)
    lineages = world.lineages()
    world.plan(lineages, streams)
    for stream in streams:
        world.client.increase_stream_retention_period(StreamName=stream, RetentionPeriodHours=48)
    for _ in range(3):
        world.plan(lineages, streams)
    lineages.next_plan(streams)
    assert {lineages.read(stream).retention_hours for stream in streams} == {48}


def test_a_reshard_is_no_other_stream(world: World) -> None:
    streams = [f"s{number}" for number in range(50)]
    for stream in streams:
        world.kinesis.create_stream(stream)
    lineages = world.lineages()
    world.plan(lineages, ["s0", "s1", "s2"], of=streams)
    for _ in range(3):
        for stream in ("s0", "s1", "s2"):
            world.kinesis.stream(stream).shards[-1].split()
        calls = world.plan(lineages, ["s0", "s1", "s2"], of=streams)
        assert calls == {"DescribeStreamSummary": 1, "ListShards": 3}


def test_a_stream_that_was_deleted_is_missing_whether_its_turn_has_come_or_not(world: World) -> None:
    streams = [f"s{number}" for number in range(50)]
    for stream in streams:
        world.kinesis.create_stream(stream)
    lineages = world.lineages()
    world.plan(lineages, streams)
    for stream in streams[:3]:
        world.client.delete_stream(StreamName=stream)
    lineages.next_plan(streams)
    for stream in streams[:3]:
        with pytest.raises(StreamMissing):
            lineages.read(stream)
