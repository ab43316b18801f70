"""The engine as the demo and the tests run it: a process of its own, watched through its log lines."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Self

COUNTED = ("records", "rows", "reread_rows", "bytes", "dead_letters")
LAST_LINES = 40


@dataclass(slots=True)
class ShardWatch:
    """Sums of a shard's log lines; `epoch` is the one at hand, not yet receipted."""

    receipted: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTED, 0))
    epoch: dict[str, int] = field(default_factory=dict)
    behind_ms: int = 0

    def total(self, name: str) -> int:
        return self.receipted[name] + self.epoch.get(name, 0)


class EngineProcess:
    """The engine's `run` in a process group of its own. Nothing of it survives the `with` block, nor this process."""

    def __init__(
        self,
        config_file: Path,
        variables: Mapping[str, str],
        *,
        available_now: bool,
        log_file: Path,
        until: datetime | None = None,
        python: str = sys.executable,
    ) -> None:
        command = [python, "-m", "firnline_local.demo.engine", "run", "--config", str(config_file)]
        bound = ["--until", until.isoformat()] if until else ["--available-now"] if available_now else []
        self._begin([*command, *bound], variables, log_file)

    @classmethod
    def of(cls, command: Sequence[str], variables: Mapping[str, str], log_file: Path) -> Self:
        """Another command that runs the engine: spark-submit's."""
        process = cls.__new__(cls)
        process._begin(command, variables, log_file)
        return process

    def _begin(self, command: Sequence[str], variables: Mapping[str, str], log_file: Path) -> None:
        self._log = log_file.open("ab")
        self._process = subprocess.Popen(
            command,
            env={**os.environ, **variables},
            stdin=subprocess.PIPE,
            stdout=self._log,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self._lock = threading.Lock()
        self.shards: dict[str, ShardWatch] = defaultdict(ShardWatch)
        self.last_lines: deque[str] = deque(maxlen=LAST_LINES)
        self.lines = 0
        """Lines of its log so far: a sign of life."""
        self.failures: deque[Mapping[str, Any]] = deque()
        """Log lines of queries that Spark ended and the engine starts again, of which nobody has been told."""
        self.started = threading.Event()
        self._reader = threading.Thread(target=self._read_log, name="engine-log", daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Ends the whole group: driver, JVM and workers."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._reader.join(timeout=5)
        for pipe in (self._process.stdin, self._process.stderr):
            assert pipe is not None
            pipe.close()
        self._log.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_status(self) -> int | None:
        """Returns None while it runs."""
        return self._process.poll()

    def kill_driver(self) -> None:
        """SIGKILL to the driver alone; what it started has to notice by itself."""
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def wait(self, timeout_s: float) -> int:
        """Raises subprocess.TimeoutExpired."""
        return self._process.wait(timeout_s)

    def total(self, name: str) -> int:
        with self._lock:
            return sum(shard.total(name) for shard in self.shards.values())

    def lags_ms(self) -> list[int]:
        """Per shard, in the order of their ids."""
        with self._lock:
            return [self.shards[name].behind_ms for name in sorted(self.shards)]

    def _read_log(self) -> None:
        assert self._process.stderr is not None
        for raw in self._process.stderr:
            self._log.write(raw)
            self.lines += 1
            line = raw.decode(errors="replace").rstrip()
            try:
                fields = json.loads(line)
            except ValueError:
                self.last_lines.append(line)
                continue
            with self._lock:
                self._take(fields)

    def _take(self, fields: Mapping[str, Any]) -> None:
        event = fields.get("event")
        if event == "engine.started":
            self.started.set()
        elif event == "shard.progress":
            shard = self.shards[fields["shard"]]
            shard.epoch = {name: fields[name] for name in COUNTED}
            shard.behind_ms = fields["behind_ms"] or 0
        elif event == "shard.receipt":
            shard = self.shards[fields["shard_id"]]
            shard.receipted = {name: shard.receipted[name] + fields[name] for name in COUNTED}
            shard.epoch = {}
            shard.behind_ms = fields["behind_ms"] or 0
        elif event == "query.failed":
            self.failures.append(fields)
        if fields.get("level") in ("warning", "error"):
            self.last_lines.append(json.dumps(fields))
