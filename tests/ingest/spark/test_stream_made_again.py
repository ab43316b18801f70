"""A stream that was deleted and made again under its name: refused until a person decides."""

import pytest

from firnline_ingest.kinesis.start import After, TrimHorizon
from firnline_ingest.ledger.incarnation import is_replaced
from firnline_ingest.ledger.incident import IncidentKind
from firnline_ingest.ledger.lease import RunLease
from firnline_ingest.ledger.mark import StreamMark
from firnline_ingest.ledger.resume import begin_anew
from firnline_ingest.spark.planner import ShardPlanner, SourceOffset
from firnline_ingest.values import Fence, Position, ShardKey
from firnline_local.kinesis import FakeKinesis, ManualClock
from tests.ingest.spark.test_planner import World, problems, shards


@pytest.fixture
def world() -> World:
    return World(FakeKinesis(clock=ManualClock()))


def plan(planner: ShardPlanner, before: SourceOffset) -> tuple[SourceOffset, dict[str, str], list[tuple[str, str]]]:
    after = planner.next_offset(before)
    rows = list(planner.rows(after))
    return after, problems(rows), shards(rows)


def make(world: World) -> str:
    """The stream, its first plan, and a row of what was read of it."""
    world.kinesis.create_stream("a")
    return read(world)


def read(world: World) -> str:
    key = ShardKey("a", world.kinesis.stream("a").found.created_ms, "shardId-000000000000")
    world.ledger.take(key, Fence(), "test", TrimHorizon())
    return key.incarnation


def make_again(world: World) -> str:
    world.kinesis.stream("a").delete()
    clock = world.kinesis.clock
    assert isinstance(clock, ManualClock)
    clock.advance(hours=1)
    return f"a@{world.kinesis.create_stream('a').found.created_ms}"


@pytest.mark.parametrize("keeps", ["planner", "checkpoint", "nothing"])
def test_it_is_refused_whatever_the_engine_still_has(world: World, keeps: str) -> None:
    old = make(world)
    planner = world.planner("a")
    offset, found, _ = plan(planner, SourceOffset())
    assert found == {}
    new = make_again(world)
    before = SourceOffset() if keeps == "nothing" else offset
    for _ in range(2):
        before, found, planned = plan(planner if keeps == "planner" else world.planner("a"), before)
        assert (found, planned) == ({"a": "FL-2013"}, [])
    mark = world.ledger.mark("a")
    assert mark.incarnation == old
    assert [(each.kind, each.count, new in each.detail) for each in mark.incidents] == [
        (IncidentKind.STREAM_REPLACED, 1, True)
    ]


def test_a_person_begins_the_new_one_at_its_horizon(world: World) -> None:
    make(world)
    offset, _, _ = plan(world.planner("a"), SourceOffset())
    new = make_again(world)
    assert is_replaced(world.ledger, "a", new)
    begin_anew(world.ledger, RunLease(world.ledger, "app", sleep=lambda _: None), "a", new, 1)
    assert not is_replaced(world.ledger, "a", new)
    offset, found, planned = plan(world.planner("a", initial_position={"at": "LATEST"}), offset)
    assert (found, planned) == ({}, [("a", "shardId-000000000000")])
    assert offset.streams == {new: {"shardId-000000000000": "h"}}
    assert world.ledger.current_run() is None


def test_a_stream_that_is_new_or_of_which_nothing_was_read_begins_by_itself(world: World) -> None:
    world.kinesis.create_stream("a")
    offset, found, planned = plan(world.planner("a"), SourceOffset())
    assert (found, len(planned)) == ({}, 1)
    new = make_again(world)
    _, found, planned = plan(world.planner("a"), offset)
    assert (found, len(planned)) == ({}, 1)
    assert world.ledger.mark("a") == StreamMark(new, since_ms=int(world.kinesis.clock().timestamp()) * 1000)


def test_a_checkpoint_that_is_older_than_the_marks_is_believed(world: World) -> None:
    old = make(world)
    offset, _, _ = plan(world.planner("a"), SourceOffset())
    world.ledger.forget_mark("a")
    make_again(world)
    _, found, _ = plan(world.planner("a"), offset)
    assert found == {"a": "FL-2013"}
    mark = world.ledger.mark("a")
    assert mark.incarnation == old


def test_it_is_refused_where_spark_alone_knows_what_was_read(world: World) -> None:
    """The ledger's rows are lost; its mark names the old one, of which the offset has a position."""
    old = make(world)
    offset, _, _ = plan(world.planner("a"), SourceOffset())
    world.ledger.forget(ShardKey("a", int(old.rpartition("@")[2]), "shardId-000000000000"))
    read_through = After(Position(7)).text
    make_again(world)
    before = SourceOffset(offset.epoch, {old: {"shardId-000000000000": read_through}})
    _, found, planned = plan(world.planner("a"), before)
    assert (found, planned) == ({"a": "FL-2013"}, [])
