"""Spark's own daemons beside the driver, which serve nothing but the start of a query: ended once they have no worker.

Spark has one to look a data source up, one to make it and one to plan its read. Each is `pyspark.daemon`, whatever
`spark.python.daemon.module` says (`SparkEnv.createPythonWorker`, read in 4.3.0), takes 37 MB, and is kept for good; Spark ends
its worker after a minute. Where it needs one again, it finds its connection refused, and starts another (`PythonWorkerFactory`).
"""

import itertools
import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from firnline_ingest.spark.jvm import jvm_pid

PROC = Path("/proc")
MODULE, KINDS = b"pyspark.daemon", b"pyspark.sql.worker."
LEAST_AGE_S = 30.0
"""A daemon is started first and asked for its first worker then."""
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def end_own_idle_daemons() -> list[int]:
    """Ends those of this driver's JVM, as `end_idle_daemons`."""
    return end_idle_daemons(jvm_pid())


def end_idle_daemons(jvm: int | None, *, least_age_s: float = LEAST_AGE_S) -> list[int]:
    """Ends those of this JVM that have no worker. Returns their ids; does nothing where there is no proc(5)."""
    if jvm is None:
        return []
    started = {pid: (parent, started_s) for pid, parent, started_s in _processes()}
    parents = {parent for parent, _ in started.values()}
    now_s = time.clock_gettime(time.CLOCK_BOOTTIME) if started else 0.0
    idle = [
        pid
        for pid, (parent, started_s) in started.items()
        if parent == jvm and pid not in parents and now_s - started_s >= least_age_s and _is_planners(pid)
    ]
    for pid in idle:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    return idle


def _processes() -> Iterator[tuple[int, int, float]]:
    """Yields id, parent, and the time of the start in seconds since the machine's."""
    for entry in PROC.glob("[0-9]*"):
        with suppress(OSError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            yield int(entry.name), int(fields[1]), int(fields[19]) / TICKS_PER_S


def _is_planners(pid: int) -> bool:
    """Returns whether it is one of them, and Spark does not take the end of a connection to it for a failure."""
    with suppress(OSError):
        words = (PROC / str(pid) / "cmdline").read_bytes().split(b"\0")
        settings = (PROC / str(pid) / "environ").read_bytes().lower().split(b"\0")
        kind = next((after for word, after in itertools.pairwise(words) if word == MODULE), b"")
        return kind.startswith(KINDS) and b"python_unix_domain_enabled=true" not in settings
    return False
