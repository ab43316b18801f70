"""Tests of what leaves retention before it was read: never silently, measured, and as the policy says."""

from dataclasses import replace

import pytest

from firnline_ingest.kinesis.service_time import MARGIN_MS
from firnline_ingest.kinesis.start import After, AtTimestamp, Start
from firnline_ingest.ledger.incident import Incident, IncidentKind
from firnline_ingest.ledger.resume import ResumeFrom, resume_from
from firnline_ingest.shard.receipt import Receipt, ShardState
from firnline_ingest.shard.request import ShardRequest
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.values import Fence, Position
from firnline_local.kinesis import Fault, FaultKind, ShardHandle
from tests.fakes.kills import Killed, dies_at
from tests.fakes.receipts import problem
from tests.ingest.shard.conftest import World
from tests.ingest.waiting import HANGS_S

from .running import run

HOUR_MS = 3_600_000


class Past(World):
    """A world whose service has a clock that a test moves; the worker's clock goes wrong by `worker_ahead_ms`."""

    worker_ahead_ms = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.clock = self.use_clock()

    @property
    def now_ms(self) -> int:
        return int(self.clock.now.timestamp() * 1000)

    def put(self, *numbers_: int, every_s: float = 0.0) -> None:
        for number in numbers_:
            self.clock.advance(seconds=every_s)
            self.stream.put({"n": number})

    def run(
        self, start: Start | None = None, *, goes_on: bool = False, shard: ShardHandle | None = None, **changes: object
    ) -> Receipt:
        """A new process reads what is there."""
        self.pipeline = self.pipeline.model_copy(update={"fail_on_data_loss": not goes_on})
        services = {name: changes.pop(name) for name in ("observer",) if name in changes}
        work = self.work(start, shard=shard, **{"since_ms": self.now_ms, **changes})
        process = self.services(now_ms=lambda: self.now_ms + self.worker_ahead_ms, **services)
        return run(process, ShardRequest.lasting(work, HANGS_S, arrival_ms=self.now_ms + 1000))

    def die_at(self, step: EpochStep, start: Start | None = None) -> None:
        with pytest.raises(Killed):
            self.run(start, observer=dies_at(step))

    @property
    def losses(self) -> list[Incident]:
        return [each for each in self.row.incidents if each.kind is not IncidentKind.RESUMED]


def fails(receipt: Receipt, with_problem: str) -> None:
    assert (receipt.state, problem(receipt)) == (ShardState.FAILED, with_problem)


@pytest.fixture
def past(tmp_path) -> Past:
    return Past(tmp_path / "dead-letters")


def test_the_tip_is_the_services_time_whatever_the_workers_clock_says(past: Past) -> None:
    past.worker_ahead_ms = 5 * HOUR_MS  # frozen between the answer and the write
    past.put(0)
    past.run()
    assert past.row.tip_ms == past.now_ms - MARGIN_MS


def test_a_freeze_does_not_hide_what_an_outage_lost_after_it(past: Past) -> None:
    past.put(0)
    past.worker_ahead_ms = 5 * HOUR_MS
    past.run()
    past.worker_ahead_ms = 0
    past.clock.advance(hours=1)
    past.put(1)
    past.clock.advance(hours=26)
    past.put(2)
    receipt = past.run()
    fails(receipt, "FL-2008")
    assert str(past.row.read_through.sequence_number) in receipt.problem.what
    assert past.numbers == [0]


def test_a_shard_that_was_opened_and_never_read_reports_what_it_lost(past: Past) -> None:
    past.die_at(EpochStep.RECONCILED)
    past.put(*range(10), every_s=HOUR_MS / 1000)
    past.clock.advance(hours=20)  # 0 to 4 have left
    fails(past.run(), "FL-2008")
    (loss,) = past.losses
    assert loss.kind is IncidentKind.RETENTION_LOSS
    assert past.run(goes_on=True).state is ShardState.DONE
    assert past.numbers == [5, 6, 7, 8, 9]
    assert past.losses[0].count == 2, "the same loss, told twice"


def test_a_loss_is_measured_by_what_follows_it(past: Past) -> None:
    past.put(0)
    seen_ms = past.now_ms
    past.run()
    past.clock.advance(hours=48)
    past.put(*range(1, 12), every_s=10)
    past.run(goes_on=True)
    (loss,) = past.losses
    first_ms = past.now_ms - 100_000
    assert (loss.loss.from_ms, loss.loss.to_ms) == (seen_ms, first_ms)
    assert loss.loss.records == pytest.approx((first_ms - seen_ms) / 10_000, rel=0.01)
    assert loss.loss.bytes == pytest.approx(loss.loss.records * len(b'{"n":0}'), rel=0.2)


def test_latest_that_was_pinned_before_an_outage_reports_what_it_lost(past: Past) -> None:
    pin = AtTimestamp(past.now_ms)
    past.put(0)
    past.clock.advance(hours=25)
    past.put(1)
    fails(past.run(pin, since_ms=0), "FL-2008")
    assert past.losses[0].loss is not None
    assert past.losses[0].loss.from_ms == pin.ms


