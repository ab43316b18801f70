from dataclasses import replace

import pytest

from firnline_infra.rollout.context import Timeouts
from firnline_infra.rollout.errors import (
    DeployRunning,
    EngineElsewhere,
    NotReady,
    RolloutFailed,
    StillThere,
)
from firnline_infra.rollout.ownership import RECORDS, refuse_a_foreign_engine
from firnline_infra.rollout.phases import Phase
from firnline_infra.rollout.records import Outcome
from firnline_infra.runtimes.errors import RuntimeRefused, RuntimeUnavailable
from firnline_infra.runtimes.service import Problem, Run, RunState
from firnline_ingest.ledger.backend import Run as EngineRun
from tests.infra.rollout.world import BEGINS_S, NEW, OLD, OPENS_S, PROVES_S, STREAM, Engine, FakeJob, World


@pytest.fixture
def world() -> World:
    return World()


def test_where_nothing_runs_the_job_is_started_and_watched_until_it_reads(world: World) -> None:
    found = world.roll_out().deploy(NEW)
    assert (world.started, found.number, found.gap_s) == ([NEW.hash], 1, None)
    assert world.now_s > 1000 + BEGINS_S


def test_an_unchanged_job_is_left_alone(deployed: World) -> None:
    found = deployed.roll_out().deploy(OLD)
    assert (deployed.started, found.number, len(deployed.objects)) == ([OLD.hash], None, 1)


def test_a_changed_job_takes_the_place_of_the_old_one_after_that_has_proven_its_rows(deployed: World) -> None:
    found = deployed.roll_out().deploy(NEW)
    old, new = deployed.engines
    assert (old.run.state, new.run.state) == (RunState.SUCCEEDED, RunState.RUNNING)
    assert found.gap_s is not None
    assert PROVES_S + BEGINS_S + OPENS_S <= found.gap_s <= PROVES_S + BEGINS_S + OPENS_S + 5
    assert found.is_at_tip


def test_what_the_time_between_two_engines_was_spent_on_is_told(deployed: World) -> None:
    found = deployed.roll_out().deploy(NEW)
    assert list(found.phases) == list(Phase)
    assert sum(found.phases.values()) == found.gap_s
    assert PROVES_S <= found.phases[Phase.PROOF] <= PROVES_S + 1
    assert BEGINS_S <= found.phases[Phase.PROGRAM] <= BEGINS_S + 1
    assert found.phases[Phase.READ] <= OPENS_S


def test_the_time_of_one_roll_out_is_none_of_the_next(deployed: World) -> None:
    roll_out = deployed.roll_out()
    first, second = roll_out.deploy(NEW), roll_out.deploy(OLD)
    assert second.gap_s == first.gap_s
    assert list(second.phases) == list(Phase)


def test_an_engine_that_does_not_listen_has_no_phase_of_proof(deployed: World) -> None:
    """The engine does not listen, so its proof never comes; what was waited for is the end of its run."""
    deployed.engines[0].is_deaf = True
    found = deployed.roll_out().deploy(NEW)
    assert Phase.PROOF not in found.phases
    assert sum(found.phases.values()) == found.gap_s


def test_a_job_that_would_not_run_stops_nothing(deployed: World) -> None:
    deployed.problems = [Problem(what="the application is TERMINATED", next_step="make another one")]
    with pytest.raises(NotReady, match="the application is TERMINATED\n    make another one") as raised:
        deployed.roll_out().deploy(NEW)
    assert "Nothing was changed: run run-0 is RUNNING" in str(raised.value)
    assert (deployed.running, len(deployed.objects)) == ([OLD.hash], 1)


def test_an_engine_that_was_started_elsewhere_is_not_fought_with(world: World) -> None:
    world.ledger.begin_run(EngineRun("by-hand", "process 7 on a laptop"), None)
    sleep = world.sleep

    def beating(seconds: float) -> None:
        sleep(seconds)
        world.ledger.beat("by-hand")

    world.sleep = beating
    with pytest.raises(EngineElsewhere, match="process 7 on a laptop"):
        world.roll_out().deploy(NEW)
    assert world.started == []


