"""Deployers that are killed at any call, and two at once."""

from dataclasses import replace

import pytest

from firnline_infra.rollout.errors import DeployDisplaced, DeployRunning
from firnline_infra.rollout.records import Outcome
from tests.infra.rollout.world import NEW, OLD, PROVES_S, FakeJob, Killed, World


def calls_of_a_roll_out(new: FakeJob) -> int:
    world = World()
    world.roll_out().deploy(OLD)
    world.calls = 0
    world.roll_out().deploy(new)
    return world.calls


KILLS = [
    pytest.param(
        step, after, new, id=f"{'beside' if new.stands_by else 'in-turn'}-{'after' if after else 'before'}-{step}"
    )
    for new in (NEW, replace(NEW, stands_by=True))
    for after in (False, True)
    for step in range(1, calls_of_a_roll_out(new) + 1)
]


@pytest.mark.parametrize(("step", "after", "new"), KILLS)
def test_a_deploy_that_is_killed_at_any_call_is_gone_on_with_by_the_next(step: int, after: bool, new: FakeJob) -> None:
    """The world asserts throughout that no two engines can write."""
    world = World()
    world.roll_out().deploy(OLD)
    world.calls, world.kill_at, world.kill_after = 0, step, after
    with pytest.raises(Killed):
        world.roll_out().deploy(new)
    world.kill_at = None
    world.roll_out().deploy(new)
    assert world.running == [new.hash]
    assert world.started == [OLD.hash, new.hash]
    assert world.roll_out().records.newest().outcome is Outcome.GOOD
    assert world.roll_out().deploy(new).number is None


def test_two_deployers_do_not_work_at_once(deployed: World) -> None:
    first = deployed.roll_out().records.begin(NEW.hash, {})
    sleep = deployed.sleep

    def beating(seconds: float) -> None:
        sleep(seconds)
        first.beat()

    records = deployed.roll_out().records
    records.sleep = beating
    with pytest.raises(DeployRunning, match="Deployment 2 is at work"):
        records.begin(NEW.hash, {})


def test_who_is_slower_by_a_moment_is_refused(deployed: World) -> None:
    slow, fast = deployed.roll_out().records, deployed.roll_out().records
    number = slow.newest().number + 1
    assert fast.begin(NEW.hash, {}).number == number
    names = deployed.names
    deployed.names = lambda: names()[:1]
    with pytest.raises(DeployRunning):
        slow.begin(NEW.hash, {})


def test_a_deployer_that_was_taken_for_dead_does_nothing_more(deployed: World) -> None:
    sleeper = deployed.roll_out().records.begin(NEW.hash, {})
    deployed.roll_out().deploy(NEW)
    with pytest.raises(DeployDisplaced, match="Deployment 3"):
        sleeper.step("start")


def asked_to_stop(world: World) -> None:
    """`firnline stop` was killed right after it had asked the engine."""
    held = world.ledger.current_run()
    assert held is not None
    world.ledger.request_stop(held.run_id)


def test_an_engine_that_was_asked_to_stop_is_no_reason_to_do_nothing(deployed: World) -> None:
    """The engine ends within minutes, and nothing would run."""
    asked_to_stop(deployed)
    found = deployed.roll_out().deploy(OLD)
    deployed.sleep(10 * PROVES_S)
    assert found.number is not None
    assert (deployed.running, deployed.started) == ([OLD.hash], [OLD.hash, OLD.hash])


def test_what_ran_before_a_killed_deploy_is_started_again_where_it_was_asked_to_stop(deployed: World) -> None:
    """The deployer of another content was killed after it had asked the old engine, which takes its time."""
    request = deployed.ledger.request_stop

    def kills(run_id: str) -> object:
        request(run_id)
        raise Killed

    deployed.ledger.request_stop = kills
    with pytest.raises(Killed):
        deployed.roll_out().deploy(NEW)
    deployed.ledger.request_stop = request
    deployed.roll_out().deploy(OLD)
    deployed.sleep(10 * PROVES_S)
    assert deployed.running == [OLD.hash]
