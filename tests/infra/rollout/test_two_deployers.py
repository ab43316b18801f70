"""A deployer that is frozen after any of its calls, for so long that another one deploys, and thawed then."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from firnline_infra.rollout.errors import DeployDisplaced, DeployRunning
from firnline_infra.rollout.records import Deployments
from firnline_ingest.errors import FirnlineError
from tests.infra.rollout.world import BEGINS_S, FakeJob, Killed, World

OLD, SLOW, FAST = (FakeJob(digit * 64) for digit in "012")
BESIDE = replace(SLOW, stands_by=True), replace(FAST, stands_by=True)
IN_TURN = SLOW, FAST


def frozen_after(step: int, slow: FakeJob, fast: FakeJob) -> tuple[World, Exception | None]:
    """The world when both are through, and how it ended for the one that was frozen."""
    world = World(may_overlap=True)
    world.roll_out().deploy(OLD)
    world.calls, call = 0, world._call

    def freezing(effect: Callable[[], Any]) -> Any:
        answer = call(effect)
        if world.calls == step:
            world._call = call
            world.roll_out().deploy(fast)
        return answer

    world._call = freezing
    try:
        world.roll_out().deploy(slow)
    except FirnlineError as error:
        return world, error
    finally:
        world._call = call
        world.sleep(2 * BEGINS_S)
    return world, None


def calls_until_it_ends(slow: FakeJob = SLOW) -> int:
    world = World()
    world.roll_out().deploy(OLD)
    world.calls = 0
    world.roll_out().deploy(slow)
    return world.calls


STEPS = [
    pytest.param(step, *jobs, id=f"{how}-{step}")
    for how, jobs in (("in-turn", IN_TURN), ("beside", BESIDE), ("mixed", (BESIDE[0], FAST)))
    for step in range(1, calls_until_it_ends(jobs[0]) + 1)
]


@pytest.mark.parametrize(("step", "slow", "fast"), STEPS)
def test_who_wakes_up_leaves_the_other_ones_engine_alone(step: int, slow: FakeJob, fast: FakeJob) -> None:
    world, ended = frozen_after(step, slow, fast)
    newest = world.roll_out().records.newest()
    assert world.running == [newest.hash]
    if ended is not None:
        assert isinstance(ended, DeployDisplaced | DeployRunning)


def test_what_it_started_after_it_woke_up_is_cancelled() -> None:
    """Between its last look at what runs, and its start."""
    steps = (frozen_after(step, *IN_TURN) for step in range(1, calls_until_it_ends() + 1))
    overlapping = [
        (world, ended) for world, ended in steps if world.started == [OLD.hash, FAST.hash, SLOW.hash] and ended
    ]
    assert overlapping
    for world, ended in overlapping:
        assert isinstance(ended, DeployDisplaced)
        assert world.running == [FAST.hash]


def test_records_that_are_alike_in_everything_belong_to_one_of_two(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Machines of CI have the same name, and their processes the same number."""
    world = World()
    monkeypatch.setattr("firnline_infra.rollout.records._now", lambda: "2026-11-22T11:00:00+00:00")
    mine, yours = (
        Deployments(world, sleep=world.sleep, clock=world.clock, who=lambda: "process 7 on runner") for _ in "12"
    )
    made = []

    def create(name: str, text: str) -> bool:
        """Creates as bucket.py does: what reads like ours is, and an answer was lost."""
        if name not in world.objects:
            made.append(name)
            yours.begin(SLOW.hash, {}) if len(made) == 1 else world.objects.setdefault(name, text)
        return world.objects[name] == text

    world.create = create
    with pytest.raises(DeployRunning):
        mine.begin(SLOW.hash, {})


def test_a_token_is_new_where_the_records_were_deleted() -> None:
    """A service remembers the tokens of ended runs, and answers with those."""
    world = World()
    world.roll_out().deploy(OLD)
    world.roll_out().stop("firnline-dev")
    world.objects.clear()
    world.roll_out().deploy(OLD)
    assert world.running == [OLD.hash]


def test_a_deploy_that_begins_while_stop_is_at_work_is_refused() -> None:
    """Else `stop` would report as stopped what runs again already."""
    world = World()
    world.roll_out().deploy(OLD)
    request, sleep = world.ledger.request_stop, world.sleep

    def beating(seconds: float) -> None:
        """The other process lives."""
        sleep(seconds)
        name = max(world.objects)
        record = json.loads(world.objects[name])
        world.objects[name] = json.dumps({**record, "beat": record["beat"] + 1})

    def asked(run_id: str) -> object:
        world.ledger.request_stop, world.sleep = request, beating
        with pytest.raises(DeployRunning):
            world.roll_out().deploy(SLOW)
        world.sleep = sleep
        return request(run_id)

    world.ledger.request_stop = asked
    assert [run.id for run in world.roll_out().stop("firnline-dev")] == ["run-0"]
    assert world.running == []
    assert world.roll_out().records.newest().outcome == "stopped"
    world.roll_out().deploy(SLOW)
    assert world.running == [SLOW.hash]


def test_what_a_killed_stop_has_begun_is_gone_on_with_by_either() -> None:
    for goes_on in (lambda world: world.roll_out().stop("firnline-dev"), lambda world: world.roll_out().deploy(OLD)):
        world = World()
        world.roll_out().deploy(OLD)
        request = world.ledger.request_stop

        def kills(run_id: str, request: Callable[[str], object] = request) -> object:
            request(run_id)
            raise Killed

        world.ledger.request_stop = kills
        with pytest.raises(Killed):
            world.roll_out().stop("firnline-dev")
        world.ledger.request_stop = request
        goes_on(world)
        assert world.roll_out().records.newest().outcome == ("stopped" if not world.running else "good")


def test_where_nothing_was_ever_deployed_stop_writes_no_record() -> None:
    world = World()
    assert world.roll_out().stop("firnline-dev") == []
    assert world.objects == {}
