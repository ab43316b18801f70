"""A seeded story through real Spark: a worker killed, all of them frozen, drivers killed; the audit has the last word.

FIRNLINE_SEED chooses other moments (`scripts/chaos --spark SEED`).
"""

import os
import random
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from firnline_infra.audit import ReaderUser, audit
from firnline_infra.audit.report_text import report_text
from firnline_ingest.config.load import load_config
from firnline_ingest.spark import python_daemon
from firnline_local.demo.engine_process import EngineProcess
from tests.spark.conftest import HANGS_S, Lane, until

pytestmark = [pytest.mark.chaos, pytest.mark.spark, pytest.mark.timeout(HANGS_S), pytest.mark.slow]

SEED = int(os.environ.get("FIRNLINE_SEED", "2"))
EVENTS, PART = 4_000, 1_000
DAEMON = f"-m\0{python_daemon.__name__}\0".encode()
"""On the command line of a daemon, and of what it has forked; the JVM's names the module too, in a setting."""


def workers_of(engine: EngineProcess) -> list[int]:
    """The Python processes that hold shards: the daemons of the engine's session, and what they have forked."""
    return processes_of(engine, DAEMON)


def processes_of(engine: EngineProcess, word: bytes) -> list[int]:
    """Returns those of the engine's session whose command has the word."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                of_session = int((entry / "stat").read_text().rpartition(")")[2].split()[3]) == engine.pid
                if of_session and word in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
    return sorted(found)


def kill_a_worker(engine: EngineProcess, rng: random.Random) -> None:
    """Perhaps the daemon that forks them: then all of them end, and Spark starts another one."""
    os.kill(rng.choice(until(lambda: workers_of(engine), engine)), signal.SIGKILL)


def freeze_workers(engine: EngineProcess) -> list[int]:
    """The daemon, and at least one that it has forked."""
    until(lambda: len(workers_of(engine)) > 1, engine)
    workers = workers_of(engine)
    for worker in workers:
        with suppress(ProcessLookupError):
            os.kill(worker, signal.SIGSTOP)
    return workers


def thaw(workers: list[int]) -> None:
    for pid in workers:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


def test_every_record_arrives_once_whatever_happens_to_driver_and_workers(
    new_lane: Callable[..., Lane], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(SEED)
    lane = new_lane()
    for name, value in lane.environment.variables.items():
        monkeypatch.setenv(name, value)
    events = [b"no json" if n % 499 == 7 else {"n": n, "text": "x" * rng.randint(10, 900)} for n in range(EVENTS)]
    parts = [events[first : first + PART] for first in range(0, EVENTS, PART)]

    lane.put(*parts[0])
    with lane.engine(available_now=False) as first:
        until(lambda: first.total("rows"), first)
        time.sleep(rng.uniform(0.0, 2.0))
        kill_a_worker(first, rng)
        lane.put(*parts[1])
        time.sleep(rng.uniform(0.5, 3.0))
        frozen = freeze_workers(first)
        first.kill_driver()
        lane.put(*parts[2])
        with lane.engine(available_now=False) as second:
            until(second.started.is_set, second)
            thaw(frozen)
            until(lambda: second.total("records"), second)  # whose rows the thawed worker may have written
            lane.put(*parts[3])
            time.sleep(rng.uniform(0.0, 2.0))
            second.kill_driver()
            with lane.engine(available_now=True) as third:
                assert third.wait(HANGS_S) == 0, list(third.last_lines)

    login = lane.environment.logins["reader"]
    reader = ReaderUser(user=login.user, role=login.role, key_file=login.private_key_file)
    report = audit(load_config(lane.config_file), reader, content=True)
    assert report.exit_status == 0, report_text(report)
    assert report.pipelines[0].totals.records == EVENTS
