"""Tests of who is killed and who is signalled: a worker, the driver's whole process group, spark-submit's JVM.

No trace, all proven.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyspark
import pytest

import firnline_ingest.__main__ as program
from firnline_local.demo.engine_process import EngineProcess
from tests.spark.conftest import HANGS_S, Lane, until
from tests.spark.test_chaos import workers_of

pytestmark = [pytest.mark.spark, pytest.mark.timeout(HANGS_S)]


def receipts(lane: Lane) -> list[dict[str, Any]]:
    return [line for line in lane.log() if line["event"] == "shard.receipt"]


def traces(lane: Lane) -> list[str]:
    """Each with the lines that follow it, which say whose it is."""
    text = (lane.folder / "engine.log").read_text(errors="replace").splitlines()
    found = [at for at, line in enumerate(text) if line.startswith(("Traceback", "\tat ")) or "Exception" in line]
    return ["\n".join(text[at : at + 30]) for at in found]


def assert_all_is_proven(lane: Lane) -> None:
    last = {line["shard_id"]: line for line in receipts(lane)}
    assert last
    assert all(line["end"] == line["proven"] for line in last.values())


def test_an_engine_in_local_mode_goes_on_without_a_killed_worker_and_ends_well_when_its_whole_group_is_told_to(
    new_lane: Callable[..., Lane],
) -> None:
    lane = new_lane()
    lane.put(*({"n": n} for n in range(100)))
    with lane.engine(available_now=False) as engine:
        until(lambda: lane.rows()[0][0] == 100, engine)
        forked = workers_of(engine)[-1]  # the youngest holds shards; Spark's own retry is a task's, not an engine's
        os.kill(forked, signal.SIGKILL)
        lane.put(*({"n": n} for n in range(100, 200)))
        until(lambda: lane.rows()[0][0] == 200, engine)
        until(epochs_after(lane, epochs(lane)), engine)
        before = len(traces(lane))  # Spark has its words for a worker that was killed
        os.killpg(engine.pid, signal.SIGTERM)
        assert engine.wait(HANGS_S) == 0, list(engine.last_lines)
    assert traces(lane)[before:] == []
    assert lane.rows("COUNT(*), COUNT(DISTINCT N)") == [(200, 200)]
    assert_all_is_proven(lane)


def epochs(lane: Lane) -> int:
    return sum(line["event"] == "epoch.ended" for line in lane.log())


def epochs_after(lane: Lane, count: int) -> Callable[[], bool]:
    return lambda: epochs(lane) > count


@contextmanager
def submitted(lane: Lane) -> Iterator[EngineProcess]:
    """The engine under spark-submit: its process is the JVM, and Python is a child of it."""
    submit = str(Path(pyspark.__file__).parent / "bin" / "spark-submit")
    arguments = ["--conf", "spark.ui.enabled=false", str(program.__file__), "run"]
    command = [submit, *arguments, "--config", str(lane.config_file)]
    environment = {
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    with EngineProcess.of(command, {**lane.environment.variables, **environment}, lane.folder / "engine.log") as engine:
        yield engine


@pytest.mark.slow
def test_spark_submit_that_is_told_to_end_lets_the_engine_prove_its_last_rows(new_lane: Callable[..., Lane]) -> None:
    lane = new_lane()
    lane.put(*({"n": n} for n in range(100)))
    with submitted(lane) as engine:
        until(lambda: lane.rows()[0][0] == 100, engine)
        lane.put({"n": 100})
        os.kill(engine.pid, signal.SIGTERM)
        assert engine.wait(HANGS_S) == 0, list(engine.last_lines)
    assert traces(lane) == []
    assert [line["signal"] for line in lane.log() if line["event"] == "engine.signalled"] == ["SIGTERM"]
    assert_all_is_proven(lane)
