"""Opening a shard whose row, channel and table no longer agree: what is refused, what goes on, what is kept for a person."""

import logging
from dataclasses import replace

import pytest

from firnline_ingest.config.rows import Tolerance
from firnline_ingest.kinesis.start import After, TrimHorizon
from firnline_ingest.ledger.incident import IncidentKind
from firnline_ingest.ledger.reconcile import EXPIRES_MS
from firnline_ingest.ledger.resume import accept_errors, resume_from
from firnline_ingest.ledger.row import ReadAgain, ResumeFrom, ShardRow
from firnline_ingest.shard.receipt import Receipt, ShardState
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.values import ChannelState, Position, ShardKey
from tests.fakes.channels import ServedChannel
from tests.fakes.configs import TARGET
from tests.fakes.kills import Killed, dies_at
from tests.fakes.receipts import problem
from tests.ingest.shard.conftest import World

from .running import bounded, epochs, has_rows, numbers

REPLACED = replace(TARGET, table_created_on="2026-05-05T00:00:00.000+00:00")
NOW_MS = 1_800_000_000_000


def epoch(world: World, number: int, *, at_ms: int = NOW_MS, seconds: float = 20.0, **work: object) -> Receipt:
    """One epoch of an engine that asked Snowflake for the table when it began."""
    services = world.services(now_ms=lambda: at_ms, reopen_delay_s=0.1)
    return bounded(services, world.work(epoch=number, **work), seconds)


def missed(world: World, number: int, *, at_ms: int = NOW_MS) -> bool:
    """Returns whether that epoch found no token where there had been one, which passes only with a newer look at the table."""
    return problem(epoch(world, number, at_ms=at_ms, seconds=1.0)) == "FL-2113"


def killed_at(world: World, step: EpochStep, at_ms: int = NOW_MS) -> None:
    with pytest.raises(Killed):
        bounded(world.services(observer=dies_at(step), now_ms=lambda: at_ms), world.work())


def begun(world: World, records: int = 5) -> None:
    """One epoch, which has proven them all."""
    world.stream.shard(records=records)
    epoch(world, 1)


def lose_channel(world: World) -> ServedChannel:
    """Dropped, expired, or another table's: it is gone with its token. What it had committed is in the table."""
    (name,) = world.channels.served
    return world.channels.served.pop(name)


def rows_in_flight_are_lost(world: World) -> ServedChannel:
    begun(world)
    world.put(5)
    killed_at(world, EpochStep.APPENDED)
    return lose_channel(world)


def decide(world: World, row: ShardRow) -> None:
    """Decides as `firnline resume` does."""
    taken = world.ledger.take(row.key, row.fence, "a person", row.start)
    world.ledger.reset(replace(row, fence=taken.fence))


def one_row_is_rejected(world: World) -> None:
    world.channels.rejects = lambda row: b'"n":3' in row.replace(b" ", b"")
    world.stream.shard(records=5)
    assert problem(epoch(world, 1)) == "FL-3105"


def kinds(row: ShardRow) -> list[IncidentKind]:
    return [incident.kind for incident in row.incidents]


def test_a_channel_that_was_dropped_with_rows_in_flight_stops_the_shard_and_doubles_nothing(world: World) -> None:
    before = rows_in_flight_are_lost(world)
    assert missed(world, 2)
    assert missed(world, 3), "the driver may have looked before the token was gone"
    assert problem(epoch(world, 4)) == "FL-2112"
    assert numbers(before.rows) == list(range(6))
    assert world.served.rows == []
    assert kinds(world.row) == [IncidentKind.CHANNEL_DROPPED]


