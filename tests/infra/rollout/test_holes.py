"""Schedules that a roll-out took for something else: whose an engine is, what a service does not tell yet, what was stopped."""

from dataclasses import replace

import pytest

from firnline_infra.rollout.context import Timeouts
from firnline_infra.rollout.errors import EngineElsewhere, RolloutFailed
from firnline_infra.runtimes.service import Run, RunState
from firnline_ingest.ledger.backend import Run as EngineRun
from firnline_ingest.ledger.standby import BY_HAND
from tests.infra.rollout.world import NEW, OLD, FakeJob, World

THIRD = FakeJob("2" * 64)


def by_hand(world: World, *, once_free: bool = False) -> None:
    """An engine that a person starts: at once, or as soon as no other holds the application. Its heart beats for ever."""
    sleep = world.sleep

    def sleeping(seconds: float) -> None:
        sleep(seconds)
        if world.ledger.current_run() is None:
            world.ledger.begin_run(EngineRun("by-hand", "process 7 on a laptop", start=BY_HAND), None)
        world.ledger.beat("by-hand")

    world.sleep = sleeping
    world.may_overlap = True
    if not once_free:
        world.ledger.end_run(world.engines[0].holds)
        world.sleep(1)


def test_an_engine_that_a_person_started_in_between_is_not_taken_for_the_new_one(deployed: World) -> None:
    by_hand(deployed, once_free=True)
    with pytest.raises(RolloutFailed, match="process 7 on a laptop") as raised:
        deployed.roll_out().deploy(NEW)
    assert "was not started here" in raised.value.what
    assert deployed.running == []
    left = deployed.ledger.current_run()
    assert left is not None
    assert (left.run_id, left.stop_requests) == ("by-hand", 0)
    assert deployed.started == [OLD.hash, NEW.hash], "what ran before would be refused as well"


def test_an_engine_of_a_person_beside_a_run_of_ours_is_not_asked_to_stop(deployed: World) -> None:
    """The run's service starts the run's program again and again, and the lease refuses it."""
    deployed.engines[0].holds, holds = "", deployed.engines[0].holds
    deployed.engines[0].age_s = -1_000_000
    deployed.ledger.end_run(holds)
    deployed.ledger.begin_run(EngineRun("by-hand", "process 7 on a laptop", start=BY_HAND), None)
    sleep = deployed.sleep

    def beating(seconds: float) -> None:
        sleep(seconds)
        deployed.ledger.beat("by-hand")

    deployed.sleep = beating
    with pytest.raises(EngineElsewhere, match="process 7 on a laptop"):
        deployed.roll_out().deploy(NEW)
    deployed.roll_out().stop("firnline-dev")
    left = deployed.ledger.current_run()
    assert left is not None
    assert (left.run_id, left.stop_requests) == ("by-hand", 0)


def test_an_engine_of_an_older_release_says_nothing_of_its_start_and_is_asked(deployed: World) -> None:
    held = deployed.ledger.current_run()
    assert held is not None
    deployed.ledger.end_run(held.run_id)
    deployed.ledger.begin_run(replace(held, start=""), None)
    deployed.roll_out().deploy(NEW)
    assert deployed.running == [NEW.hash]
    assert deployed.engines[0].run.state is RunState.SUCCEEDED


@pytest.mark.parametrize("unknown_s", [1, 30])
def test_a_run_that_its_service_does_not_know_yet_is_starting(deployed: World, unknown_s: int) -> None:
    look = deployed.look

    def late(run: Run) -> Run:
        engine = deployed._of(run)
        if run.hash == NEW.hash and engine.age_s <= unknown_s:
            return replace(run, state=RunState.UNKNOWN)
        return look(run)

    deployed.look = late
    deployed.roll_out().deploy(NEW)
    assert deployed.running == [NEW.hash]


def test_a_run_that_its_service_never_knows_has_failed(deployed: World) -> None:
    """Nor does its engine begin, so that the lease is not an answer."""
    look = deployed.look
    deployed.broken.add(NEW.hash)

    def never(run: Run) -> Run:
        return replace(run, state=RunState.UNKNOWN) if run.hash == NEW.hash else look(run)

    deployed.look = never
    began_s = deployed.now_s
    with pytest.raises(RolloutFailed, match="run run-1 is UNKNOWN"):
        deployed.roll_out().deploy(NEW)
    assert deployed.now_s - began_s > Timeouts().visible_s


def test_a_run_that_its_service_has_forgotten_after_it_knew_it_has_failed_at_once(deployed: World) -> None:
    look, seen = deployed.look, list[float]()

    def forgetting(run: Run) -> Run:
        if run.hash != NEW.hash:
            return look(run)
        seen.append(deployed.now_s)
        return look(run) if len(seen) == 1 else replace(run, state=RunState.UNKNOWN)

    deployed.look = forgetting
    with pytest.raises(RolloutFailed, match="run run-1 is UNKNOWN"):
        deployed.roll_out().deploy(NEW)
    assert seen[1] - seen[0] <= 2


def test_where_nothing_ran_nothing_is_put_back(deployed: World) -> None:
    """The stopped deployment is deployed again, and fails: the one before it had been replaced."""
    deployed.roll_out().deploy(NEW)
    deployed.roll_out().stop("firnline-dev")
    deployed.broken.add(NEW.hash)
    with pytest.raises(RolloutFailed, match="No engine runs"):
        deployed.roll_out().deploy(NEW)
    assert (deployed.running, deployed.started.count(OLD.hash)) == ([], 1)


def test_what_a_person_has_stopped_is_not_put_back_either(deployed: World) -> None:
    deployed.roll_out().stop("firnline-dev")
    deployed.broken.add(NEW.hash)
    with pytest.raises(RolloutFailed, match="No engine runs"):
        deployed.roll_out().deploy(NEW)
    assert deployed.running == []


def test_a_deployment_after_a_stop_that_ended_well_is_put_back_as_ever(deployed: World) -> None:
    deployed.roll_out().stop("firnline-dev")
    deployed.roll_out().deploy(NEW)
    deployed.broken.add(THIRD.hash)
    with pytest.raises(RolloutFailed, match="The one before runs again"):
        deployed.roll_out().deploy(THIRD)
    assert deployed.running == [NEW.hash]
