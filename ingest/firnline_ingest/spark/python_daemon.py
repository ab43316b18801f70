"""Spark's Python daemon, which ends when nothing needs it any more.

Spark starts a daemon for each kind of worker and keeps it for good, though three kinds serve nothing but the start of a query
(`lookup_data_sources`, `create_data_source`, `plan_data_source_read`), and tasks that moved elsewhere leave theirs behind: about
37 MB each. Spark ends a worker that was idle for a minute; the daemon that has no worker left follows it. Where one is needed
later, Spark finds its connection refused or reset, and starts another (`PythonWorkerFactory`; seen with Spark 4.3.0).
"""

import os
import signal

IDLE_S = 10.0


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


def run(idle_s: float = IDLE_S) -> None:
    from pyspark.daemon import manager

    end_when_idle(idle_s)
    manager()


if __name__ == "__main__":
    run()
