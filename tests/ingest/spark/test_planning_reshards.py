"""Tests of what is planned of a stream that is resharded while listings lag, retention passes and batches are replayed."""

from dataclasses import replace

import pytest

from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.spark.planner import PlanRow, ShardPlanner, SourceOffset
from firnline_ingest.values import Fence, ShardKey
from firnline_local.kinesis import FakeKinesis, ManualClock, ShardHandle
from tests.fakes.kinesis import refused
from tests.ingest.spark.test_planner import World


class Stream(World):
    """One stream, whose planner is asked epoch after epoch, and whose shards' rows a test writes itself."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        super().__init__(FakeKinesis(clock=self.clock, read_limits=False))
        self.stream = self.kinesis.create_stream("a")
        self.offset = SourceOffset()

    def epoch(self, planner: ShardPlanner | None = None) -> dict[str, PlanRow]:
        planner = planner or self.planner("a")
        self.offset = planner.next_offset(self.offset)
        rows = list(planner.rows(self.offset))
        assert [row.problem for row in rows if row.problem] == []
        return {row.shard: row for row in rows}

    def has_row(self, shard: ShardHandle, *, ended: bool = False) -> None:
        key = ShardKey("a", self.stream.found.created_ms, shard.id)
        row = self.ledger.read(key) or self.ledger.take(key, Fence(), "test", TrimHorizon())
        self.ledger.write(replace(row, ended=ended, tip_ms=int(self.clock().timestamp() * 1000)))


@pytest.fixture
def stream() -> Stream:
    return Stream()


def test_latest_on_a_stream_that_was_resharded_an_hour_ago_reads_none_of_its_history(stream: Stream) -> None:
    parent = stream.stream.shard()
    children = parent.split()
    stream.clock.advance(hours=1)
    planner = stream.planner("a", initial_position={"at": "LATEST"})
    pin = f"t:{int(stream.clock().timestamp()) * 1000}"
    assert {shard: row.start for shard, row in stream.epoch(planner).items()} == {parent.id: pin}
    stream.has_row(parent, ended=True)
    assert {shard: row.start for shard, row in stream.epoch(planner).items()} == {child.id: pin for child in children}


def test_one_listing_that_omits_a_shard_neither_stops_it_nor_begins_its_children(stream: Stream) -> None:
    parent = stream.stream.shard()
    assert set(stream.epoch()) == {parent.id}
    stream.has_row(parent)
    parent.split()
    parent.leave_out()
    assert set(stream.epoch()) == {parent.id}


def test_a_parent_that_came_and_closed_between_two_plans_and_is_omitted_is_waited_for(stream: Stream) -> None:
    parent = stream.stream.shard()
    stream.epoch()
    stream.has_row(parent, ended=True)
    left, right = parent.split()
    left.split()
    left.leave_out()
    assert set(stream.epoch()) == {right.id}
    assert set(stream.epoch()) == {left.id, right.id}


def test_shards_that_came_and_went_during_an_outage_are_named_by_their_children(stream: Stream) -> None:
    a = stream.stream.shard()
    stream.epoch()
    stream.has_row(a)
    b, c = a.split()
    b.split()
    c.split()
    stream.clock.advance(hours=25)
    rows = stream.epoch()
    unread = {shard: row.unread_parents for shard, row in rows.items()}
    assert set(unread) == {a.id, *(shard.id for shard in stream.stream.open_shards)}
    assert sorted(unread.values()) == sorted(["", b.id, b.id, c.id, c.id])
    replayed = {row.shard: row.unread_parents for row in stream.planner("a").rows(stream.offset)}
    assert replayed == unread, "a batch that is replayed says the same"


def test_a_shard_that_is_gone_is_planned_while_its_child_waits_for_one_that_stopped(stream: Stream) -> None:
    a = stream.stream.shard()
    stream.epoch()
    stream.has_row(a)
    left, right = a.split()
    stream.has_row(a, ended=True)
    assert set(stream.epoch()) == {left.id, right.id}
    stream.has_row(right)
    merged = left.merge(right)
    stream.clock.advance(hours=25)
    planned = stream.epoch()
    assert set(planned) == {left.id, right.id}, "the loss of one is told beside the other's"
    stream.has_row(left, ended=True)
    assert set(stream.epoch()) == {right.id}
    stream.has_row(right, ended=True)
    assert {shard: row.unread_parents for shard, row in stream.epoch().items()} == {merged.id: ""}


def test_a_stream_that_asks_in_vain_about_a_parent_is_not_told_that_it_is_gone(stream: Stream) -> None:
    a = stream.stream.shard()
    stream.epoch()
    stream.has_row(a, ended=True)
    b, _ = a.split()
    b.split()
    b.leave_out(listings=2)
    stream.kinesis.faults.replace([refused("GetShardIterator", "ResourceNotFoundException", times=1)])
    assert all(row.unread_parents == "" for row in stream.epoch().values())


def test_a_replayed_batch_leaves_out_shards_that_have_expired(stream: Stream) -> None:
    a = stream.stream.shard()
    stream.epoch()
    a.split()
    stream.clock.advance(hours=25)
    assert list(stream.planner("a").rows(stream.offset)) == []
    unread = {row.unread_parents for row in stream.epoch().values()}
    assert unread == {a.id}, "it was pinned and never read"


def test_a_closed_shard_is_told_from_an_open_one(stream: Stream) -> None:
    parent = stream.stream.shard()
    assert not stream.epoch()[parent.id].is_closed
    parent.split()
    assert stream.epoch()[parent.id].is_closed
