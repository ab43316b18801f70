"""A run whose service calls it well, and whose engine is dead: `deploy` of the same content sees that, and goes on."""

from dataclasses import replace

import pytest

from firnline_infra.rollout.context import Timeouts
from firnline_infra.rollout.errors import NotReady, RolloutFailed
from firnline_infra.rollout.records import Outcome
from firnline_infra.runtimes.service import Problem, RunState
from tests.infra.rollout.world import BEGINS_S, NEW, OLD, World

HOUR_S = 3600


def freeze(world: World, state: RunState = RunState.RUNNING) -> None:
    """The driver is dead. RUNNING: nobody has noticed; STARTING: its operator leaves it in PENDING_RERUN."""
    engine = world.engines[0]
    engine.frozen_s, engine.run = 0, replace(engine.run, state=state, attempt=2)


@pytest.mark.parametrize("state", [RunState.RUNNING, RunState.STARTING])
def test_an_engine_that_has_been_silent_for_an_hour_is_stopped_and_started_again(
    deployed: World, state: RunState
) -> None:
    freeze(deployed, state)
    deployed.sleep(HOUR_S)
    began_s = deployed.now_s
    found = deployed.roll_out().deploy(OLD)
    assert found.number == 2
    assert (deployed.running, deployed.started) == ([OLD.hash], [OLD.hash, OLD.hash])
    assert deployed.now_s - began_s < 3 * Timeouts().heartbeat_s + 3 * BEGINS_S, (
        "it is waited for no longer than it may take"
    )
    assert deployed.roll_out().records.newest().outcome is Outcome.GOOD
    assert deployed.roll_out().deploy(OLD).number is None


def test_one_that_its_service_starts_again_by_itself_is_waited_for(deployed: World) -> None:
    """Machines may have to be made for that."""
    freeze(deployed, RunState.STARTING)
    sleep, engine = deployed.sleep, deployed.engines[0]

    def restarted(seconds: float) -> None:
        sleep(seconds)
        if engine.frozen_s is not None and engine.frozen_s > Timeouts().begin_s / 2:
            deployed.ledger.end_run(engine.holds)
            engine.frozen_s, engine.holds, engine.age_s, engine.stops_in_s = None, "", 0, None

    deployed.sleep = restarted
    found = deployed.roll_out().deploy(OLD)
    assert found.number == 2
    assert (deployed.running, deployed.started) == ([OLD.hash], [OLD.hash])


def test_one_that_is_silent_since_a_minute_is_given_the_rest_of_a_start(deployed: World) -> None:
    freeze(deployed)
    deployed.sleep(60)
    began_s = deployed.now_s
    deployed.roll_out().deploy(OLD)
    assert Timeouts().begin_s - 60 <= deployed.now_s - began_s < Timeouts().begin_s + 120
    assert deployed.started == [OLD.hash, OLD.hash]


def test_one_that_would_not_start_again_is_left_as_it_is(deployed: World) -> None:
    freeze(deployed)
    deployed.sleep(HOUR_S)
    deployed.problems = [Problem(what="there is no archive", next_step="firnline up")]
    with pytest.raises(NotReady, match="there is no archive"):
        deployed.roll_out().deploy(OLD)
    assert deployed.started == [OLD.hash]


def test_one_that_does_not_come_up_when_it_was_started_again_has_failed(deployed: World) -> None:
    freeze(deployed)
    deployed.sleep(HOUR_S)
    deployed.broken.add(OLD.hash)
    with pytest.raises(RolloutFailed, match="exit status 4"):
        deployed.roll_out().deploy(OLD)
    assert deployed.started == [OLD.hash, OLD.hash]


def test_a_frozen_engine_of_another_content_is_replaced(deployed: World) -> None:
    freeze(deployed)
    deployed.sleep(HOUR_S)
    deployed.roll_out().deploy(NEW)
    assert deployed.running == [NEW.hash]


def test_an_engine_that_beats_is_left_alone_at_once(deployed: World) -> None:
    began_s = deployed.now_s
    assert deployed.roll_out().deploy(OLD).number is None
    assert deployed.now_s - began_s <= 2


def test_an_engine_that_beats_is_not_stopped_because_of_a_shard_that_it_can_not_read(deployed: World) -> None:
    """The engine is one of the last deployer's, who was killed; what keeps it from a shard would keep the next one from it."""
    deployed.idle.add(OLD.hash)
    deployed.roll_out().records.begin(OLD.hash, {}).end(Outcome.FAILED, "by the way")
    deployed.roll_out().deploy(OLD)
    assert (deployed.running, deployed.started) == ([OLD.hash], [OLD.hash])
