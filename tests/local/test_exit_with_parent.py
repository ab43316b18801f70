import os
import signal
import subprocess
import sys
import time

CHILD = """
import sys, time
from firnline_local.exit_with_parent import exit_when_parent_is_gone
exit_when_parent_is_gone({parent})
print("ready", flush=True)
time.sleep(60)
"""
PARENT = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", sys.argv[1]], stdin=subprocess.DEVNULL)
print(child.pid, flush=True)
time.sleep(60)
"""


def wait_until_closed(stdout: object, *, within_s: float) -> None:
    """The child has a copy of its parent's stdout: the pipe is closed when both are gone."""
    began = time.monotonic()
    assert stdout.read() == b""
    assert time.monotonic() - began < within_s


def test_a_process_ends_soon_after_its_parent_was_killed() -> None:
    child = CHILD.format(parent="")
    with subprocess.Popen([sys.executable, "-c", PARENT, child], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        said = {parent.stdout.readline().strip(), parent.stdout.readline().strip()}
        assert b"ready" in said
        os.kill(parent.pid, signal.SIGKILL)
        wait_until_closed(parent.stdout, within_s=5)


def test_a_parent_that_was_gone_before_counts_too() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    began = time.monotonic()
    ended = subprocess.run(
        [sys.executable, "-c", CHILD.format(parent=gone.pid)], check=False, stdout=subprocess.DEVNULL
    )
    assert ended.returncode == 0
    assert time.monotonic() - began < 30
