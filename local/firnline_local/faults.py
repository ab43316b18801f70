"""Faults of a fake service: which calls fail, and how.

A plan is a list of faults. Every fault counts the calls that its pattern matches, so the same calls in the same order
always fail in the same places. The first fault of the list that is due decides; the others still count the call.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from fnmatch import fnmatchcase
from threading import Lock
from typing import Any, Self

import msgspec

from firnline_ingest.errors import UsageError, declared

CONTROL_PREFIX = "/__firnline__/"
"""Begins the paths of a server's own routes. Each server has `faults` there (`asked`)."""


class FaultKind(StrEnum):
    """Effect of a fault on a call."""

    ERROR = "ERROR"
    """It is answered with the fault's status, code and message, and has no effect."""
    CUT = "CUT"
    """The connection is closed without an answer, and the call has no effect."""
    SLOW = "SLOW"
    """It takes effect, and its answer comes `delay_s` late."""
    LOST = "LOST"
    """It takes effect, and the connection is closed without an answer."""
    BODY = "BODY"
    """It is answered with status 200 and the fault's `body`, and has no effect: a proxy's page, or an answer cut short."""


@declared
class InvalidFault(UsageError):
    """A fault that no service could carry out. Runbook: FL-6010."""

    problem: str

    id = "FL-6010"
    message = "The fault plan can't be used: {problem}."
    next_step = (
        'write a list like [{{"endpoint": "kinesis:GetRecords", "kind": "ERROR", "status": 500}}]. '
        "Fields: {names}; kinds: {kinds}."
    )
    causes = "A fault with an unknown field, kind or number"
    remedy = "the message shows a valid one"

    @property
    def names(self) -> str:
        return ", ".join(field.name for field in fields(Fault))

    @property
    def kinds(self) -> str:
        return ", ".join(FaultKind)


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A fault that skips the first `after` of the calls that match `endpoint`, then hits each `every`-th, at most `times`
    times."""

    endpoint: str
    """A case-sensitive pattern over service:Operation, such as "kinesis:GetRecords" or "dynamodb:*"."""
    kind: FaultKind
    status: int = 500
    """The HTTP status of an ERROR."""
    code: str = ""
    """The service's own name of an ERROR; where empty, the service's name for an internal failure."""
    message: str = ""
    body: str = "{}"
    """The whole answer of a BODY, whatever it is."""
    delay_s: float = 0
    """Seconds that the answer is held back; every kind may wait."""
    every: int = 1
    times: int | None = None
    after: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", FaultKind(self.kind))
        if self.every < 1 or self.after < 0 or self.delay_s < 0 or (self.times is not None and self.times < 0):
            raise InvalidFault(f"{self.endpoint}: `every` begins at 1; `after`, `times` and `delay_s` at 0")

    def is_due(self, *, calls: int, hits: int) -> bool:
        """Returns whether the matching call number `calls` (from 1) is hit, after `hits` hits so far."""
        if self.times is not None and hits >= self.times:
            return False
        return calls > self.after and (calls - self.after) % self.every == 0


class FaultPlan:
    """The faults of one fake service. Thread-safe; counting starts anew with `replace`."""

    def __init__(self, faults: Iterable[Fault] = ()) -> None:
        self._lock = Lock()
        self.replace(faults)

    def replace(self, faults: Iterable[Fault]) -> None:
        faults = tuple(faults)
        with self._lock:
            self.faults = faults
            self._calls = [0] * len(faults)
            self._hits = [0] * len(faults)

    def decide(self, endpoint: str) -> Fault | None:
        """The fault that this call meets, if any. Counts the call, so ask once a call."""
        if not self.faults:
            return None
        with self._lock:
            due: int | None = None
            for index, fault in enumerate(self.faults):
                if not fnmatchcase(endpoint, fault.endpoint):
                    continue
                self._calls[index] += 1
                if due is None and fault.is_due(calls=self._calls[index], hits=self._hits[index]):
                    due = index
            if due is None:
                return None
            self._hits[due] += 1
            return self.faults[due]

    @property
    def hits(self) -> dict[str, int]:
        """The number of hits of each pattern; faults that share a pattern are added up."""
        with self._lock:
            hits: dict[str, int] = {}
            for fault, count in zip(self.faults, self._hits, strict=True):
                hits[fault.endpoint] = hits.get(fault.endpoint, 0) + count
            return hits

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Raises InvalidFault."""
        return cls(faults_from_json(text))

    def to_json(self) -> str:
        """The list that `from_json` reads; each fault with its `hits` and the `calls` that it matched."""
        with self._lock:
            counted = zip(self.faults, self._calls, self._hits, strict=True)
            return json.dumps([{**asdict(fault), "calls": calls, "hits": hits} for fault, calls, hits in counted])


def asked(plan: FaultPlan, method: str, body: bytes) -> tuple[int, bytes]:
    """Answers the route `faults`, with a status and JSON: a POST replaces the plan, and each shows it with its counts."""
    if method == "POST":
        try:
            plan.replace(faults_from_json(body))
        except (InvalidFault, ValueError) as error:
            return 400, json.dumps({"error": str(error)}).encode()
    return 200, plan.to_json().encode()


def faults_from_json(text: str | bytes) -> list[Fault]:
    """Reads a list of faults; the counts that `FaultPlan.to_json` adds are ignored. Raises InvalidFault."""
    try:
        entries = msgspec.json.decode(text, type=list[dict[str, Any]])
        return [_fault(entry) for entry in entries]
    except msgspec.MsgspecError as error:
        raise InvalidFault(str(error)) from error


def _fault(entry: dict[str, Any]) -> Fault:
    unknown = entry.keys() - {field.name for field in fields(Fault)} - {"calls", "hits"}
    if unknown:
        raise InvalidFault(f"{entry!r} has the unknown field {', '.join(sorted(unknown))}")
    return msgspec.convert(entry, Fault)
