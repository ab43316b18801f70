"""The new engine comes up beside the old one: what that shortens, what is left alone where it fails, when it is not done."""

from dataclasses import replace

import pytest

from firnline_infra.rollout.context import Timeouts
from firnline_infra.rollout.errors import NotReady, RolloutCutOff, RolloutFailed
from firnline_infra.rollout.phases import Phase
from firnline_infra.rollout.records import Outcome
from firnline_infra.runtimes.errors import RuntimeRefused
from firnline_infra.runtimes.service import Problem, Run, RunState
from firnline_ingest.ledger.standby import StandbyState
from tests.infra.rollout.world import BEGINS_S, OPENS_S, PROVES_S, STREAM, WAITS_S, FakeJob, Killed, World

OLD, NEW, THIRD = (FakeJob(digit * 64, stands_by=True) for digit in "012")


def killed_while_it_waits(world: World, job: FakeJob) -> None:
    """The deployer of `job` is killed once its engine is ready, and before that is let in."""
    admit = world.ledger.admit

    def kill(_: str) -> bool:
        raise Killed

    world.ledger.admit = kill
    with pytest.raises(Killed):
        world.roll_out().deploy(job)
    world.ledger.admit = admit


def test_a_gap_is_the_proof_of_the_old_one_and_the_opening_of_the_new_one(deployed: World) -> None:
    found = deployed.roll_out().deploy(NEW)
    old, new = deployed.engines
    assert (old.run.state, new.run.state) == (RunState.SUCCEEDED, RunState.RUNNING)
    assert found.gap_s is not None
    assert found.gap_s <= PROVES_S + OPENS_S + 4 < BEGINS_S
    assert list(found.phases) == [Phase.PROOF, Phase.HELD, Phase.READ]
    assert sum(found.phases.values()) == found.gap_s


def test_the_old_engine_is_read_from_until_the_new_one_is_ready(deployed: World) -> None:
    asked_at = list[float]()
    request = deployed.ledger.request_stop

    def asked(run_id: str) -> object:
        asked_at.append(deployed.engines[1].age_s)
        return request(run_id)

    deployed.ledger.request_stop = asked
    deployed.roll_out().deploy(NEW)
    assert asked_at[0] >= BEGINS_S


def test_the_first_engine_stands_by_for_nobody(deployed: World) -> None:
    assert deployed.engines[0].stands_by is False


def test_a_standby_that_fails_leaves_the_old_one_running(deployed: World) -> None:
    deployed.broken.add(NEW.hash)
    with pytest.raises(RolloutFailed, match=r"Nothing was stopped: run run-0 \(000000000000\) goes on") as raised:
        deployed.roll_out().deploy(NEW)
    assert "exit status 4" in raised.value.what
    assert "stop_first" in raised.value.next_step
    run = deployed.ledger.current_run()
    assert run is not None
    assert (run.stop_requests, deployed.running) == (0, [OLD.hash])
    assert deployed.roll_out().records.newest().outcome is Outcome.FAILED
    assert deployed.started == [OLD.hash, NEW.hash], "the old one was never started anew"


def test_what_can_be_known_is_still_found_before_anything_is_started(deployed: World) -> None:
    deployed.problems.append(Problem(what="no archive", next_step="make it"))
    with pytest.raises(NotReady):
        deployed.roll_out().deploy(NEW)
    assert deployed.started == [OLD.hash]


def test_a_service_that_refuses_a_second_run_leaves_the_first_one_alone(deployed: World) -> None:
    def refuses(*_: object, **__: object) -> Run:
        raise RuntimeRefused("StartJobRun", "application a", "ServiceQuotaExceededException: 16 vCPU")

    deployed.start = refuses
    with pytest.raises(RolloutCutOff, match=r"run run-0 is RUNNING.*16 vCPU"):
        deployed.roll_out().deploy(NEW)
    assert deployed.running == [OLD.hash]


