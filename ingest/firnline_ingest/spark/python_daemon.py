"""Spark's Python daemon for tasks, which shares its memory with its workers, and ends when nothing needs it any more.

Spark keeps a daemon for good, and tasks that moved elsewhere leave theirs behind: about 20 MB each. Spark ends a worker that was
idle for a minute; the daemon that has no worker left follows it. Where one is needed later, Spark finds its connection refused or
reset, and starts another (`PythonWorkerFactory`; seen with Spark 4.3.0).
"""

import gc
import os
import signal
import sys
from pathlib import Path

IDLE_S = 10.0
ZIP = Path("python", "lib", "pyspark.zip")
"""In Spark's folder; Spark puts it in front of a worker's path."""


class _Idleness:
    """Memory of what the daemon has forked, looked at now and then by a timer of its main thread."""

    def __init__(self) -> None:
        self._has_forked = self._is_recent = False

    def note_fork(self) -> None:
        self._has_forked = self._is_recent = True

    def look(self, *_: object) -> None:
        """Ends the process where it had a worker once, has none now, and forked none since the last look."""
        if self._has_forked and not self._is_recent and not _has_children():
            os._exit(0)
        self._is_recent = False


def _has_children() -> bool:
    try:
        os.waitpid(-1, os.WNOHANG)  # the daemon ignores SIGCHLD, so that no worker's end is taken from anybody
    except ChildProcessError:
        return False
    return True


def end_when_idle(idle_s: float) -> None:
    """Starts the timer of this process; a fork inherits none."""
    if os.environ.get("PYTHON_UNIX_DOMAIN_ENABLED", "false").lower() == "true":
        return  # Spark takes the end of such a connection for a failure
    idleness = _Idleness()
    os.register_at_fork(before=idleness.note_fork)
    signal.signal(signal.SIGALRM, idleness.look)
    signal.setitimer(signal.ITIMER_REAL, idle_s, idle_s)


def use_compiled_files() -> None:
    """Takes pyspark from the folder that it is installed in, where that is importable: modules of a zip are compiled anew in each
    process, which costs 0.7 s of CPU and 13 MB of it.
    """
    folders = {Path(entry).resolve() for entry in sys.path if entry}
    for entry in list(sys.path):
        home = Path(entry).parents[2] if entry and Path(entry).parts[-3:] == ZIP.parts else None
        if home is not None and home.resolve().parent in folders and (home / "daemon.py").is_file():
            sys.path.remove(entry)


def share_memory() -> None:
    """Leaves alone, from now on, what there is: a collection would write to each object, and so copy its page in each worker."""
    gc.collect()
    gc.freeze()


def run(idle_s: float = IDLE_S) -> None:
    use_compiled_files()
    from pyspark.daemon import manager

    end_when_idle(idle_s)
    share_memory()
    manager()


if __name__ == "__main__":
    run()