def test_the_row_of_an_engine_that_was_killed_keeps_nobody_from_starting(world: World) -> None:
    world.ledger.begin_run(EngineRun("killed", "process 7 on a laptop"), None)
    refuse_a_foreign_engine(world.roll_out().context(None), NEW.application, [])
    assert world.now_s == 1000 + Timeouts().heartbeat_s


def test_an_engine_that_does_not_listen_is_cancelled(deployed: World) -> None:
    deployed.engines[0].is_deaf = True
    deployed.roll_out().deploy(NEW)
    assert deployed.engines[0].run.state is RunState.STOPPED
    assert deployed.running == [NEW.hash]


def test_nothing_is_started_while_the_old_one_is_not_gone(deployed: World) -> None:
    deployed.engines[0].is_deaf = deployed.engines[0].is_stuck = True
    with pytest.raises(StillThere, match="run-0"):
        deployed.roll_out().deploy(NEW)
    assert deployed.started == [OLD.hash]


def test_an_old_one_that_never_began_is_cancelled_at_once(world: World) -> None:
    world._start(OLD, "by a person")
    world.roll_out().deploy(NEW)
    assert world.engines[0].run.state is RunState.STOPPED
    assert world.now_s < 1000 + 2 * BEGINS_S


@pytest.mark.parametrize("wrong", ["broken", "idle"])
def test_where_the_new_one_fails_the_old_one_runs_again(deployed: World, wrong: str) -> None:
    getattr(deployed, wrong).add(NEW.hash)
    with pytest.raises(RolloutFailed, match="The one before runs again") as raised:
        deployed.roll_out().deploy(NEW)
    reason = {"broken": "run run-1 is FAILED: exit status 4", "idle": "does not read orders"}[wrong]
    assert reason in raised.value.what
    assert deployed.running == [OLD.hash]
    outcomes = [each.outcome for each in deployed.roll_out().records.newest_first()]
    assert outcomes == [Outcome.FAILED, Outcome.GOOD]


def test_where_there_is_nothing_to_go_back_to_it_says_that_nothing_runs(world: World) -> None:
    world.broken.add(NEW.hash)
    with pytest.raises(RolloutFailed, match="No engine runs"):
        world.roll_out().deploy(NEW)
    assert world.running == []


def test_where_the_old_one_fails_as_well_it_says_so(deployed: World) -> None:
    deployed.broken |= {NEW.hash, OLD.hash}
    with pytest.raises(RolloutFailed, match="did not come up again either: run run-2 is FAILED"):
        deployed.roll_out().deploy(NEW)


def test_a_job_that_its_service_starts_again_and_again_has_failed(deployed: World) -> None:
    roll_out = deployed.roll_out()
    look = deployed.look

    def restarted(run):
        return replace(look(run), attempt=3) if run.hash == NEW.hash else look(run)

    deployed.look = restarted
    with pytest.raises(RolloutFailed, match="was started 3 times by its service"):
        roll_out.deploy(NEW)


def test_how_often_a_run_was_started_before_it_was_watched_says_nothing(deployed: World) -> None:
    """A run lasts for months. Nor is its engine the first one that its service has started."""
    deployed.roll_out().deploy(NEW)
    engine = deployed.engines[1]
    engine.run = replace(engine.run, attempt=5)
    deployed.roll_out().records.begin(OLD.hash, {}).end(Outcome.FAILED, "before anything was stopped")
    beat = deployed.ledger.beat
    deployed.ledger.beat = lambda run_id: beat(run_id) if deployed.now_s % 3 == 0 else deployed.ledger.current_run()
    deployed.roll_out().deploy(NEW)
    assert deployed.started == [OLD.hash, NEW.hash]


def test_an_engine_that_its_service_starts_again_while_it_is_watched_may_be_well(deployed: World) -> None:
    sleep = deployed.sleep

    def restarting(seconds: float) -> None:
        sleep(seconds)
        new = deployed.engines[-1]
        if new.run.hash == NEW.hash and new.age_s >= BEGINS_S + 2 and new.run.attempt == 1:
            deployed.ledger.end_run(new.holds)
            new.run, new.holds, new.age_s = replace(new.run, attempt=2), "", 0

    deployed.sleep = restarting
    deployed.roll_out().deploy(NEW)
    assert (deployed.running, deployed.engines[-1].run.attempt) == ([NEW.hash], 2)


