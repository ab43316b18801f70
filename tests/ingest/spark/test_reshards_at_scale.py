"""Reshards of every size and order, restarts and lost checkpoints, for each initial position: the engine's planner over the
embedded Kinesis, and readers that take what it plans, some records at a time. Every record is read once, parents first.
"""

import json
import random
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from firnline_ingest.kinesis.start import After, AtTimestamp, Pin, TrimHorizon, parse_start
from firnline_ingest.spark.groups import Placement, place
from firnline_ingest.spark.planner import PlanRow, ShardPlanner, SourceOffset
from firnline_ingest.values import Fence, Position, ShardKey
from firnline_local.kinesis import FakeKinesis, ManualClock
from tests.fakes.configs import config, reading
from tests.fakes.kinesis import client_of, faults_of, refused
from tests.fakes.ledger import MemoryLedger

SECOND_MS = 1000


class Story:
    """One stream and one application. `begin` is its initial position, as a configuration has it."""

    def __init__(self, seed: int, begin: dict[str, Any], *, shards: int = 4) -> None:
        self.rng = random.Random(seed)
        self.clock = ManualClock()
        self.kinesis = FakeKinesis(clock=self.clock, read_limits=False)
        self.stream = self.kinesis.create_stream("a", shards=shards)
        self.ledger, self.offset = MemoryLedger(), SourceOffset()
        self.client = client_of(self.kinesis)
        self.begin = begin
        self.read: list[tuple[str, int]] = []
        self.restart()

    def restart(self) -> None:
        asked = config(pipelines=[reading("a", initial_position=self.begin)])
        self.planner = ShardPlanner(asked, self.client, self.ledger, sleep=lambda _: None)

    def put(self, count: int) -> None:
        for _ in range(count):
            self.rng.choice(self.stream.open_shards).put({"n": 1})
            self.clock.advance(seconds=self.rng.choice((0.0, 0.3, 2.0)))

    def epoch(self, *, takes_all: bool = False) -> dict[str, PlanRow]:
        """Plans some of what is left of each shard."""
        self.offset = self.planner.next_offset(self.offset)
        rows = list(self.planner.rows(self.offset))
        assert [row.problem for row in rows if row.problem] == []
        for row in rows:
            self._take(row, 1000 if takes_all else self.rng.choice((0, 1, 3, 1000)))
        return {row.shard: row for row in rows}

    def _take(self, planned: PlanRow, most: int) -> None:
        key = ShardKey("a", planned.created_ms, planned.shard)
        known, shard = self.ledger.read(key), self.stream.shard(planned.shard)
        start = parse_start(planned.start)
        assert start is not None
        pin: Pin = TrimHorizon() if isinstance(start, After) else start
        row = known or self.ledger.take(key, Fence(), "test", pin)
        here = After(row.read_through) if row.read_through else row.start
        left = [each for each in shard.records if begins(here, each)]
        taken = left[:most]
        self.read += [(shard.id, int(each.sequence_number)) for each in taken]
        is_end = not shard.is_open and len(taken) == len(left)
        children = tuple(child.id for child in shard.children) if is_end else ()
        through = Position(int(taken[-1].sequence_number)) if taken else row.read_through
        tip_ms = int(self.clock().timestamp() * 1000)
        self.ledger.write(replace(row, read_through=through, ended=is_end, children=children, tip_ms=tip_ms))

    def finish(self) -> None:
        """Until two plans in a row have nothing left to read."""
        idle = 0
        while idle < 2:
            before = len(self.read)
            rows = self.epoch(takes_all=True)
            is_idle = len(self.read) == before and all(self.stream.shard(shard).is_open for shard in rows)
            idle = idle + 1 if is_idle else 0

    def judge(self, begin: Pin) -> None:
        wanted = {
            (shard.id, int(each.sequence_number))
            for shard in self.stream.shards
            for each in shard.records
            if begins(begin, each)
        }
        assert len(self.read) == len(set(self.read)), "none is doubled"
        assert set(self.read) == wanted, "none is missing, none is from before"
        order = {shard: number for number, (shard, _) in enumerate(self.read)}
        first = {shard: number for number, (shard, _) in reversed(list(enumerate(self.read)))}
        for shard in self.stream.shards:
            for parent in shard.parents:
                if shard.id in first and parent.id in order:
                    assert order[parent.id] < first[shard.id], "a child begins after its parents ended"


def begins(start: Any, record: Any) -> bool:
    match start:
        case AtTimestamp(ms):
            return bool(round(record.arrived_at.timestamp() * 1000) >= ms)
        case After(position):
            return int(record.sequence_number) > position.sequence_number
        case _:
            return True


def reshard(story: Story, act: str) -> None:
    shards, rng = story.stream.open_shards, story.rng
    match act:
        case "split":
            for shard in rng.sample(shards, min(len(shards), rng.randint(1, 3))):
                shard.split()
        case "split twice":
            child, _ = rng.choice(shards).split()
            child.split()
        case "merge" if len(shards) > 1:
            at = rng.randrange(len(shards) - 1)
            shards[at].merge(shards[at + 1])
        case "rescale":
            story.stream.rescale(rng.choice((1, 2, 5, 9)))
        case "omitted":
            rng.choice(story.stream.shards).leave_out(rng.randint(1, 2))


