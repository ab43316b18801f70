"""The deployments of an environment, one numbered object each in its bucket: what was deployed, by whom, how it ended.

The deployer that creates the next number is the active one, and only it writes to that object (If-None-Match decides between
two). A deployment whose deployer was killed stays open, and its heartbeat stops; the next one takes its place. The records are
the history for a rollback, and keep two deployers apart; the running engine is never concluded from them, and no row depends on
them (the engine's lease and the fence protect rows).
"""

import json
import os
import re
import socket
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Protocol
from uuid import uuid4

from firnline_infra.rollout.errors import DeployDisplaced, DeployRunning, RecordUnreadable
from firnline_infra.rollout.retry import RetryBudget

VERSION = 1
DIGITS = 8
LINES_KEPT = 2000  # of a failed engine's log
BEAT_S = 5.0
LOOKS, LOOK_S = 6, 5.0  # how long an open deployment's beat is looked at; a slow call of its deployer is not a death


class Outcome(StrEnum):
    OPEN = "open"
    """The deployer is at work, or was killed."""
    GOOD = "good"
    """The engine that it started reads all shards."""
    FAILED = "failed"
    """It did not; `told` says what runs instead."""
    STOPPED = "stopped"
    """No deployment: a person has stopped what ran."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploymentRecord:
    """One object."""

    number: int = 0
    hash: str
    """The job's hash."""
    job: dict[str, Any]
    """Everything that decides what runs, so that a rollback needs nothing else."""
    by: str = ""
    """Who deployed: user, machine, process."""
    began: str = ""
    """ISO 8601, by the deployer's clock."""
    outcome: Outcome = Outcome.OPEN
    beat: int = 0
    step: str = ""
    """What its deployer did last."""
    run: str = ""
    """The id of the run that it started."""
    told: str = ""
    """How it ended, in a sentence."""
    nonce: str = ""
    """Random, from whoever made the record: two machines of CI may have the same name, and the same number of a process."""
    went_back_to: int | None = None
    """The number of the deployment whose job this is, where it is a rollback."""

    @property
    def place_in_history(self) -> int:
        """The number from which a further rollback looks on."""
        return self.went_back_to or self.number

    def to_text(self) -> str:
        return json.dumps({"version": VERSION, **asdict(self)}, indent=2) + "\n"

    @classmethod
    def of_text(cls, text: str, place: str) -> "DeploymentRecord":
        try:
            document = json.loads(text)
            if document.pop("version") != VERSION:
                raise ValueError("it has another version")
            return cls(**{**document, "outcome": Outcome(document["outcome"])})
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise RecordUnreadable(place, str(error)) from error


class Objects(Protocol):
    """The part of a bucket's interface that the records need."""

    @property
    def place(self) -> str:
        """The place in a person's words: s3://bucket/deployments/"""

    def names(self) -> list[str]:
        """The names of all objects in the folder, in any order."""

    def read(self, name: str) -> str | None: ...

    def create(self, name: str, text: str) -> bool:
        """False where there is one of that name."""

    def overwrite(self, name: str, text: str) -> None: ...


def _who() -> str:
    user = os.environ.get("USER") or os.environ.get("GITHUB_ACTOR") or "somebody"
    return f"{user}, process {os.getpid()} on {socket.gethostname()}"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(slots=True)
