"""Tests that are killed leave nothing behind, whatever they have started and however deep."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WITHIN_S = 30.0

# As an engine is: in a session of its own, which starts a JVM, which starts daemons in groups of their own; deaf to all
# that can be ignored, and one of them stopped.
TREE = """
import os, signal, subprocess, sys, time
depth = int(sys.argv[1])
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
if depth:
    subprocess.Popen([sys.executable, "-c", os.environ["TREE"], str(depth - 1)], start_new_session=bool(depth % 2))
open(f"{os.environ['PLACE']}/{os.getpid()}", "x").close()
if depth == 1:
    os.kill(os.getpid(), signal.SIGSTOP)
time.sleep(600)
"""
DEPTH = 3
HANGS = f"""
import os, subprocess, sys, time
def test_that_hangs():
    open(f"{{os.environ['PLACE']}}/test-{{os.getpid()}}", "x").close()
    subprocess.run([sys.executable, "-c", os.environ["TREE"], "{DEPTH}"])
"""


def is_there(pid: int) -> bool:
    """A zombie is gone: nobody has asked for its status yet."""
    told = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(told.strip()) and not told.strip().startswith("Z")


def until(is_so: Callable[[], object], what: str) -> None:
    give_up_s = time.monotonic() + WITHIN_S
    while not is_so():
        assert time.monotonic() < give_up_s, what
        time.sleep(0.05)


class HangingRun:
    """A run of pytest whose one test waits for a tree of processes, all of which note their ids in `place`."""

    def __init__(self, run: "subprocess.Popen[bytes]", place: Path) -> None:
        self.run, self._place = run, place

    @property
    def tree(self) -> list[int]:
        return [int(file.name) for file in self._place.iterdir() if file.name.isdecimal()]

    @property
    def test(self) -> int:
        (file,) = self._place.glob("test-*")
        return int(file.name.removeprefix("test-"))

    def all_are_gone(self) -> bool:
        return not any(is_there(pid) for pid in (*self.tree, self.test))


@contextmanager
def hanging_run(folder: Path, *options: str) -> Iterator[HangingRun]:
    place = folder / "place"
    place.mkdir()
    file = folder / "test_hangs.py"
    file.write_text(HANGS)
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider", *options, str(file)]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "TREE": TREE, "PLACE": str(place)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    ) as run:
        hanging = HangingRun(run, place)
        try:
            until(lambda: len(hanging.tree) > DEPTH or run.poll() is not None, "a tree of processes")
            assert run.poll() is None
            yield hanging
        finally:
            run.kill()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_is_left_of_a_run_that_is_killed(tmp_path: Path, number: signal.Signals) -> None:
    with hanging_run(tmp_path) as hanging:
        os.kill(hanging.run.pid, number)
        until(hanging.all_are_gone, json.dumps(hanging.tree))


def test_nothing_is_left_of_several_workers_whose_run_is_killed(tmp_path: Path) -> None:
    with hanging_run(tmp_path, "-n", "2") as hanging:
        assert hanging.test != hanging.run.pid
        os.killpg(hanging.run.pid, signal.SIGKILL)
        until(hanging.all_are_gone, json.dumps(hanging.tree))


def test_a_worker_that_is_killed_takes_along_what_it_has_started(tmp_path: Path) -> None:
    with hanging_run(tmp_path, "-n", "1", "--max-worker-restart", "0") as hanging:
        os.kill(hanging.test, signal.SIGKILL)
        until(hanging.all_are_gone, json.dumps(hanging.tree))