def test_counters_that_trail_when_a_lost_row_is_made_again_stop_nobody_later(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(world)
    world.ledger.forget(world.key())
    trailing = iter([2, 2])  # rows, in the answer to the opening and the next one

    def state(served: ServedChannel) -> ChannelState:
        return ChannelState(served.committed, len(served.rows) - next(trailing, 0), len(served.rejected))

    monkeypatch.setattr(ServedChannel, "state", property(state))
    for number in range(5, 7):
        world.put(number)
        assert problem(bounded(world.services(counter_settle_s=0.01), world.work())) is None
    assert world.numbers == list(range(7))


def test_a_channel_that_was_dropped_before_anybody_saw_a_token_stops_the_shard_and_doubles_nothing(
    world: World,
) -> None:
    world.stream.shard(records=5)
    killed_at(world, EpochStep.APPENDED)
    before = lose_channel(world)
    assert missed(world, 2)
    assert problem(epoch(world, 4)) == "FL-2112"
    assert (numbers(before.rows), world.served.rows) == (list(range(5)), [])


def test_a_channel_that_expired_with_rows_in_flight_stops_the_shard_too(world: World) -> None:
    rows_in_flight_are_lost(world)
    later_ms = NOW_MS + 2 * EXPIRES_MS
    assert missed(world, 9, at_ms=later_ms)
    assert problem(epoch(world, 11, at_ms=later_ms)) == "FL-2112"


def test_a_channel_that_expired_with_everything_proven_goes_on_in_a_new_one(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    begun(world)
    lose_channel(world)
    world.put(5)
    later_ms = NOW_MS + EXPIRES_MS
    assert missed(world, 9, at_ms=later_ms)
    with caplog.at_level(logging.WARNING, "firnline_ingest.ledger.incident"):
        assert epoch(world, 11, at_ms=later_ms).state is ShardState.DONE
    assert world.numbers == [5]
    assert kinds(world.row) == [IncidentKind.CHANNEL_EXPIRED]
    assert [record.incident for record in caplog.records] == ["channel_expired"]


def test_a_channel_that_is_gone_before_its_thirty_days_was_dropped(world: World) -> None:
    begun(world)
    lose_channel(world)
    later_ms = NOW_MS + EXPIRES_MS - 1
    assert missed(world, 9, at_ms=later_ms)
    assert problem(epoch(world, 11, at_ms=later_ms)) == "FL-2112"


def test_a_shard_that_another_attempt_took_while_it_was_being_opened_is_left_to_it(world: World) -> None:
    world.put(0)

    def is_overtaken(step: EpochStep, _key: object) -> None:
        if step is EpochStep.OPENED:
            world.ledger.take(world.key(), world.row.fence, "another", world.row.start)

    assert bounded(world.services(observer=is_overtaken), world.work()).state is ShardState.FENCED
    assert (world.served.rows, world.row.fence.owner) == ([], "another")


def test_no_row_goes_to_a_table_that_was_replaced_after_the_driver_looked(world: World) -> None:
    begun(world)
    lose_channel(world)
    world.put(5)
    assert missed(world, 2)
    refused = epoch(world, 3, target=REPLACED).problem
    assert (refused.id, world.served.rows) == ("FL-3107", [])
    assert REPLACED.table_created_on in refused.what
    decide(world, resume_from(world.row, ResumeFrom.TRIM_HORIZON, NOW_MS))
    assert epoch(world, 4, target=REPLACED).state is ShardState.DONE
    assert world.numbers == list(range(6))


@pytest.mark.parametrize("step", [EpochStep.RECONCILED, EpochStep.READ, EpochStep.APPENDED, EpochStep.COMMITTED])
def test_an_engine_that_was_killed_before_its_first_proof_starts_again_by_itself(world: World, step: EpochStep) -> None:
    world.channels.commits_at_once = step is EpochStep.COMMITTED
    world.channels.discards_on_open = True
    world.stream.shard(records=5)
    killed_at(world, step)
    world.channels.commits_at_once = True
    assert epoch(world, 1).state is ShardState.DONE
    assert world.numbers == list(range(5))


def test_a_batch_that_spark_replays_does_not_undo_what_a_person_decided(world: World) -> None:
    begun(world)
    lose_channel(world)
    old = world.row.read_through
    decide(world, resume_from(world.row, ResumeFrom.TRIM_HORIZON, NOW_MS))
    assert epoch(world, 1, target=REPLACED, start=After(old)).state is ShardState.DONE
    assert world.numbers == list(range(5))
    assert world.row.reset is None


@pytest.mark.parametrize("has_come", [None, 2, 3])
def test_the_row_says_by_which_conversion_its_shard_was_read_again(has_come: int | None) -> None:
    """A person decided at 3; another engine, of another conversion, opens the shard when it has come so far."""
    row = ShardRow(key=ShardKey("events", 1, "s"), start=TrimHorizon(), read_through=Position(3), routing="a")
    assert resume_from(row, ResumeFrom.PROVEN, 1).read_again is None
    asked = resume_from(row, ResumeFrom.TRIM_HORIZON, 1).read_again
    assert asked == ReadAgain(Position(3), "a")
    begun = asked.begun("b", keeps_rows=False)
    assert begun == begun.by("b", None) == ReadAgain(Position(3), "b")
    read_through = Position(has_come) if has_come else None
    assert begun.by("c", read_through).routing == ("b" if has_come == 3 else ReadAgain.SEVERAL)


def test_rows_of_another_conversion_that_the_table_keeps_are_remembered() -> None:
    """An account that failed over to an older replica has them: a dead letter of one conversion may be a row of the other."""
    row = ShardRow(key=ShardKey("events", 1, "s"), start=TrimHorizon(), read_through=Position(3), routing="a")
    asked = resume_from(row, ResumeFrom.TRIM_HORIZON, 1).read_again
    assert asked.begun("a", keeps_rows=True).routing == "a"
    begun = asked.begun("b", keeps_rows=True)
    assert begun.routing == ReadAgain.SEVERAL
    again = resume_from(replace(row, read_again=begun, routing="b"), ResumeFrom.TRIM_HORIZON, 2).read_again
    assert again.begun("b", keeps_rows=True).routing == ReadAgain.SEVERAL
    assert again.begun("b", keeps_rows=False).routing == "b", "a new table has none of them"


def test_a_shard_that_is_resumed_from_the_horizon_twice_is_read_again_up_to_the_furthest_place() -> None:
    row = ShardRow(
        key=ShardKey("events", 1, "s"), start=TrimHorizon(), read_through=Position(3), kept_through=Position(5)
    )
    once = resume_from(row, ResumeFrom.TRIM_HORIZON, 1)
    twice = resume_from(replace(once, reset=None, read_through=Position(4)), ResumeFrom.TRIM_HORIZON, 2)
    assert once.read_again == twice.read_again == ReadAgain(Position(5))


def test_an_engine_killed_in_the_middle_of_carrying_out_a_decision_does_it_again(world: World) -> None:
    begun(world)
    lose_channel(world)
    old = world.row.read_through
    decide(world, resume_from(world.row, ResumeFrom.TRIM_HORIZON, NOW_MS))
    for step in (EpochStep.TAKEN, EpochStep.OPENED, EpochStep.RECONCILED, EpochStep.READ):
        killed_at(world, step)
    assert epoch(world, 1, start=After(old)).state is ShardState.DONE
    assert world.numbers == list(range(5))


def test_from_horizon_appends_nothing_again_to_a_channel_that_has_it(world: World) -> None:
    begun(world)
    world.put(5)
    decide(world, resume_from(world.row, ResumeFrom.TRIM_HORIZON, NOW_MS))
    receipt = epoch(world, 2)
    assert (receipt.rows, receipt.reread_rows) == (1, 5)
    assert world.numbers == list(range(6))
    assert kinds(world.row) == [IncidentKind.RESUMED]


def test_rejected_rows_that_a_lost_ledger_row_had_not_shown_stop_the_shard_until_they_are_accepted(
    world: World,
) -> None:
    one_row_is_rejected(world)
    world.ledger.forget(world.key())
    assert [problem(epoch(world, number)) for number in (2, 3)] == ["FL-3105", "FL-3105"]
    decide(world, accept_errors(world.row, world.served.committed, NOW_MS))
    world.put(5)
    assert epoch(world, 4).state is ShardState.DONE
    assert world.numbers == [0, 1, 2, 4, 5]
    assert kinds(world.row) == [IncidentKind.ACCEPTED_ERRORS, IncidentKind.LEDGER_REBUILT, IncidentKind.REJECTED_UNSEEN]
    assert "1 rows were rejected" in world.row.incidents[-1].detail


def test_from_proven_does_not_hide_rows_that_were_rejected_since(world: World) -> None:
    begun(world, records=2)
    world.channels.rejects = lambda row: True
    world.put(2)
    assert problem(epoch(world, 2)) == "FL-3105"
    decide(world, resume_from(world.row, ResumeFrom.PROVEN, NOW_MS))
    assert problem(epoch(world, 3)) == "FL-3105"


@pytest.mark.parametrize("where", list(ResumeFrom))
def test_what_a_person_accepted_of_one_table_says_nothing_of_the_next_one_under_its_name(
    world: World, where: ResumeFrom
) -> None:
    one_row_is_rejected(world)
    decide(world, accept_errors(world.row, world.served.committed, NOW_MS))
    world.channels.served.clear()
    decide(world, resume_from(world.row, where, NOW_MS))
    world.channels.rejects = lambda row: True
    assert problem(epoch(world, 3, target=REPLACED)) == "FL-3105"


def test_where_rejected_rows_are_tolerated_their_number_is_in_the_incident(world: World) -> None:
    world.pipeline = world.pipeline.model_copy(update={"tolerance": Tolerance.ALL})
    world.channels.rejects = lambda row: True
    begun(world, records=3)
    world.ledger.forget(world.key())
    assert epoch(world, 2).state is ShardState.DONE
    assert "3 rows were rejected" in world.row.incidents[-1].detail


def test_the_ledger_says_that_rows_may_be_in_flight_before_the_first_one_is(world: World) -> None:
    said: list[bool] = []

    def look(step: EpochStep, key: object) -> None:
        if step in (EpochStep.RECONCILED, EpochStep.READ, EpochStep.APPENDED):
            said.append(world.row.is_sending)

    world.put(0)
    bounded(world.services(observer=look), world.work())
    assert said[:3] == [False, False, True]
    assert (world.row.is_sending, world.row.sent_through) == (False, world.shard.last_position)


def test_the_first_token_is_in_the_ledger_at_once(world: World) -> None:
    """Until then only its creation time tells a channel that is dropped from one that is new."""
    seen = []

    def look(step: EpochStep, key: object) -> None:
        if step is EpochStep.LEDGERED:
            (entry,) = world.row.channels.values()
            seen.append(entry.seen)

    world.put(0)
    bounded(world.services(observer=look, write_every_s=1000.0), world.work())
    assert seen[0] == world.shard.last_position


def test_a_channel_that_expires_under_an_engine_that_runs_goes_on_in_a_new_one(world: World) -> None:
    now_ms = [NOW_MS]
    with world.group(now_ms=lambda: now_ms[0], reopen_delay_s=0.05, heartbeat_every_s=0.05) as group:
        world.put(0)
        epochs(group, [world.work(epoch=1)], lambda: world.channels.served and len(world.served.rows) == 1)
        now_ms[0] += 61_000
        epochs(group, [world.work(epoch=2)], lambda: not world.row.is_sending)
        lose_channel(world)
        now_ms[0] += EXPIRES_MS
        world.put(1)
        epochs(group, [world.work(epoch=3)], lambda: any(entry.missed for entry in world.row.channels.values()))
        epochs(group, [world.work(epoch=5)], has_rows(world, 1))
    assert world.numbers == [1]
    assert kinds(world.row) == [IncidentKind.CHANNEL_EXPIRED]
