"""The daemons that Spark starts to plan a query: real ones, by its own protocol, whose JVM this process plays."""

import os
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from firnline_ingest.spark.planner_daemons import end_idle_daemons

LOOKS_UP = "pyspark.sql.worker.lookup_data_sources"

Start = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def start() -> Iterator[Start]:
    with ExitStack() as stack:

        def begun(module: str = "pyspark.daemon", kind: str = LOOKS_UP, **settings: str) -> subprocess.Popen[bytes]:
            environment = {"PYTHON_WORKER_FACTORY_SECRET": "secret", "SPARK_REUSE_WORKER": "1", **settings}
            daemon = stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-m", module, kind],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=os.environ | environment,
                )
            )
            stack.callback(daemon.kill)
            return daemon

        yield begun


def _port_of(daemon: subprocess.Popen[bytes]) -> int:
    assert daemon.stdout is not None
    return int(struct.unpack("!i", daemon.stdout.read(4))[0])


def _worker_of(port: int) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=30)
    assert struct.unpack("!i", connection.recv(4))[0] > 0
    return connection


def _ended() -> list[int]:
    return end_idle_daemons(os.getpid(), least_age_s=0.0)


def test_a_daemon_is_ended_when_its_worker_is_gone_and_not_before(start: Start) -> None:
    daemon = start()
    port = _port_of(daemon)
    with _worker_of(port):
        assert _ended() == []
    give_up_s = time.monotonic() + 60
    while not _ended() and time.monotonic() < give_up_s:
        time.sleep(0.05)
    assert daemon.wait(60) == 1, "it leaves by the handler that Spark's own stop uses"


def test_one_that_has_just_begun_may_be_asked_yet(start: Start) -> None:
    daemon = start()
    _port_of(daemon)
    assert end_idle_daemons(os.getpid()) == []
    assert _ended() == [daemon.pid]


def test_daemons_of_tasks_and_of_others_are_left_alone(start: Start) -> None:
    of_tasks = start(kind="pyspark.worker"), start("firnline_ingest.spark.python_daemon", "pyspark.worker")
    for daemon in (*of_tasks, start()):
        _port_of(daemon)
    assert end_idle_daemons(1, least_age_s=0.0) == []
    assert end_idle_daemons(None, least_age_s=0.0) == []
    assert len(_ended()) == 1
    assert [daemon.poll() for daemon in of_tasks] == [None, None]


def test_where_spark_takes_the_end_of_a_connection_for_a_failure_they_stay(start: Start, tmp_path: object) -> None:
    daemon = start(PYTHON_UNIX_DOMAIN_ENABLED="true", PYTHON_WORKER_FACTORY_SOCK_DIR=str(tmp_path))
    assert daemon.stdout is not None
    daemon.stdout.read(4)
    assert _ended() == []