@pytest.mark.parametrize("known_beforehand", [True, False])
def test_without_room_the_old_one_is_stopped_first_and_that_is_said(deployed: World, known_beforehand: bool) -> None:
    if known_beforehand:
        deployed.lacking = "There is one run at once."
    else:
        deployed.unplaced.add(NEW.hash)
    found = deployed.roll_out().deploy(NEW)
    assert deployed.running == [NEW.hash]
    assert list(found.phases) == list(Phase)
    said = "There is one run at once." if known_beforehand else "there is no room beside it"
    assert [line for line in deployed.said if said in line]
    assert deployed.started == [OLD.hash, NEW.hash] if known_beforehand else [OLD.hash, NEW.hash, NEW.hash]


def test_who_wants_it_in_turn_gets_it_in_turn(deployed: World) -> None:
    found = deployed.roll_out().deploy(replace(NEW, stands_by=False))
    assert list(found.phases) == list(Phase)
    assert not deployed.engines[1].stands_by


def test_an_engine_that_does_not_say_of_which_start_it_is_is_stopped_first(deployed: World) -> None:
    """The engine has an older release: nobody could tell it from the one that stands by."""
    held = deployed.ledger.current_run()
    assert held is not None
    deployed.ledger.end_run(held.run_id)
    deployed.ledger.begin_run(replace(held, start=""), None)
    deployed.roll_out().deploy(NEW)
    assert (deployed.running, deployed.engines[1].stands_by) == ([NEW.hash], False)


def test_an_old_engine_that_does_not_listen_is_cancelled_and_followed(deployed: World) -> None:
    deployed.engines[0].is_deaf = True
    found = deployed.roll_out().deploy(NEW)
    assert deployed.running == [NEW.hash]
    assert found.gap_s is not None
    assert found.gap_s > Timeouts().stop_s


def test_a_run_that_its_service_does_not_let_go_of_does_not_undo_a_roll_out_that_has_happened(deployed: World) -> None:
    """The run's engine has given the application back, so nothing of it can write."""

    def ends(engine, state: RunState, reason: str) -> None:
        if engine is deployed.engines[0] and engine.holds:
            deployed.ledger.end_run(engine.holds)
            engine.holds, engine.is_stuck, engine.age_s = "", True, -1_000_000
            return
        World._ends(deployed, engine, state, reason)

    deployed._ends = ends
    deployed.roll_out().deploy(NEW)
    assert deployed.roll_out().records.newest().outcome is Outcome.GOOD
    assert [line for line in deployed.said if "the next firnline deploy looks at it again" in line]


def test_a_new_engine_that_takes_over_and_does_not_read_makes_room_for_the_old_one(deployed: World) -> None:
    deployed.idle.add(NEW.hash)
    with pytest.raises(RolloutFailed, match="The one before runs again"):
        deployed.roll_out().deploy(NEW)
    assert deployed.running == [OLD.hash]


def test_a_standby_whose_program_its_service_starts_again_is_promoted_as_the_one_that_it_is_now(
    deployed: World,
) -> None:
    admit, admitted = deployed.ledger.admit, list[str]()

    def restarted_at_that_moment(run_id: str) -> bool:
        admitted.append(run_id)
        if len(admitted) == 1:
            engine = deployed.engines[1]
            engine.shown, engine.age_s, engine.waits_s = "", 0, 0
            engine.run = replace(engine.run, attempt=2)
            deployed.ledger.stand_by(
                replace(deployed.ledger.standby(), run_id="engine-of-run-1-2", beat=0), deployed.ledger.standby()
            )
            return False
        return admit(run_id)

    deployed.ledger.admit = restarted_at_that_moment
    deployed.roll_out().deploy(NEW)
    assert deployed.running == [NEW.hash]
    assert admitted == ["engine-of-run-1-1", "engine-of-run-1-2"]


