"""Seeded schedules through real Spark: the driver killed, Python workers killed or frozen; the audit has the last word."""

import os
import random
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.audit import ReaderUser, audit
from firnline_infra.audit.report_text import report_text
from firnline_ingest.config import load_config
from firnline_local.demo.engine_process import EngineProcess

pytestmark = [pytest.mark.chaos, pytest.mark.spark]

PATIENCE_S = 150.0
EVENTS = 3_000


def workers_of(engine: EngineProcess) -> list[int]:
    """The Python processes that hold shards: those of the engine's session that say so in their receipts or progress."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                of_session = int((entry / "stat").read_text().rpartition(")")[2].split()[3]) == engine.pid
                if of_session and b"pyspark.daemon" in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
    return sorted(found)


def strike(engine: EngineProcess, blow: str, rng: random.Random) -> list[int]:
    """The processes that are frozen now; their owner is struck some time after rows have begun to flow."""
    give_up_s = time.monotonic() + PATIENCE_S
    while engine.total("rows") == 0:
        assert engine.exit_status is None, list(engine.last_lines)
        assert time.monotonic() < give_up_s, list(engine.last_lines)
        time.sleep(0.05)
    time.sleep(rng.uniform(0.0, 2.0))
    workers = workers_of(engine)
    if blow == "kill-worker" and workers:
        os.kill(rng.choice(workers), signal.SIGKILL)
        time.sleep(rng.uniform(0.5, 3.0))
    if blow == "freeze-worker":
        for worker in workers:
            os.kill(worker, signal.SIGSTOP)
    engine.kill_driver()
    return workers if blow == "freeze-worker" else []


@pytest.mark.parametrize(
    ("seed", "blow"), [(1, "kill-driver"), (2, "kill-worker"), (3, "freeze-worker"), (4, "kill-driver")]
)
def test_every_record_arrives_once_whatever_happens_to_driver_and_workers(
    new_lane: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, seed: int, blow: str
) -> None:
    rng = random.Random(seed)
    lane = new_lane()
    for name, value in lane.environment.variables.items():
        monkeypatch.setenv(name, value)
    events = [b"no json" if n % 499 == 7 else {"n": n, "text": "x" * rng.randint(10, 900)} for n in range(EVENTS)]
    lane.put(*events[: EVENTS // 2])
    with lane.engine(available_now=False) as struck:
        frozen = strike(struck, blow, rng)
        lane.put(*events[EVENTS // 2 :])
        with lane.engine(available_now=True) as engine:
            assert engine.started.wait(PATIENCE_S)
            for pid in frozen:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)
            assert engine.wait(PATIENCE_S) == 0, list(engine.last_lines)

    login = lane.environment.logins["reader"]
    reader = ReaderUser(user=login.user, role=login.role, key_file=login.private_key_file)
    report = audit(load_config(lane.config_file), reader, content=True)
    assert report.exit_status == 0, report_text(report)
    assert report.pipelines[0].totals.records == EVENTS