class Deployments:
    objects: Objects
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    who: Callable[[], str] = _who

    def __post_init__(self) -> None:
        self.objects = RetryBudget(self.sleep, self.clock).with_(self.objects)

    def newest_first(self) -> Iterator[DeploymentRecord]:
        for number in sorted(self._numbers(), reverse=True):
            if (found := self._read(number)) is not None:
                yield found

    def newest(self) -> DeploymentRecord | None:
        return next(self.newest_first(), None)

    def log_of(self, run_id: str) -> list[str]:
        """Returns what a deployment has kept of the log of a run that failed; empty if it kept none."""
        name = next((each for each in self.objects.names() if each.endswith(f"-{_in_a_name(run_id)}.log")), None)
        return (self.objects.read(name) or "").splitlines() if name else []

    def begin(self, hash_: str, job: dict[str, Any], *, went_back_to: int | None = None) -> "Claim":
        """The next number is ours. Raises DeployRunning where another deployer works, or was faster."""
        return self._begin(DeploymentRecord(hash=hash_, job=job, went_back_to=went_back_to))

    def begin_stop(self) -> "Claim":
        """The next number is ours, to stop what the newest one has left. Raises as `begin`."""
        newest = self.newest()
        found = replace(newest, outcome=Outcome.OPEN, told="") if newest else DeploymentRecord(hash="", job={})
        return self._begin(found)

    def _begin(self, wanted: DeploymentRecord) -> "Claim":
        newest = self.newest()
        if newest is not None and newest.outcome is Outcome.OPEN:
            self._refuse_where_it_beats(newest)
        number = newest.number + 1 if newest else 1
        new = replace(wanted, number=number, by=self.who(), began=_now(), nonce=uuid4().hex[:8], beat=0, step="")
        if not self.objects.create(_name(number), new.to_text()):
            other = self._read(number) or new
            raise DeployRunning(number, other.by, other.began)
        return Claim(self, new, _beat_s=self.clock())

    def _refuse_where_it_beats(self, found: DeploymentRecord) -> None:
        for _ in range(LOOKS):
            self.sleep(LOOK_S)
            again = self._read(found.number)
            if again is None or again.outcome is not Outcome.OPEN:
                return
            if again.beat != found.beat:
                raise DeployRunning(found.number, found.by, found.began)

    def _numbers(self) -> list[int]:
        stems = (name.removesuffix(".json") for name in self.objects.names() if name.endswith(".json"))
        return [int(stem) for stem in stems if len(stem) == DIGITS and stem.isdigit()]

    def _read(self, number: int) -> DeploymentRecord | None:
        text = self.objects.read(_name(number))
        return None if text is None else DeploymentRecord.of_text(text, self.objects.place + _name(number))


@dataclass(slots=True)
class Claim:
    """The deployment that is ours to carry out, until somebody takes us for dead."""

    records: Deployments
    deployment: DeploymentRecord
    _beat_s: float = field(default=0.0)

    @property
    def number(self) -> int:
        return self.deployment.number

    @property
    def token(self) -> str:
        """Prefix of the idempotency tokens of this deployment's job runs. Numbers repeat if the records were deleted; a service
        that remembers a token would answer with the earlier run.
        """
        return f"{self.number:0{DIGITS}}-{self.deployment.nonce}"

    def step(self, doing: str) -> None:
        """Writes what is done next; has to come before anything that two deployers must not both do. Raises DeployDisplaced."""
        self._write(replace(self.deployment, step=doing))

    def started(self, run_id: str) -> None:
        """Raises DeployDisplaced."""
        self._write(replace(self.deployment, run=run_id, step=f"watch {run_id}"))

    def beat(self) -> None:
        """Writes a heartbeat while something is waited for; cheap enough for every second. Raises DeployDisplaced."""
        if self.records.clock() - self._beat_s >= BEAT_S:
            self._write(self.deployment)

    def keep_log(self, run_id: str, lines: Iterable[str]) -> None:
        """The end of a failed run's log, before its service forgets it."""
        text = "\n".join(deque(lines, LINES_KEPT))
        if text:
            self.records.objects.overwrite(f"{self.number:0{DIGITS}}-{_in_a_name(run_id)}.log", text)

    def end(self, outcome: Outcome, told: str) -> None:
        """Closes it; somebody else may have gone on meanwhile, and then their number says what is."""
        ended = replace(self.deployment, outcome=outcome, told=told)
        self.records.objects.overwrite(_name(self.number), ended.to_text())

    def _write(self, now: DeploymentRecord) -> None:
        text = self.records.objects.read(_name(self.number + 1))
        if text is not None:
            other = DeploymentRecord.of_text(text, self.records.objects.place)
            raise DeployDisplaced(other.number, other.by)
        self.deployment = replace(now, beat=now.beat + 1)
        self.records.objects.overwrite(_name(self.number), self.deployment.to_text())
        self._beat_s = self.records.clock()


def before_that(newest_first: Iterator[DeploymentRecord], running: Sequence[str] = ()) -> DeploymentRecord | None:
    """The deployment to go back to: good, of another content than what runs, and before it. From a rollback on, further back.

    `running`: the hashes of the runs that there are. Where none is, the last one that was good counts as what runs; what
    runs may be of one that did not end well: its deployer was killed while it watched.
    """
    history = list(newest_first)
    good = [each for each in history if each.outcome is Outcome.GOOD]
    runs = next((e for e in history if any(hash_ and e.hash.startswith(hash_) for hash_ in running)), None)
    runs = runs or next(iter(good), None)
    if runs is None:
        return None
    return next((e for e in good if e.number < runs.place_in_history and e.hash != runs.hash), None)


def _name(number: int) -> str:
    return f"{number:0{DIGITS}}.json"


def _in_a_name(run_id: str) -> str:
    return re.sub(r"[^A-Za-z0-9.-]", "-", run_id)
