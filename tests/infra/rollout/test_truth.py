"""Tests of what a roll-out tells is so: what runs when it is cut off, why the new engine does not read, and whose log says it."""

from dataclasses import replace

import pytest

from firnline_infra.rollout.context import Timeouts
from firnline_infra.rollout.errors import NotReady, RolloutCutOff, RolloutFailed
from firnline_infra.rollout.phases import Phase
from firnline_infra.runtimes.service import Problem, RunState
from firnline_ingest.errors import FirnlineError
from firnline_ingest.ledger.backend import Run as EngineRun
from firnline_ingest.ledger.engine_report import EngineProblem, EngineReport
from tests.infra.rollout.world import NEW, OLD, STREAM, FakeJob, World

BESIDE = replace(NEW, stands_by=True)
MISSING = EngineProblem(
    id="FL-3006", what="table LAKE.RAW.ORDERS is not there", next_step="make it", stream=STREAM, has_stopped=True
)


def deployed() -> World:
    world = World()
    world.roll_out().deploy(OLD)
    world.calls = 0
    return world


def calls_of(job: FakeJob) -> int:
    world = deployed()
    world.roll_out().deploy(job)
    return world.calls


@pytest.mark.parametrize("job", [NEW, BESIDE], ids=["stop_first", "standby"])
def test_a_token_that_expires_anywhere_is_called_that_and_what_runs_is_said(job: FakeJob) -> None:
    unread = 0
    for at in range(1, calls_of(job) + 1):
        world = deployed()
        world.expires_at = at
        failed = why_not(world, job)
        if not isinstance(failed, RolloutCutOff):
            assert world.running == [OLD.hash]  # before anything was begun
            continue
        assert "credentials have expired" in failed.what
        assert "No row is lost" in failed.what
        assert "Nothing is to be granted" in failed.next_step
        is_unread = "NO ENGINE READS" in failed.what
        unread += is_unread
        assert not (is_unread and world.running)
        assert is_unread or world.running or "may have been asked to stop" in failed.what
        world.expires_at = None
        world.roll_out().deploy(job)
        assert world.running == [job.hash]
    assert (unread > 0) == (job is NEW)


@pytest.mark.parametrize("job", [NEW, BESIDE], ids=["stop_first", "standby"])
def test_a_configuration_that_the_engines_own_code_refuses_is_found_while_the_old_engine_runs(job: FakeJob) -> None:
    world = deployed()
    world.unfit = [Problem(what="format of orders: no type 'strng'", next_step="correct it")]
    failed = why_not(world, job)
    assert isinstance(failed, NotReady)
    assert "no type 'strng'" in failed.what
    assert (world.running, world.started) == ([OLD.hash], [OLD.hash])
    world.sleep(600)
    assert world.running == [OLD.hash]
    world.unfit = []
    world.roll_out().deploy(job)
    assert world.running == [job.hash]


def why_not(world: World, job: FakeJob) -> FirnlineError | None:
    try:
        world.roll_out().deploy(job)
    except FirnlineError as error:
        return error
    return None


def test_a_stop_that_is_cut_off_says_how_to_go_on() -> None:
    world = deployed()
    asked = world.ledger.request_stop

    def expires(run_id: str) -> EngineRun | None:
        world.expires_at = 0
        return asked(run_id)

    world.ledger.request_stop = expires  # type: ignore[method-assign]  # the token ends when the engine is asked
    with pytest.raises(RolloutCutOff, match="may have been asked to stop") as cut_off:
        world.roll_out(command="firnline deploy dev").stop("firnline-dev")
    assert "run firnline stop dev again" in cut_off.value.next_step


def reporting(world: World, *problems: EngineProblem) -> None:
    """The new engine reports these, from when it holds the application."""
    passed = world.sleep

    def reports(seconds: float) -> None:
        passed(seconds)
        engine = world.ledger.current_run()
        if engine is not None and engine.start.endswith(NEW.hash[:40]):
            world.ledger.write_report(EngineReport(run_id=engine.run_id, at_ms=0, problems=problems))

    world.sleep = reports  # type: ignore[method-assign]  # a world in which engines report


@pytest.mark.parametrize(
    "problem",
    [
        replace(MISSING, shard="shardId-000000000009"),
        replace(MISSING, stream="another"),
        replace(MISSING, has_stopped=False),
    ],
    ids=["a shard that was not read before", "another stream", "one that it tries again"],
)
def test_what_is_not_waited_for_or_gets_over_itself_fails_no_roll_out(problem: EngineProblem) -> None:
    """A shard that was stopped for days would otherwise keep every deployment from its end."""
    for world in (deployed(), World()):
        reporting(world, problem)
        world.roll_out().deploy(NEW)
        assert world.running == [NEW.hash]


def test_what_a_new_engine_can_not_get_over_ends_the_watch_in_its_own_words() -> None:
    """With stop_first nothing is read meanwhile: each second counts."""
    world = deployed()
    world.idle.add(NEW.hash)
    reporting(world, MISSING)
    began_s = world.now_s
    with pytest.raises(RolloutFailed, match=r"\[FL-3006\] table LAKE.RAW.ORDERS is not there") as failed:
        world.roll_out().deploy(NEW)
    assert world.now_s - began_s < Timeouts().serve_s
    assert world.running == [OLD.hash]
    assert f"firnline logs --run {world.engines[1].run.id} says" in failed.value.next_step


@pytest.mark.parametrize("job", [NEW, BESIDE], ids=["stop_first", "standby"])
def test_the_log_of_an_engine_that_failed_is_kept_and_named(job: FakeJob) -> None:
    world = deployed()
    world.broken.add(NEW.hash)
    with pytest.raises(RolloutFailed) as failed:
        world.roll_out().deploy(job)
    run = world.engines[1].run.id
    assert f"firnline logs --run {run} says" in failed.value.next_step
    assert world.roll_out().records.log_of(run) == [f"the driver of {run}"]
    assert world.roll_out().records.log_of(world.engines[0].run.id) == []


def test_no_proof_is_reported_of_an_engine_that_died_before_the_standby_took_its_place() -> None:
    world = deployed()
    old = world.engines[0]
    asked = world.ledger.request_stop

    def freezes(run_id: str) -> EngineRun | None:
        old.frozen_s = 0
        return asked(run_id)

    world.ledger.request_stop = freezes  # type: ignore[method-assign]  # it freezes when it is asked
    done = world.roll_out().deploy(BESIDE)
    assert Phase.PROOF not in done.phases
    assert any("did not answer any more" in line for line in world.said)


def test_the_log_of_an_attempt_is_kept_before_the_next_one_takes_its_place() -> None:
    """A pod's log goes with the pod, which its operator removes between two attempts."""
    world = deployed()
    roll_out = world.roll_out()
    context = roll_out.context(roll_out.records.begin(NEW.hash, {}))
    run = world.engines[0].run
    context.seen(run)
    assert roll_out.records.log_of(run.id) == []
    context.seen(replace(run, state=RunState.STARTING, attempt=2))
    assert roll_out.records.log_of(run.id) == [f"the driver of {run.id}"]
    world.log_lines = lambda _: iter(())  # type: ignore[method-assign]  # the pod is gone
    context.keep_log(run)
    assert roll_out.records.log_of(run.id) == [f"the driver of {run.id}"]
