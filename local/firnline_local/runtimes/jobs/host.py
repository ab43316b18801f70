"""`python -m firnline_local.runtimes.jobs.host`: holds the processes of one attempt together, as a container would.

Its stdin says first what to start, as one line of JSON (command, folder, variables, files for stdout and stderr, a territory);
then `term` asks the process to shut down. At the end of stdin, the parent is gone or wants everything ended. stdout
says the process's id and, when nothing of the attempt runs any more, its exit status.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

GONE_S = 10.0
PR_SET_PDEATHSIG = 1  # prctl(2)


def main() -> None:
    """Everything that the process starts is of its session, whatever process group it makes for itself; or works in its
    territory, as the containers of YARN do, which have sessions of their own."""
    order = json.loads(sys.stdin.readline())
    territory = Path(order["territory"]) if order.get("territory") else None
    with Path(order["stdout"]).open("wb") as stdout, Path(order["stderr"]).open("wb") as stderr:
        process = subprocess.Popen(
            order["command"],
            cwd=order["folder"],
            env=order["variables"],
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
            preexec_fn=_end_with_host,  # noqa: PLW1509 (this process has one thread yet)
        )
    _say(pid=process.pid)
    threading.Thread(target=_listen, args=(process, territory), name="orders", daemon=True).start()
    status = process.wait()
    end_session(process.pid, territory)
    _say(status=status)


def _end_with_host() -> None:
    """Ends the process with its host where Linux can do that: what Spark started ends with it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _listen(process: "subprocess.Popen[bytes]", territory: Path | None) -> None:
    for line in sys.stdin:
        if line.strip() == "term":
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGTERM)
    end_session(process.pid, territory)


def end_session(session: int, territory: Path | None = None) -> None:
    """Returns when no process of the session, or that works in the territory, runs any more."""
    give_up = time.monotonic() + GONE_S
    while (left := {*_of_session(session), *_working_in(territory)}) and time.monotonic() < give_up:
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)


def _of_session(session: int) -> Iterator[int]:
    """The session's processes, without zombies."""
    proc = Path("/proc")
    lines = _from_proc(proc) if proc.is_dir() else _from_ps()
    for pid, state, its in lines:
        if its == session and state != "Z":
            yield pid


def _working_in(territory: Path | None) -> Iterator[int]:
    """Processes whose current folder is in the territory. Without /proc, nothing there makes a session of its own (YARN
    has `setsid` on Linux alone)."""
    proc = Path("/proc")
    if territory is None or not proc.is_dir():
        return
    for folder in proc.iterdir():
        if folder.name.isdecimal() and int(folder.name) != os.getpid():
            with suppress(OSError):
                if (folder / "cwd").readlink().is_relative_to(territory.resolve()):
                    yield int(folder.name)


def _from_proc(proc: Path) -> Iterator[tuple[int, str, int]]:
    for folder in proc.iterdir():
        if folder.name.isdecimal():
            with suppress(OSError, ValueError, IndexError):
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                yield int(folder.name), fields[0], int(fields[3])


def _from_ps() -> Iterator[tuple[int, str, int]]:
    """The processes where there is no /proc."""
    answer = subprocess.run(["/bin/ps", "-axo", "pid=,stat=,sess="], capture_output=True, text=True, check=True)
    for line in answer.stdout.splitlines():
        pid, state, session = line.split()
        with suppress(ValueError):
            yield int(pid), state[0], int(session, 0)


def _say(**facts: int) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
