"""Spark's protocol with its Python daemon: a port on standard output, a connection for each worker, the worker's id back."""

import os
import shutil
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pyspark
import pytest

TICK_S = 0.1
SOME_TICKS_S = 10 * TICK_S
COMMAND = f"from firnline_ingest.spark.python_daemon import run; run({TICK_S})"


@pytest.fixture
def daemon() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        [sys.executable, "-c", COMMAND, "pyspark.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHON_WORKER_FACTORY_SECRET": "secret", "SPARK_REUSE_WORKER": "1"},
    ) as process:
        yield process
        process.kill()


def _number(read: bytes) -> int:
    return int(struct.unpack("!i", read)[0])


def _worker_of(port: int) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=30)
    assert _number(connection.recv(4)) > 0
    return connection


def _port_of(daemon: subprocess.Popen[bytes]) -> int:
    assert daemon.stdout is not None
    return _number(daemon.stdout.read(4))


def test_a_daemon_lives_as_long_as_a_worker_of_it_and_not_for_good(daemon: subprocess.Popen[bytes]) -> None:
    port = _port_of(daemon)
    with _worker_of(port), _worker_of(port):
        time.sleep(SOME_TICKS_S)
        assert daemon.poll() is None
    assert daemon.wait(60) == 0


def test_a_daemon_that_was_not_asked_yet_waits(daemon: subprocess.Popen[bytes]) -> None:
    """A machine may be busy: Spark starts the daemon first, and connects then."""
    port = _port_of(daemon)
    time.sleep(SOME_TICKS_S)
    assert daemon.poll() is None
    _worker_of(port).close()
    assert daemon.wait(60) == 0


def test_where_spark_takes_the_end_of_a_connection_for_a_failure_it_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_UNIX_DOMAIN_ENABLED", "true")
    script = "import signal; from firnline_ingest.spark import python_daemon as it; it.end_when_idle(9); "
    ends = subprocess.run(
        [sys.executable, "-c", script + "print(signal.getitimer(signal.ITIMER_REAL)[1])"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ends.stdout == "0.0\n"


SPARK = Path(pyspark.__file__).parent
ZIP = SPARK / "python" / "lib" / "pyspark.zip"


def _printed(script: str, *path: Path) -> str:
    ends = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, path))},
    )
    return ends.stdout.strip()


FILE_OF_PYSPARK = (
    "from firnline_ingest.spark.python_daemon import use_compiled_files; use_compiled_files(); "
    "import pyspark.daemon; print(pyspark.daemon.__file__)"
)


def test_modules_come_from_the_folder_whose_zip_spark_puts_in_front() -> None:
    assert _printed(FILE_OF_PYSPARK, ZIP) == str(SPARK / "daemon.py")


def test_the_zip_of_another_spark_stays_in_front(tmp_path: Path) -> None:
    """On a cluster the zip is all that there is of Spark, or another version than what else can be imported."""
    other = tmp_path / "spark" / "python" / "lib" / "pyspark.zip"
    other.parent.mkdir(parents=True)
    shutil.copy(ZIP, other)
    assert Path(_printed(FILE_OF_PYSPARK, other)).with_suffix("") == other / "pyspark" / "daemon"  # compiled or not


def test_what_a_daemon_has_is_left_alone_by_the_collections_of_its_workers() -> None:
    script = (
        "import gc; from firnline_ingest.spark import python_daemon as it; it.use_compiled_files(); "
        "import pyspark.daemon; it.share_memory(); print(gc.get_freeze_count() > 10_000)"
    )
    assert _printed(script) == "True"
