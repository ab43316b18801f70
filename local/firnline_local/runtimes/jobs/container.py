"""The processes of one attempt, seen from the runtime: one of our own holds them together (host.py)."""

import json
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firnline_local.runtimes.jobs.host import end_session

STDOUT, STDERR = "stdout", "stderr"


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """An order to start a program."""

    command: Sequence[str]
    folder: Path
    variables: Mapping[str, str]
    """All that the process sees of environment variables."""
    logs: Path
    """The folder of its stdout and stderr."""
    territory: Path | None = None
    """A folder: what works in it ends with the process, whatever session it has made for itself."""


class Container:
    """Ends with everything in it when this process does, however it ends."""

    def __init__(self, order: Order) -> None:
        order.logs.mkdir(parents=True, exist_ok=True)
        self._territory = order.territory
        self._host = subprocess.Popen(
            [sys.executable, "-m", __package__ + ".host"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            text=True,
        )
        self._order(
            json.dumps(
                {
                    "command": list(order.command),
                    "folder": str(order.folder),
                    "variables": dict(order.variables),
                    "stdout": str(order.logs / STDOUT),
                    "stderr": str(order.logs / STDERR),
                    "territory": str(order.territory) if order.territory else "",
                }
            )
        )
        self._timer: threading.Timer | None = None
        self.host_pid = self._host.pid
        self.pid = int(self._said().get("pid", 0))
        """Of the process that the order names; 0 where it could not be started."""

    @property
    def is_over(self) -> bool:
        return self._host.poll() is not None

    def wait(self) -> int:
        """Returns the exit status, minus the number of a signal that ended it, when nothing of it runs any more."""
        said = self._said()
        if not said and self.pid:  # the host itself was killed
            end_session(self.pid, self._territory)
        self._host.wait()
        if self._timer is not None:
            self._timer.cancel()
        self.kill()
        if self._host.stdout is not None:
            self._host.stdout.close()
        return int(said.get("status", -9))

    def interrupt(self) -> None:
        """Returns at once: SIGTERM, and nothing more."""
        self._order("term")

    def terminate(self, grace_s: float) -> None:
        """Returns at once. SIGTERM, and after that time what `kill` does."""
        if grace_s <= 0:
            self.kill()
            return
        self.interrupt()
        self._timer = threading.Timer(grace_s, self.kill)
        self._timer.daemon = True
        self._timer.start()

    def kill(self) -> None:
        """Ends everything at once; twice is fine."""
        if self._host.stdin is not None:
            with suppress(OSError, ValueError):
                self._host.stdin.close()

    def _order(self, line: str) -> None:
        if self._host.stdin is not None:
            with suppress(OSError, ValueError):
                self._host.stdin.write(line + "\n")
                self._host.stdin.flush()

    def _said(self) -> Mapping[str, Any]:
        """Nothing where the host itself was ended."""
        assert self._host.stdout is not None
        line = self._host.stdout.readline()
        found: Mapping[str, Any] = json.loads(line) if line else {}
        return found