def test_an_engine_that_ends_after_it_has_opened_its_shards_has_failed(deployed: World) -> None:
    sleep, reads = deployed.sleep, deployed._reads

    def reading_behind(engine, key):
        reads(engine, key)
        if engine.run.hash == NEW.hash:
            deployed.ledger.write(replace(deployed.ledger.read(key), tip_ms=1))

    def ending(seconds: float) -> None:
        sleep(seconds)
        new = deployed.engines[-1]
        if new.run.hash == NEW.hash and new.age_s >= BEGINS_S + OPENS_S + 5 and new.run.state.is_active:
            deployed._ends(new, RunState.FAILED, "exit status 4")

    deployed._reads, deployed.sleep = reading_behind, ending
    with pytest.raises(RolloutFailed, match="exit status 4"):
        deployed.roll_out().deploy(NEW)
    assert deployed.running == [OLD.hash]


@pytest.mark.parametrize("error", [RuntimeRefused, RuntimeUnavailable])
def test_where_the_service_does_not_take_the_new_one_the_old_one_runs_again(
    deployed: World, error: type[RuntimeRefused | RuntimeUnavailable]
) -> None:
    start = deployed.start

    def refusing(job: FakeJob, token: str, *, stands_by: bool = False) -> Run:
        if job.hash == NEW.hash:
            raise error("StartJobRun", "application 1", "16 vCPUs is all you have")
        return start(job, token)

    deployed.start = refusing
    with pytest.raises(RolloutFailed, match="16 vCPUs is all you have") as raised:
        deployed.roll_out().deploy(NEW)
    assert "The one before runs again" in raised.value.what
    assert deployed.running == [OLD.hash]


def test_a_paused_pipeline_is_not_waited_for(deployed: World) -> None:
    """The configuration of a pipeline is changed while it is paused (docs/rollout.md)."""
    deployed.ledger.pause(STREAM, True)
    deployed.idle.add(NEW.hash)
    found = deployed.roll_out().deploy(NEW)
    assert (deployed.running, found.is_at_tip) == ([NEW.hash], True)


@pytest.mark.parametrize("outcome", [Outcome.GOOD, Outcome.FAILED])
def test_a_run_beside_the_right_one_is_cancelled_and_the_right_one_is_not_asked_to_stop(
    deployed: World, outcome: Outcome
) -> None:
    """Somebody has cloned a run, and the lease refuses it again and again."""
    clone = Engine(Run(id="clone", hash=NEW.hash, state=RunState.RUNNING), "somebody's", age_s=-1_000_000)
    deployed.engines.append(clone)
    deployed.roll_out().records.begin(OLD.hash, {}).end(outcome, "")
    deployed.roll_out().deploy(OLD)
    assert clone.run.state is RunState.STOPPED
    assert (deployed.running, deployed.started) == ([OLD.hash], [OLD.hash])


def test_a_call_that_is_throttled_ends_no_roll_out(deployed: World) -> None:
    call = deployed._call

    def throttled(effect):
        deployed.calls += 1
        if deployed.calls % 11 < 4:
            raise RuntimeUnavailable("GetJobRun", "run-0", "ThrottlingException: slow down")
        return effect()

    deployed._call = throttled
    deployed.roll_out().deploy(NEW)
    deployed._call = call
    assert deployed.running == [NEW.hash]


def test_what_failed_is_told_also_where_the_record_can_not_be_written(deployed: World) -> None:
    deployed.broken.add(NEW.hash)
    overwrite = deployed.overwrite

    def refusing(name: str, text: str) -> None:
        if '"failed"' in text:
            raise RuntimeRefused("s3:PutObject", name, "AccessDenied")
        overwrite(name, text)

    deployed.overwrite = refusing
    with pytest.raises(RolloutFailed, match="The one before runs again"):
        deployed.roll_out().deploy(NEW)