def test_what_left_before_the_first_start_is_nobodys_loss(past: Past) -> None:
    past.put(0)
    past.clock.advance(hours=25)
    past.put(1)
    assert past.run().state is ShardState.DONE
    assert past.losses == []


def test_a_shard_that_is_idle_for_longer_than_its_retention_has_lost_nothing(past: Past) -> None:
    past.put(0)
    for _ in range(4):
        past.run()
        past.clock.advance(hours=20)
    past.put(1)
    assert past.run().state is ShardState.DONE
    assert past.losses == []
    assert past.numbers == [0, 1]


def test_a_loss_is_told_before_anything_new_arrives(past: Past) -> None:
    past.put(0)
    past.run()
    past.put(1)
    past.clock.advance(hours=48)
    assert past.run().state is ShardState.FAILED, "the stream is empty, and its tip was not seen for two days"
    past.run(goes_on=True)
    past.put(2)
    past.run(goes_on=True)
    assert (past.numbers, len(past.losses)) == ([0, 2], 1)


def test_a_shard_that_expired_before_it_was_read_to_its_end_is_a_loss(past: Past) -> None:
    past.put(0)
    past.run()
    closed = past.shard
    past.put(1)
    closed.split()
    past.clock.advance(hours=25)
    fails(past.run(shard=closed), "FL-2012")
    assert past.run(shard=closed, goes_on=True).state is ShardState.ENDED
    row = past.ledger.read(past.key(closed))
    assert row.ended
    assert [(each.kind, each.count) for each in row.incidents] == [(IncidentKind.SHARD_UNREAD, 2)]


def test_parents_that_nobody_read_stop_their_child_until_the_policy_goes_on(past: Past) -> None:
    past.put(0)
    for _ in range(2):  # a restart does not talk it away
        receipt = past.run(trimmed_parents=("shardId-000000000007",))
        fails(receipt, "FL-2012")
        assert "shardId-000000000007" in receipt.problem.what
    assert past.run(trimmed_parents=("shardId-000000000007",), goes_on=True).state is ShardState.DONE
    assert past.run(trimmed_parents=("shardId-000000000007",)).state is ShardState.DONE, "it has begun"
    assert [(each.kind, each.count) for each in past.losses] == [(IncidentKind.PARENT_UNREAD, 3)]


def test_a_person_who_says_from_the_horizon_is_not_told_of_what_was_there_before(past: Past) -> None:
    past.put(0)
    past.run()
    past.clock.advance(hours=48)
    past.put(1)
    row = past.ledger.take(past.row.key, past.row.fence, "person", past.row.start)
    past.ledger.reset(resume_from(row, ResumeFrom.TRIM_HORIZON, past.now_ms))
    assert past.run().state is ShardState.DONE
    assert past.losses == []


def test_retention_that_was_lowered_and_raised_again_is_seen(past: Past) -> None:
    past.put(0)
    past.run()
    past.put(1)
    past.clock.advance(hours=20)
    past.stream.found.keep_for(1, past.now_ms)
    past.stream.found.keep_for(24, past.now_ms)
    past.put(2)
    assert past.run().state is ShardState.FAILED
    assert past.losses[0].after == Position(past.row.read_through.sequence_number) if past.row.read_through else False


def test_retention_that_was_raised_after_an_outage_does_not_hide_what_the_outage_lost(past: Past) -> None:
    past.die_at(EpochStep.RECONCILED)
    past.put(0)
    past.clock.advance(hours=30)
    past.stream.found.expire(past.now_ms)
    past.stream.found.keep_for(168, past.now_ms)
    past.put(1)
    assert past.run(retention_hours=168).state is ShardState.FAILED
    past.run(retention_hours=168, goes_on=True)
    assert past.row.retention_hours == 168
    past.clock.advance(hours=100)
    past.put(2)
    assert past.run(retention_hours=168).state is ShardState.DONE


def test_where_the_policy_goes_on_a_reader_overtaken_in_mid_session_goes_on(past: Past) -> None:
    """Rows in flight then are proven as what they are, and nobody is said to have written to the channel."""
    past.put(*range(3))
    past.pipeline = past.pipeline.model_copy(update={"fail_on_data_loss": False})
    channels, steps = past.channels, iter([False, True])
    channels.commits_at_once = True

    def overtake(step: EpochStep, key: object) -> None:
        if step is EpochStep.READ and next(steps, False):
            channels.commits_at_once = False  # the first page's rows are committed, the next ones are not
            past.clock.advance(hours=25)  # the iterator expires, and so does what was read
            past.put(8, 9)

    receipt = past.run(goes_on=True, observer=overtake)
    channels.commit(past.work().channel)
    assert receipt.problem is None or receipt.problem.id != "FL-3108", receipt
    channels.commits_at_once = True
    final = past.run(goes_on=True)
    assert (final.state, final.problem) == (ShardState.DONE, None)
    assert past.numbers == [0, 1, 2, 8, 9]


