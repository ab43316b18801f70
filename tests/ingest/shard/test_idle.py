"""Tests of whether a shard is idle is told by Kinesis' answers alone."""

from dataclasses import replace

from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.reader import Read
from firnline_ingest.shard.pages import IdleWatch
from firnline_ingest.shard.receipt import Receipt, Tally
from firnline_ingest.shard.report import UNANSWERED_S, is_idle, time_to_trim_s
from tests.fakes.clock import Clock
from tests.ingest.shard.conftest import World
from tests.ingest.waiting import until

from .running import reading, soon

TIP = Read((), 0, is_at_tip=True, answered_ms=1_000_000)
RECORD = Record(SequenceNumber="1", Data=b"{}", PartitionKey="a", ApproximateArrivalTimestamp=999.0)


def test_a_shard_is_idle_since_its_last_record_and_no_more_with_the_next() -> None:
    clock = Clock(50.0)
    watch = IdleWatch(0, clock)
    assert watch.took(Read((RECORD,), 0)) == 0
    clock.now_s += 400
    assert watch.took(TIP) == 400
    assert watch.took(Read((RECORD,), 0)) == 0
    clock.now_s += 7
    assert watch.took(TIP) == 7


def test_a_record_that_is_read_long_after_it_came_does_not_make_its_shard_busy() -> None:
    watch = IdleWatch(0, Clock(50.0))
    assert watch.took(Read((RECORD,), 5000, answered_ms=999_000 + 3_600_000)) == 0
    assert watch.took(TIP) == 3600


def test_what_nobody_has_read_yet_is_not_idle() -> None:
    clock = Clock(50.0)
    watch = IdleWatch(0, clock)
    for behind_ms in (86_400_000, 5000):
        clock.now_s += 600
        assert watch.took(Read((), behind_ms, answered_ms=1_000_000)) == 0, "an empty page somewhere in the past"
    clock.now_s += 3
    assert watch.took(TIP) == 603, "nothing was found on the way"


def test_a_session_that_begins_goes_on_where_the_one_before_has_ended() -> None:
    clock = Clock(50.0)
    watch = IdleWatch(1_000_000 - 3_600_000, clock)
    assert watch.took(TIP) == 3600
    clock.now_s += 60
    assert watch.took(Read((), 0, is_at_tip=True)) == 3660, "an answer without a time"


def test_without_a_time_or_a_record_before_a_shard_is_idle_since_it_was_looked_at() -> None:
    for arrived_ms, read in ((0, TIP), (5000, Read((), 0, is_at_tip=True)), (2_000_000, TIP)):
        assert IdleWatch(arrived_ms, Clock(50.0)).took(read) == 0


def test_a_shards_receipt_tells_that_it_is_idle_how_far_it_is_and_how_long_its_records_have(world: World) -> None:
    clock = world.use_clock()
    with reading(world):
        arrived_ms = world.row.arrived_ms
    clock.advance(seconds=7200)
    with world.group("after a restart") as group:
        receipts: list[Receipt] = []
        until(lambda: receipts.extend(group.run([world.work(epoch=2)], soon())) or receipts[-1].is_idle)
    told = receipts[-1]
    assert (told.is_idle, told.idle_s >= 7199, told.behind_ms) == (True, True, 0)
    assert (told.watermark_ms, told.time_to_trim_s) == (arrived_ms, 24 * 3600)
    assert Receipt.from_dict(told.as_dict()) == told


def test_a_shard_that_is_not_answered_for_is_not_idle(world: World) -> None:
    work = world.work()
    assert is_idle(work, Tally(idle_s=300))
    assert not is_idle(work, Tally(idle_s=299))
    quick = replace(work, pipeline=work.pipeline.model_copy(update={"idle_after_seconds": 20}))
    assert (is_idle(quick, Tally(idle_s=19)), is_idle(quick, Tally(idle_s=20))) == (False, True)
    assert not is_idle(work, Tally(idle_s=300, unanswered_s=int(UNANSWERED_S)))


def test_what_a_reader_is_behind_is_taken_from_the_time_that_its_records_have(world: World) -> None:
    assert time_to_trim_s(world.work(), None) is None
    assert time_to_trim_s(world.work(retention_hours=0), 0) is None
    assert time_to_trim_s(world.work(), 3_600_000) == 23 * 3600
    assert time_to_trim_s(world.work(), 90_000_000) == 0