def test_a_token_is_of_the_deployment_so_the_same_content_can_be_started_again(deployed: World) -> None:
    deployed.roll_out().deploy(NEW)
    deployed.roll_out().deploy(OLD)
    assert deployed.started == [OLD.hash, NEW.hash, OLD.hash]


def test_what_was_started_behind_its_back_is_seen_right_before_the_start(deployed: World) -> None:
    """The run's service starts again by itself, or a person does."""
    is_gone = deployed.is_gone

    def started_meanwhile(run: Run) -> bool:
        gone = is_gone(run)
        if gone:
            deployed._start(FakeJob("2" * 64), "somebody's")
        return gone

    deployed.is_gone = started_meanwhile
    with pytest.raises(StillThere, match="it runs again"):
        deployed.roll_out().deploy(NEW)
    assert NEW.hash not in deployed.started


def test_stop_leaves_nothing(deployed: World) -> None:
    stopped = deployed.roll_out().stop("firnline-dev")
    assert ([run.id for run in stopped], deployed.running) == (["run-0"], [])
    assert deployed.engines[0].run.state is RunState.SUCCEEDED


def test_nothing_is_stopped_that_a_deployer_at_work_would_start_again(deployed: World) -> None:
    claim = deployed.roll_out().records.begin(NEW.hash, {})
    sleep = deployed.sleep

    def beating(seconds: float) -> None:
        sleep(seconds)
        claim.beat()

    deployed.sleep = beating
    with pytest.raises(DeployRunning):
        deployed.roll_out().stop("firnline-dev")
    assert deployed.running == [OLD.hash]
    deployed.sleep = sleep
    deployed.roll_out().stop("firnline-dev")
    assert deployed.running == []


def test_stop_ends_an_engine_whose_program_outlived_the_run_that_a_person_cancelled(deployed: World) -> None:
    """On EMR on EC2 a cancelled step leaves its YARN application alone."""
    engine = deployed.engines[0]
    deployed.cancel_step(engine)
    stopped = deployed.roll_out().stop("firnline-dev")
    assert [run.id for run in stopped] == ["run-0"]
    assert (engine.lives_on, engine.stops_in_s, deployed.ledger.current_run()) == (False, 0, None)


def test_stop_ends_what_outlived_its_run_where_it_does_not_listen(deployed: World) -> None:
    engine = deployed.engines[0]
    engine.is_deaf = True
    deployed.cancel_step(engine)
    asked: list[str] = []

    def is_gone(run: Run) -> bool:
        asked.append(run.id)
        engine.lives_on = False
        return True

    deployed.is_gone = is_gone
    assert [run.id for run in deployed.roll_out().stop("firnline-dev")] == ["run-0"]
    assert asked == ["run-0"]


def test_stop_leaves_the_row_of_a_dead_engine_and_an_engine_of_nobodys_deployment_alone(deployed: World) -> None:
    deployed.cancel_step(deployed.engines[0])
    deployed.engines[0].frozen_s = 0
    assert deployed.roll_out().stop("firnline-dev") == []


def test_stop_ends_what_outlived_its_run_whatever_was_deployed_in_vain_since(deployed: World) -> None:
    records = deployed.roll_out().records
    for _ in range(RECORDS + 1):
        records.begin(NEW.hash, {}).end(Outcome.FAILED, "nothing was started")
    deployed.cancel_step(deployed.engines[0])
    assert [run.id for run in deployed.roll_out().stop("firnline-dev")] == ["run-0"]
    assert deployed.ledger.current_run() is None


def test_a_deploy_is_refused_beside_what_outlived_its_run_until_that_is_stopped(deployed: World) -> None:
    deployed.cancel_step(deployed.engines[0])
    with pytest.raises(EngineElsewhere, match="firnline stop ENV"):
        deployed.roll_out().deploy(NEW)
    assert deployed.started == [OLD.hash]
    deployed.roll_out().stop("firnline-dev")
    deployed.roll_out().deploy(NEW)
    assert deployed.running == [NEW.hash]
