"""CPU and memory of the engine's processes, read from /proc, by what each process is to the engine."""

import os
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, Self

from bench.errors import NoProc

PROC = Path("/proc")
TICK_S = 1 / os.sysconf("SC_CLK_TCK")
PAGE_MB = os.sysconf("SC_PAGE_SIZE") / 1e6
SAMPLE_EVERY_S = 0.5


class Role(StrEnum):
    DRIVER = "driver"
    JVM = "JVM"
    PLANNER = "planner"
    """The source's own process, beside the driver."""
    DAEMON = "daemon"
    """Forks the workers, and does nothing else."""
    WORKER = "worker"


class Process(NamedTuple):
    role: Role
    cpu_s: float
    rss_mb: float


@dataclass(frozen=True)
class Sample:
    """The whole tree at one moment."""

    at_s: float
    cpu_s: Mapping[Role, float]
    """Since the tree began; of processes that have ended, as they were last seen."""
    rss_mb: Mapping[Role, float]
    workers_mb: Sequence[float]
    """The largest first: Spark keeps idle ones around, too."""


class ProcessTree:
    """Samples a process and its descendants from a thread of its own, while the `with` block lasts."""

    def __init__(self, root: int) -> None:
        self.samples: list[Sample] = []
        self._root = root
        self._seen: dict[int, Process] = {}
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="process-tree", daemon=True)

    def __enter__(self) -> Self:
        if not PROC.is_dir():
            raise NoProc
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    @property
    def pids(self) -> list[int]:
        """Ids of all that was ever in the tree and has not ended."""
        return [pid for pid in self._seen if (PROC / str(pid)).exists()]

    def _run(self) -> None:
        while not self._over.wait(SAMPLE_EVERY_S):
            self.samples.append(self.sample())

    def memory_mb(self) -> float:
        """Returns the memory of all its processes as they are now; what several share counts once (their proportional
        set sizes).
        """
        return sum(_shared_fairly_mb(PROC / str(pid)) for pid, _ in _tree(self._root, self._seen))

    def sample(self) -> Sample:
        with self._lock:
            return self._sample()

    def _sample(self) -> Sample:
        living = dict(_tree(self._root, self._seen))
        self._seen |= living
        cpu_s, rss_mb = defaultdict[Role, float](float), defaultdict[Role, float](float)
        for process in self._seen.values():
            cpu_s[process.role] += process.cpu_s
        for process in living.values():
            rss_mb[process.role] += process.rss_mb
        workers = [process.rss_mb for process in living.values() if process.role is Role.WORKER]
        return Sample(time.monotonic(), cpu_s, rss_mb, sorted(workers, reverse=True))


def _tree(root: int, seen: Mapping[int, Process]) -> Iterator[tuple[int, Process]]:
    """The root and its descendants, parents first."""
    children: dict[int, list[int]] = {}
    stats = {int(entry.name): fields for entry in PROC.glob("[0-9]*") if (fields := _stat(entry))}
    for pid, fields in stats.items():
        children.setdefault(int(fields[1]), []).append(pid)
    waiting: list[tuple[int, Role]] = [(root, Role.DRIVER)] if root in stats else []
    while waiting:
        pid, role = waiting.pop()
        fields = stats[pid]
        yield pid, Process(role, (int(fields[11]) + int(fields[12])) * TICK_S, int(fields[21]) * PAGE_MB)
        waiting += [(child, _role(child, role, seen.get(child))) for child in children.get(pid, ())]


def _stat(entry: Path) -> list[str]:
    """The fields of proc(5)'s stat that follow the name; none for a process that is gone by now."""
    try:
        return (entry / "stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def _shared_fairly_mb(entry: Path) -> float:
    try:
        lines = (entry / "smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    kilobytes = next((line.split()[1] for line in lines if line.startswith("Pss:")), "0")
    return int(kilobytes) * 1024 / 1e6


def _role(pid: int, parent: Role, seen: Process | None) -> Role:
    """Returns what a process is; one that is about to end has no command line any more, and is what it was."""
    if parent in (Role.DAEMON, Role.WORKER):
        return Role.WORKER
    try:
        command = (PROC / str(pid) / "cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        command = b""
    if not command:
        return seen.role if seen else Role.PLANNER
    if command.partition(b"\0")[0].endswith(b"java"):
        return Role.JVM
    return Role.DAEMON if b"daemon" in command else Role.PLANNER