def test_a_standby_whose_deployer_was_killed_ends_by_itself_and_the_old_one_runs_on(deployed: World) -> None:
    killed_while_it_waits(deployed, NEW)
    assert deployed.running == [OLD.hash, NEW.hash]
    deployed.sleep(WAITS_S + BEGINS_S)
    assert deployed.running == [OLD.hash]
    deployed.roll_out().deploy(NEW)
    assert (deployed.running, deployed.started) == ([NEW.hash], [OLD.hash, NEW.hash, NEW.hash])


@pytest.mark.parametrize("wanted", [THIRD, OLD], ids=["another content", "the old content again"])
def test_a_standby_that_nobody_wants_any_more_is_cancelled(deployed: World, wanted: FakeJob) -> None:
    killed_while_it_waits(deployed, NEW)
    deployed.roll_out().deploy(wanted)
    assert deployed.running == [wanted.hash]
    assert deployed.engines[1].run.state is RunState.STOPPED
    assert deployed.engines[1].holds == ""


def test_a_standby_is_promoted_where_the_old_engine_has_ended_meanwhile(deployed: World) -> None:
    """A deployer was killed, and the old run failed for good: nothing is read until somebody deploys."""
    killed_while_it_waits(deployed, NEW)
    deployed._ends(deployed.engines[0], RunState.FAILED, "it failed too often")
    deployed.sleep(5)
    assert deployed.ledger.current_run() is None
    deployed.roll_out().deploy(NEW)
    assert (deployed.running, deployed.started) == ([NEW.hash], [OLD.hash, NEW.hash])


def test_where_both_end_the_last_good_one_is_put_back(deployed: World) -> None:
    """The old run fails while the new one is prepared, and that fails as well."""
    deployed.broken.add(NEW.hash)
    look = deployed.look

    def looking(run: Run) -> Run:
        if run.hash == NEW.hash and deployed.engines[0].run.state.is_active:
            deployed._ends(deployed.engines[0], RunState.FAILED, "it failed too often")
        return look(run)

    deployed.look = looking
    with pytest.raises(RolloutFailed, match="The one before runs again"):
        deployed.roll_out().deploy(NEW)
    assert (deployed.running, deployed.started) == ([OLD.hash], [OLD.hash, NEW.hash, OLD.hash])


def test_stop_ends_the_one_that_stands_by_as_well(deployed: World) -> None:
    killed_while_it_waits(deployed, NEW)
    deployed.roll_out().stop("firnline-dev")
    deployed.sleep(WAITS_S)
    assert deployed.running == []
    assert deployed.ledger.current_run() is None


def test_stop_ends_one_that_was_let_in_and_takes_over_at_that_moment(deployed: World) -> None:
    killed_while_it_waits(deployed, NEW)
    standby = deployed.ledger.standby()
    assert standby is not None
    assert deployed.ledger.admit(standby.run_id)
    deployed.roll_out().stop("firnline-dev")
    assert deployed.running == []
    assert deployed.ledger.current_run() is None
    assert deployed.engines[1].run.state in (RunState.SUCCEEDED, RunState.STOPPED)


def test_a_new_engine_that_its_service_starts_again_after_it_took_over_stands_by_no_more(deployed: World) -> None:
    deployed.roll_out().deploy(NEW)
    new = deployed.engines[1]
    deployed.ledger.end_run(new.holds)
    new.run = replace(new.run, attempt=2)
    new.holds, new.shown, new.age_s, new.stops_in_s = "", "", 0, None
    deployed.sleep(BEGINS_S + OPENS_S)
    run = deployed.ledger.current_run()
    assert run is not None
    assert run.run_id == "engine-of-run-1-2"


def test_the_row_says_that_it_has_taken_over(deployed: World) -> None:
    deployed.roll_out().deploy(NEW)
    standby = deployed.ledger.standby()
    assert standby is not None
    assert (standby.state, standby.start) == (StandbyState.TAKEN, deployed.engines[1].token)


def test_what_is_paused_is_not_waited_for_here_either(deployed: World) -> None:
    deployed.ledger.pause(STREAM, True)
    deployed.idle.add(NEW.hash)
    deployed.roll_out().deploy(NEW)
    assert deployed.running == [NEW.hash]
