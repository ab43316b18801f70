"""A tree of real processes: one that works and one that it started, both seen from outside."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.processes import PROC, ProcessTree, Role

pytestmark = pytest.mark.skipif(not PROC.is_dir(), reason="the benchmark reads /proc")

WORK = "sum(range(10**7)); print('worked', flush=True); import sys; sys.stdin.read()"
PARENT = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {WORK!r}, 'daemon']); sys.stdin.read()"


@pytest.fixture
def parent() -> Iterator["subprocess.Popen[str]"]:
    """Starts a child, named like Spark's daemon, that works a while and then waits for the end of stdin."""
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process


def test_what_a_descendant_cost_is_in_the_tree_even_after_it_ended(parent: "subprocess.Popen[str]") -> None:
    assert parent.stdout is not None
    assert parent.stdin is not None
    with ProcessTree(parent.pid) as tree:
        assert parent.stdout.readline() == "worked\n"
        sample = tree.sample()
        assert sample.cpu_s[Role.DAEMON] > 0.05
        assert sample.rss_mb[Role.DAEMON] > 1
        parent.stdin.close()
        deadline_s = time.monotonic() + 60
        while tree.pids and time.monotonic() < deadline_s:
            parent.poll()
            time.sleep(0.02)
        assert tree.sample().cpu_s[Role.DAEMON] >= sample.cpu_s[Role.DAEMON]
        assert tree.sample().rss_mb.get(Role.DAEMON, 0) == 0


def test_a_process_that_ends_is_what_it_was_although_it_has_no_command_line_any_more() -> None:
    """Proc(5) has the times of a zombie, and an empty command line."""
    with subprocess.Popen([sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        tree = ProcessTree(process.pid)
        process.stdout.readline()
        (daemon,) = (pid for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split())
        worked = tree.sample()
        os.kill(int(daemon), signal.SIGKILL)
        while (PROC / daemon / "cmdline").read_bytes():
            time.sleep(0.01)
        ending = tree.sample()
        process.stdin.close()
    assert ending.cpu_s[Role.DAEMON] >= worked.cpu_s[Role.DAEMON] > 0.05
    assert ending.cpu_s.get(Role.PLANNER, 0) == 0
