"""The lock on a stack: who holds it, and whether that process is gone.

A backend of files or buckets locks a stack with a file that names the process that holds it. The CLI shows that text when it
refuses a command, whatever the backend is; it is parsed here.
"""

import os
import re
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Self

LINE = re.compile(r"created by (?P<user>.+)@(?P<host>[^@\s]+) \(pid (?P<pid>\d+)\) at (?P<since>\S+)")


@dataclass(frozen=True)
class Lock:
    user: str
    host: str
    pid: int
    since: str
    """RFC 3339, by the clock of `host`."""

    @classmethod
    def all_of(cls, refusal: str) -> tuple[Self, ...]:
        """The locks that a refused command names; none where it was refused for another reason."""
        return tuple(
            cls(user=found["user"], host=found["host"], pid=int(found["pid"]), since=found["since"])
            for found in LINE.finditer(refusal)
        )

    def __str__(self) -> str:
        return f"process {self.pid} of {self.user} on {self.host} (since {self.since})"

    def why_it_counts(self, *, this_host: str | None = None) -> str | None:
        """Returns why the lock has to be respected, or None where its process is gone for certain."""
        if self.host != (this_host or socket.gethostname()):
            return "that is another machine, where nothing here can see whether it still runs"
        return "it is still running" if _is_running(self.pid) else None


def _is_running(pid: int) -> bool:
    """Returns whether a process has that number. It may be another one by now, which errs on the safe side."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return not _is_zombie(pid)


def _is_zombie(pid: int) -> bool:
    """Returns whether it has ended and its parent has not noticed yet (Linux; elsewhere it counts as running)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return False
