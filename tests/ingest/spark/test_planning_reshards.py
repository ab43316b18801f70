"""What is planned of a stream that is resharded while listings lag, retention passes and batches are replayed."""

from dataclasses import replace

import pytest

from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.spark.planner import PlanRow, ShardPlanner, SourceOffset
from firnline_ingest.values import Fence, ShardKey
from firnline_local.faults import Fault, FaultKind
from firnline_local.kinesis import FakeKinesis, ManualClock, ShardHandle
from tests.ingest.spark.test_planner import World


class Stream(World):
    """One stream, whose planner is asked epoch after epoch, and whose shards' rows a test writes itself."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        super().__init__(FakeKinesis(clock=self.clock, read_limits=False))
        self.stream = self.kinesis.create_stream("a")
        self.offset = SourceOffset()

    def plan(self, planner: ShardPlanner | None = None) -> dict[str, PlanRow]:
        planner = planner or self.planner("a")
        self.offset = planner.next_offset(self.offset)
        rows = list(planner.rows(self.offset))
        assert [row.problem for row in rows if row.problem] == []
        return {row.shard: row for row in rows}

    def has_row(self, shard: ShardHandle, *, ended: bool = False) -> None:
        key = ShardKey("a", self.stream.found.created_ms, shard.id)
        row = self.ledger.read(key) or self.ledger.take(key, Fence(), "test", TrimHorizon())
        self.ledger.write(replace(row, ended=ended, tip_ms=int(self.clock().timestamp() * 1000)))

    def row(self, shard: ShardHandle) -> ShardRow:
        row = self.ledger.read(ShardKey("a", self.stream.found.created_ms, shard.id))
        assert row is not None
        return row


@pytest.fixture
def stream() -> Stream:
    return Stream()


def test_latest_on_a_stream_that_was_resharded_an_hour_ago_reads_none_of_its_history(stream: Stream) -> None:
    parent = stream.stream.shard()
    children = parent.split()
    stream.clock.advance(hours=1)
    planner = stream.planner("a")
    pipeline = planner.config.pipelines[0].model_validate(
        {"stream": "a", "database": "DB", "schema": "RAW", "initial_position": {"at": "LATEST"}}
    )
    planner = replace(planner, config=planner.config.model_copy(update={"pipelines": [pipeline]}))
    pin = f"t:{int(stream.clock().timestamp()) * 1000}"
    assert {shard: row.start for shard, row in stream.plan(planner).items()} == {parent.id: pin}
    stream.has_row(parent, ended=True)
    assert {shard: row.start for shard, row in stream.plan(planner).items()} == {child.id: pin for child in children}


def test_one_listing_that_omits_a_shard_neither_stops_it_nor_begins_its_children(stream: Stream) -> None:
    parent = stream.stream.shard()
    assert set(stream.plan()) == {parent.id}
    stream.has_row(parent)
    parent.split()
    parent.leave_out()
    assert set(stream.plan()) == {parent.id}


def test_a_parent_that_came_and_closed_between_two_plans_and_is_omitted_is_waited_for(stream: Stream) -> None:
    parent = stream.stream.shard()
    stream.plan()
    stream.has_row(parent, ended=True)
    left, right = parent.split()
    left.split()
    left.leave_out()
    assert set(stream.plan()) == {right.id}
    assert set(stream.plan()) == {left.id, right.id}


def test_shards_that_came_and_went_during_an_outage_are_named_by_their_children(stream: Stream) -> None:
    a = stream.stream.shard()
    stream.plan()
    stream.has_row(a)
    b, c = a.split()
    b.split()
    c.split()
    stream.clock.advance(hours=25)
    rows = stream.plan()
    unread = {shard: row.unread_parents for shard, row in rows.items()}
    assert set(unread) == {a.id, *(shard.id for shard in stream.stream.open_shards)}
    assert sorted(unread.values()) == sorted(["", b.id, b.id, c.id, c.id])
    replayed = {row.shard: row.unread_parents for row in stream.planner("a").rows(stream.offset)}
    assert replayed == unread, "a batch that is replayed says the same"


def test_a_stream_that_asks_in_vain_about_a_parent_is_not_told_that_it_is_gone(stream: Stream) -> None:
    a = stream.stream.shard()
    stream.plan()
    stream.has_row(a, ended=True)
    b, _ = a.split()
    b.split()
    b.leave_out(listings=2)
    once = Fault(
        endpoint="kinesis:GetShardIterator", kind=FaultKind.ERROR, status=400, code="ResourceNotFoundException", times=1
    )
    stream.kinesis.faults.replace([once])
    assert all(row.unread_parents == "" for row in stream.plan().values())


def test_a_replayed_batch_leaves_out_shards_that_have_expired(stream: Stream) -> None:
    a = stream.stream.shard()
    stream.plan()
    a.split()
    stream.clock.advance(hours=25)
    assert list(stream.planner("a").rows(stream.offset)) == []
    unread = {row.unread_parents for row in stream.plan().values()}
    assert unread == {a.id}, "it was pinned and never read"


def test_a_closed_shard_is_told_from_an_open_one(stream: Stream) -> None:
    parent = stream.stream.shard()
    assert not stream.plan()[parent.id].is_closed
    parent.split()
    assert stream.plan()[parent.id].is_closed
