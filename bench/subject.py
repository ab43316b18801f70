"""The subject of a measurement, as a process: the engine or the obvious loop, watched from outside, stopped as an
operator would.
"""

import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

from bench.errors import BenchFailed
from bench.processes import ProcessTree

STOP_TIMEOUT_S = 60.0
GRACE_S = 5.0
POLL_S = 0.1


class TimeLimit:
    """The end of a whole run of the benchmark; every wait for a subject looks at it, and every lap of reads."""

    end_s = math.inf

    @classmethod
    def set(cls, seconds: float) -> None:
        """From now on."""
        cls.end_s = time.monotonic() + seconds

    @classmethod
    def check(cls) -> None:
        """Raises BenchFailed where the time is over."""
        if time.monotonic() > cls.end_s:
            raise BenchFailed("The time that --minutes gives is over.")


class Subject:
    """Runs while the `with` block lasts; nothing of it is left afterwards, and it ends when this process does."""

    def __init__(
        self, module: str, arguments: Sequence[str], *, log_file: Path, environment: Mapping[str, str]
    ) -> None:
        name = module.rpartition(".")[2]
        self._begin([sys.executable, "-m", module, *arguments], name, log_file, environment)

    @classmethod
    def of(cls, command: Sequence[str], *, name: str, log_file: Path, environment: Mapping[str, str]) -> Self:
        """Another program than one of Python's."""
        subject = cls.__new__(cls)
        subject._begin(command, name, log_file, environment)
        return subject

    def _begin(self, command: Sequence[str], name: str, log_file: Path, environment: Mapping[str, str]) -> None:
        self._name = name
        self.log_file = log_file
        with log_file.open("wb") as log:
            self._process = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,  # Ctrl-C reaches only the benchmark, which stops it in order
            )
        self.tree = ProcessTree(self._process.pid)

    def __enter__(self) -> Self:
        self.tree.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.tree.__exit__()
        assert self._process.stdin is not None
        self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE_S)
        for pid in self.tree.pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()

    def wait_until(self, is_so: Callable[[], bool], *, what: str, timeout_s: float) -> None:
        """Raises BenchFailed where the process ends first, or the time is up."""
        give_up_s = time.monotonic() + timeout_s
        while not is_so():
            self._check_alive()
            if time.monotonic() > give_up_s:
                raise BenchFailed(f"After {timeout_s:g} s of the {self._name}, still not: {what}.", self.log_file)
            time.sleep(POLL_S)

    def run_for(self, seconds: float) -> None:
        """Raises BenchFailed where the process ends meanwhile."""
        end_s = time.monotonic() + seconds
        while (left_s := end_s - time.monotonic()) > 0:
            self._check_alive()
            time.sleep(min(POLL_S, left_s))

    def finish(self) -> None:
        """Asks it to stop, and waits until it has proven what it read. Raises BenchFailed where it does not."""
        self._process.send_signal(signal.SIGTERM)
        try:
            status = self._process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise BenchFailed(f"The {self._name} did not stop within {STOP_TIMEOUT_S:g} s.", self.log_file) from None
        if status != 0:
            raise BenchFailed(f"The {self._name} was asked to stop, and ended with {status}.", self.log_file)

    def _check_alive(self) -> None:
        TimeLimit.check()
        if self._process.poll() is not None:
            raise BenchFailed(f"The {self._name} ended with {self._process.returncode}.", self.log_file)
