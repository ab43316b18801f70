"""The interface of a roll-out to a place where engines run. Each runtime's `service.py` has a client that does this, and no more.

A run is one start of ours; the service may start its program again within it (an attempt). The job's hash travels with the
run, as a tag or a label: what runs is asked of the service, and never remembered here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from firnline_infra.runtimes.job import EngineJob
from firnline_infra.runtimes.waiting import WaitsFor

GENERATION_TAG = "firnline:generation"
"""The tag of a run with the number of the deployment that started it; in Kubernetes the label `firnline/generation`."""


class RunState(StrEnum):
    """The states of all services, as far as a roll-out tells them apart."""

    STARTING = "STARTING"
    """Asked for, and its program does not run yet: queued, waiting for machines, fetching an image."""
    RUNNING = "RUNNING"
    STOPPING = "STOPPING"
    """It was asked to stop, and is not gone."""
    STOPPED = "STOPPED"
    """Ended because somebody cancelled it."""
    SUCCEEDED = "SUCCEEDED"
    """Ended by itself with exit status 0: everything that it read is proven."""
    FAILED = "FAILED"
    UNKNOWN = "UNKNOWN"
    """The service knows no such run: it has forgotten it, or has taken it a moment ago and does not tell everywhere yet."""

    @property
    def is_active(self) -> bool:
        """True if its program runs, or may yet."""
        return self in (RunState.STARTING, RunState.RUNNING, RunState.STOPPING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One start of an engine, as its service tells of it."""

    id: str
    """What the service calls it."""
    hash: str
    """The job's; its first 63 letters where it is a label; empty for a run that somebody started by hand."""
    state: RunState
    since: datetime | None = None
    """The time at which it was started, by the service's clock; None where it does not say."""
    attempt: int = 1
    """How often the service has started its program."""
    reason: str = ""
    """The service's own words on its state; empty where it has none."""
    waits_for: WaitsFor = WaitsFor.UNKNOWN
    """The kind of what keeps its program from beginning, as far as its service says."""
    start: str = ""
    """The token that it was started with, which its engine tells the ledger (rollout/ownership.py); empty where it has none."""

    @property
    def described(self) -> str:
        """Returns its state, with the service's own words."""
        return f"{self.state} ({self.reason})" if self.reason else str(self.state)

    def forgotten(self, why: str) -> "Run":
        """The run as it is told where its service does not know it (any more)."""
        return replace(self, state=RunState.UNKNOWN, since=None, attempt=1, reason=why)

    def is_of(self, job_hash: str) -> bool:
        """Returns whether the run is of the job with that hash."""
        return bool(self.hash) and job_hash.startswith(self.hash)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A reason why a job would not run, found before anything was stopped."""

    what: str
    """What is wrong, on which object, with the service's own words where it has some."""
    next_step: str


class StartProbe(Protocol):
    """Something small that needs what a job's program needs to begin, and reads nothing."""

    def look(self) -> Run:
        """STARTING while it has not begun, with its service's words; RUNNING once it could."""

    def close(self) -> None:
        """Removes it."""


class EngineService(Protocol):
    """A place where engines run. Every call raises RuntimeRefused or RuntimeUnavailable, with the service's words."""

    def check(self, job: EngineJob) -> Sequence[Problem]:
        """Returns what would keep the job from running, as far as it can be known without starting it. Changes nothing."""

    def lacks_room(self, job: EngineJob) -> str:
        """Returns why the job can't stand by beside another run, as a sentence; empty where it can, as far as that can be
        known."""

    def probe(self, job: EngineJob, token: str) -> StartProbe | None:
        """Starts a probe of the job's image, secrets, volumes and nodes, beside whatever runs; None where the service has no way
        to, or lets this deployer start none."""

    def start(self, job: EngineJob, token: str, *, stands_by: bool = False) -> Run:
        """Starts the job; to read at once, or to stand by until it is promoted. The same token twice is one start: it depends on
        the deployment, not on the attempt at it."""

    def runs(self, application: str) -> Sequence[Run]:
        """An engine's runs that are active, oldest first, whoever started them."""

    def look(self, run: Run) -> Run:
        """The run as it is now; UNKNOWN where the service does not know it."""

    def cancel(self, run: Run, *, grace_s: int) -> None:
        """Asks the service to end the run, and not to start it again. No error where it has ended, or was asked before."""

    def is_gone(self, run: Run) -> bool:
        """Returns whether nothing of the run can write any more, as far as the service can tell: not only that it says
        so of the run, but that what the run consists of (driver, executors) is gone too.
        """

    def log_lines(self, run: Run) -> Iterator[str]:
        """Yields what the driver has written, oldest first, as far as it has arrived where its logs are kept."""
