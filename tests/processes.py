"""Nothing that a test starts outlives the tests, however they end.

A process inherits its environment from the one that started it, through every session, group and death of a parent. So each
process of pytest (xdist's workers are some of their own) marks its environment and starts a reaper, which holds the other
end of a pipe. The pipe reaches its end when the process of pytest does, killed or not; the reaper then kills whatever has
the mark. A process that is started with an empty environment has no mark: it has to watch its stdin, or its parent.

The reaper is this file, run as a program that imports nothing else.
"""

import atexit
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

MARK = "FIRNLINE_STARTED_BY_TESTS"
LOOK_EVERY_S = 0.05
GIVE_UP_S = 30.0
PROC = Path("/proc")


def reap_what_is_started_from_now_on() -> None:
    """Marks this process's environment. What it starts is killed when it ends, if not by then."""
    unmarked = {name: value for name, value in os.environ.items() if name != MARK}
    os.environ[MARK] = mark = f"{os.getpid()}-{os.urandom(8).hex()}"
    reaper = subprocess.Popen(
        [sys.executable, "-I", "-S", __file__, mark],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env=unmarked,
        start_new_session=True,  # a signal to the tests' group is not for the reaper
    )
    atexit.register(reaper.communicate)  # holds its stdin until then; closes it and waits


def marked(mark: str) -> set[int]:
    """The processes that were started with the mark in their environment, without those that have ended."""
    sought = f"{MARK}={mark}".encode()
    return _marked_in_proc(sought) if PROC.is_dir() else _marked_by_ps(sought)


def _marked_in_proc(sought: bytes) -> set[int]:
    found = set()
    for entry in PROC.iterdir():
        if entry.name.isdecimal():
            try:
                environment = (entry / "environ").read_bytes()
            except OSError:  # it has ended, or is another user's
                continue
            if sought in environment.split(b"\0"):
                found.add(int(entry.name))
    return found


def _marked_by_ps(sought: bytes) -> set[int]:
    """On macOS, where `-E` shows the environment after the command."""
    lines = subprocess.run(["ps", "-axwwE", "-o", "pid=,stat=,command="], capture_output=True, check=True).stdout
    words = [line.split() for line in lines.splitlines()]
    return {int(pid) for pid, state, *said in words if sought in said and not state.startswith(b"Z")}


def reap(mark: str) -> None:
    """Kills until none is left: one that is killed may have started another one meanwhile."""
    give_up_s = time.monotonic() + GIVE_UP_S
    while (found := marked(mark)) and time.monotonic() < give_up_s:
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        time.sleep(LOOK_EVERY_S)


if __name__ == "__main__":
    sys.stdin.buffer.read()
    reap(sys.argv[1])