@pytest.mark.parametrize("at", ["TRIM_HORIZON", "LATEST", "AT_TIMESTAMP"])
@pytest.mark.parametrize("seed", range(5))
def test_every_record_is_read_once_whatever_is_resharded_and_restarted(at: str, seed: int) -> None:
    story = Story(seed, {"at": "TRIM_HORIZON" if at == "AT_TIMESTAMP" else at})
    story.put(20)
    reshard(story, "split")
    story.put(20)
    now_ms = int(story.clock().timestamp()) * SECOND_MS
    begin: Pin = TrimHorizon() if at == "TRIM_HORIZON" else AtTimestamp(now_ms)
    if at == "AT_TIMESTAMP":
        begin = AtTimestamp(now_ms - 10_500)
        moment = datetime.fromtimestamp((now_ms - 10_500) / 1000, UTC)
        story.begin = {"at": at, "timestamp": moment.isoformat()}
        story.restart()
    for _ in range(15):
        story.epoch()
        story.put(story.rng.randint(0, 6))
        reshard(story, story.rng.choice(("split", "split twice", "merge", "rescale", "omitted", "", "")))
        if story.rng.random() < 0.3:
            story.restart()
        if story.rng.random() < 0.15:
            story.offset = SourceOffset()  # a new checkpoint: the ledger alone knows
    story.finish()
    story.judge(begin)


def test_a_stream_goes_from_four_shards_to_sixty_four_to_three_under_load() -> None:
    story = Story(7, {"at": "TRIM_HORIZON"})
    placement, most, slots = Placement(), 32, {"executor_a_1": 2}
    for shards in (64, 3):
        story.put(60)
        story.epoch()
        story.stream.rescale(shards)
        for _ in range(12):
            story.put(20)
            rows = story.epoch()
            keys = {ShardKey("a", row.created_ms, row.shard) for row in rows.values()}
            placement = place(placement, keys, slots=slots, most=most)
            assert placement.left_out == (), "two tasks are enough for as many"
    story.finish()
    story.judge(TrimHorizon())
    assert len(story.stream.open_shards) == 3
    final = {row.shard for row in story.epoch().values()}
    assert final == {shard.id for shard in story.stream.open_shards}


def test_a_listing_whose_token_expires_between_two_pages_is_taken_anew() -> None:
    story = Story(1, {"at": "TRIM_HORIZON"}, shards=1100)
    story.kinesis.faults.replace([refused("ListShards", "ExpiredNextTokenException", times=1, after=1)])
    assert len(story.epoch()) == 1100
    (counted,) = faults_of(story.kinesis)
    assert (counted["calls"], counted["hits"]) == (4, 1), "page, refusal, and both pages"


def test_a_time_that_has_not_come_is_refused_until_it_has() -> None:
    story = Story(1, {"at": "TRIM_HORIZON"})
    moment = datetime.fromtimestamp(int(story.clock().timestamp()) + 100, UTC)
    story.begin = {"at": "AT_TIMESTAMP", "timestamp": moment.isoformat()}
    story.restart()
    (row,) = story.planner.rows(story.planner.next_offset(story.offset))
    assert json.loads(row.problem)["id"] == "FL-2344"
    story.put(3)
    story.clock.advance(seconds=100)
    story.put(3)
    story.finish()
    story.judge(AtTimestamp(int(moment.timestamp() * 1000)))


@pytest.mark.parametrize("seed", range(2))
def test_an_on_demand_stream_is_read_through_the_splits_that_the_service_makes_by_itself(seed: int) -> None:
    """Load grows until it splits, the mode changes to provisioned, is scaled down, and back: nothing is lost or doubled."""
    story = Story(seed, {"at": "TRIM_HORIZON"})
    story.kinesis.account.write_limits = True
    story.stream.delete()
    on_demand = {"StreamModeDetails": {"StreamMode": "ON_DEMAND"}}
    story.kinesis.call("CreateStream", {"StreamName": "a", **on_demand})
    for second in range(12):
        keys = [f"key-{story.rng.randrange(40)}" for _ in range(25)]
        for _ in range(second):
            records = [{"Data": b"x" * 40_000, "PartitionKey": key} for key in keys]
            story.kinesis.call("PutRecords", {"StreamName": "a", "Records": records})
        story.clock.advance(seconds=1)
        story.epoch()
        if story.rng.random() < 0.3:
            story.restart()
    grown = len(story.stream.open_shards)
    assert grown > 6, "the service has split some by itself"
    provisioned = {"StreamARN": story.stream.arn, "StreamModeDetails": {"StreamMode": "PROVISIONED"}}
    story.kinesis.call("UpdateStreamMode", provisioned)
    half = {"StreamName": "a", "TargetShardCount": -(-grown // 2), "ScalingType": "UNIFORM_SCALING"}
    story.kinesis.call("UpdateShardCount", half)
    story.put(20)
    story.kinesis.call("UpdateStreamMode", {"StreamARN": story.stream.arn, **on_demand})
    story.put(20)
    story.finish()
    story.judge(TrimHorizon())
    assert {row.shard for row in story.epoch().values()} == {shard.id for shard in story.stream.open_shards}