def test_committed_rows_whose_records_have_left_are_unprovable_and_counted_from_there_on(past: Past) -> None:
    past.put(*range(5))
    past.die_at(EpochStep.COMMITTED)
    past.clock.advance(hours=25)
    past.put(5)
    past.ledger.write(replace(past.row, read_through=None))
    known = After(Position(1))
    assert past.row.fence != Fence()
    receipt = past.run(known, goes_on=True)
    assert (receipt.state, receipt.problem) == (ShardState.DONE, None)
    assert past.numbers == [0, 1, 2, 3, 4, 5]
    assert [each.kind for each in past.losses] == [IncidentKind.UNPROVABLE_RANGE]


@pytest.mark.parametrize("liberty", ["late_end", "hasty_tip"])
def test_a_bounded_run_reads_everything_whatever_the_last_pages_say(past: Past, liberty: str) -> None:
    setattr(past.kinesis.liberties, liberty, True)
    past.put(*range(1500))  # more than a first page holds
    closed = past.shard
    closed.split()
    assert past.run(shard=closed).state is ShardState.ENDED
    assert past.numbers == list(range(1500))


def test_a_bounded_run_is_done_with_an_open_shard_only_once_two_answers_say_so(past: Past) -> None:
    past.put(0)
    receipt = past.run()
    assert (receipt.state, receipt.reads) == (ShardState.DONE, 3)


def test_a_bounded_run_is_never_done_with_a_closed_shard_before_its_end(past: Past) -> None:
    receipt = run(past.services(), ShardRequest.lasting(past.work(is_closed=True), 1.5, arrival_ms=past.now_ms + 1000))
    assert receipt.state is ShardState.READING


def test_answers_that_are_no_pages_are_counted_in_the_receipt_and_cost_no_record(past: Past) -> None:
    past.put(0, 1)
    body = Fault(endpoint="kinesis:GetRecords", kind=FaultKind.BODY, body='{"Records":[]}', times=3)
    past.kinesis.faults.replace([body])
    receipt = past.run()
    assert (receipt.state, receipt.unreadable_pages) == (ShardState.DONE, 3)
    assert past.numbers == [0, 1]


@pytest.mark.parametrize("step", [EpochStep.APPENDED, EpochStep.PROVEN])
@pytest.mark.parametrize("goes_on", [True, False])
def test_what_left_between_a_first_start_at_the_horizon_and_the_next_one_is_an_unprovable_range(
    past: Past, step: EpochStep, goes_on: bool
) -> None:
    """At the horizon records leave all the time: rows of them may be committed, and can't be counted any more."""
    past.put(*range(9), every_s=2 * 3600)
    past.die_at(step)
    past.clock.advance(hours=11)
    receipt = past.run(goes_on=goes_on)
    (loss,) = past.losses
    assert loss.kind is IncidentKind.UNPROVABLE_RANGE
    assert problem(receipt) == (None if goes_on else "FL-2008")
    assert sorted(past.numbers) == list(range(9)), "all of them once, as it happens"
    if not goes_on:
        past.ledger.reset(resume_from(past.row, ResumeFrom.PROVEN, past.now_ms))
        assert past.run().problem is None
    past.put(9)
    assert past.run().problem is None
    assert sorted(past.numbers) == list(range(10))
    assert past.row.first_read is None


@pytest.mark.parametrize("is_closed", [False, True], ids=["open", "closed"])
def test_a_shard_whose_first_records_were_read_and_that_is_empty_now_has_lost_them(past: Past, is_closed: bool) -> None:
    """The stream's retention was lowered and raised again, and whether rows of them were committed is not known."""
    past.put(*range(4))
    past.die_at(EpochStep.APPENDED)
    assert past.row.first_read is not None
    past.clock.advance(hours=2)
    past.stream.found.keep_for(1, past.now_ms)
    past.stream.found.keep_for(24, past.now_ms)
    shard = past.shard
    if is_closed:
        shard.split()
    fails(past.run(shard=shard, is_closed=is_closed), "FL-2008")
    end = ShardState.ENDED if is_closed else ShardState.DONE
    for _ in range(2 - is_closed):
        assert past.run(shard=shard, is_closed=is_closed, goes_on=True).state is end
    row = past.ledger.read(past.key(shard))
    (loss,) = row.incidents
    assert (loss.count, loss.loss is not None, row.first_read) == (2, True, None)
    assert "to the shard's tip" in loss.detail


def test_a_shard_that_says_once_that_it_is_empty_has_lost_nothing(past: Past) -> None:
    past.put(0)
    past.die_at(EpochStep.APPENDED)
    past.kinesis.liberties.empty_page_every = 2
    assert past.run().problem is None
    assert past.numbers == [0]
