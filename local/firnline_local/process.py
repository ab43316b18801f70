"""Child processes that can't outlive their parent.

A child's stdin is a pipe that its parent holds open; it reaches its end when the parent goes, however it goes. A child
says once that it is ready, with one line of JSON on stdout. The child has `exit_when_stdin_ends`
(exit_with_parent.py) and `announce_ready` for its side of that agreement, the parent has `ChildProcess`.
"""

import json
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as ReadyTimeout
from pathlib import Path
from typing import IO, Any, Self

from firnline_local.errors import PortInUse, ProcessEnded, ProcessNotReady

LOG_LINES = 15  # of a failed child's stderr, shown in the error
GRACE_S = 5.0  # a child ends within a second of its stdin; one that doesn't is killed


def announce_ready(**facts: str) -> None:
    """Tells the parent, once, that this process can be used; `facts` are what it has to know, such as `endpoint`."""
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


class ChildProcess:
    """A Python module that runs as a server of its own, with its stderr in a log file."""

    def __init__(self, name: str, process: "subprocess.Popen[bytes]", log_file: Path, arguments: Sequence[str]) -> None:
        self.name = name
        self.log_file = log_file
        self._process = process
        self._arguments = arguments
        self._first_line: Future[bytes] = Future()
        threading.Thread(target=self._read_stdout, name=f"stdout-of-{name}", daemon=True).start()

    @classmethod
    def start(
        cls,
        module: str,
        arguments: Sequence[str] = (),
        *,
        name: str,
        log_file: Path,
        environment: Mapping[str, str] | None = None,
    ) -> Self:
        """Starts `python -m module` and returns at once, so that several can come up side by side.

        `environment` is all that the child sees of environment variables; this process's own by default.
        """
        with log_file.open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", module, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=environment,
                start_new_session=True,  # Ctrl-C reaches only the parent, which stops its children in order
            )
        return cls(name, process, log_file, arguments)

    def wait_until_ready(self, *, timeout_s: float) -> dict[str, Any]:
        """Returns what the child announced. Raises ProcessEnded, ProcessNotReady, or PortInUse, and leaves no child behind."""
        try:
            line = self._first_line.result(timeout_s)
        except ReadyTimeout:
            self.stop()
            raise self._not_ready(f"was not ready after {timeout_s:g} s") from None
        if not line:
            self.stop()
            raise self._why_it_ended()
        try:
            facts = json.loads(line)
        except ValueError:
            facts = None
        if not isinstance(facts, dict):
            self.stop()
            raise self._not_ready(
                f"said {line.decode(errors='replace').rstrip()!r} where it should say that it is ready"
            )
        return facts

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def check(self) -> None:
        """Raises ProcessEnded where the child is no longer there."""
        if not self.is_running:
            raise self._why_it_ended()

    def request_stop(self) -> None:
        """Returns at once, so that several can go down side by side."""
        if self._process.stdin is not None:
            self._process.stdin.close()

    def stop(self) -> None:
        """Returns when the child is gone; stopping twice is fine."""
        self.request_stop()
        try:
            self._process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _read_stdout(self) -> None:
        """Hands over the first line, then keeps the pipe empty: a full one would block the child."""
        stdout: IO[bytes] | None = self._process.stdout
        if stdout is None:
            raise AssertionError("the child was started with a pipe as its stdout")
        with stdout:
            self._first_line.set_result(stdout.readline())
            while stdout.read(65536):
                pass

    def _not_ready(self, problem: str) -> ProcessNotReady:
        return ProcessNotReady(name=self.name, problem=problem, log=self._last_lines())

    def _why_it_ended(self) -> ProcessEnded:
        status = self._process.wait()
        log = self._last_lines()
        if "address already in use" in log.lower():
            return PortInUse(name=self.name, exit_status=status, log=log, port=self._option("--port"))
        return ProcessEnded(name=self.name, exit_status=status, log=log)

    def _last_lines(self) -> str:
        lines = self.log_file.read_text(errors="replace").splitlines()
        return "\n".join(lines[-LOG_LINES:])

    def _option(self, option: str) -> str:
        pairs = dict(zip(self._arguments, self._arguments[1:], strict=False))
        return pairs.get(option, "0")
