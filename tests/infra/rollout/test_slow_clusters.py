"""A cluster that has to make machines for executors: the lease is held long before Spark is up."""

import pytest

from firnline_infra.rollout.context import Timeouts
from firnline_infra.rollout.errors import RolloutFailed
from firnline_ingest.ledger.engine_report import EngineReport
from tests.infra.rollout.world import NEW, World


def slow(seconds: float) -> World:
    """A world whose engines report that Spark is up so long after they took the application, and open shards then."""
    world = World()
    sleep, reads = world.sleep, world._reads
    up: set[str] = set()

    def passes(seconds_: float) -> None:
        sleep(seconds_)
        for engine in world.engines:
            if engine.holds and engine.age_s - engine.taken_s >= seconds and engine.holds not in up:
                up.add(engine.holds)
                world.ledger.write_report(EngineReport(run_id=engine.holds, at_ms=0, started_ms=1))

    world.sleep = passes  # type: ignore[method-assign]  # a world in which Spark takes its time
    world._reads = lambda engine, key: reads(engine, key) if engine.holds in up else None  # type: ignore[method-assign]
    return world


def test_a_first_engine_whose_executors_come_late_is_not_stopped() -> None:
    world = slow(Timeouts().serve_s + 240)
    world.roll_out().deploy(NEW)
    assert (world.running, world.started) == ([NEW.hash], [NEW.hash])


def test_one_whose_spark_never_comes_up_fails_and_that_is_said() -> None:
    world = slow(10 * Timeouts().begin_s)
    with pytest.raises(RolloutFailed, match="its Spark does not come up"):
        world.roll_out().deploy(NEW)
    assert world.running == []


def test_one_that_reports_a_failure_before_its_spark_is_up_is_given_the_time_of_a_start_all_the_same() -> None:
    world = slow(Timeouts().serve_s + 240)
    passes = world.sleep

    def reports(seconds: float) -> None:
        passes(seconds)
        for engine in world.engines:
            if engine.holds and world.ledger.report() is None:
                world.ledger.write_report(EngineReport(run_id=engine.holds, at_ms=0))

    world.sleep = reports  # type: ignore[method-assign]
    world.roll_out().deploy(NEW)
    assert world.started == [NEW.hash]


def test_one_whose_spark_is_up_has_serve_s_to_open_its_shards() -> None:
    world = slow(30)
    world.idle.add(NEW.hash)
    began_s = world.now_s
    with pytest.raises(RolloutFailed, match="does not read any shard"):
        world.roll_out().deploy(NEW)
    assert world.now_s - began_s < Timeouts().serve_s + 120
