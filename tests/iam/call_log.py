"""The calls that a face of the embedded AWS has answered: what was asked of which resource, by whose key, and whether it
was done.

Bounded: the oldest calls are dropped, and their number is said, so that a comparison with policies never misses any
without knowing it.
"""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, Self

from tests.iam.request import Access

KEPT = 50_000


@dataclass(frozen=True, slots=True)
class LoggedCall:
    number: int
    service: str
    operation: str
    access_key: str
    """Of who signed it; empty for nobody."""
    succeeded: bool
    accesses: tuple[Access, ...]
    """What policies are asked for it, also in the caller's name: kms:Decrypt for a read of encrypted data."""

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Self:
        return cls(**{**fields, "accesses": tuple(Access(**each) for each in fields["accesses"])})

    def as_json(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "service": self.service,
            "operation": self.operation,
            "access_key": self.access_key,
            "succeeded": self.succeeded,
            "accesses": [_access(each) for each in self.accesses],
        }


class CallLog:
    """Thread-safe."""

    def __init__(self, *, kept: int = KEPT) -> None:
        self._calls: deque[LoggedCall] = deque(maxlen=kept)
        self._next = 0
        self._lock = Lock()

    def record(
        self, service: str, operation: str, *, access_key: str, succeeded: bool, accesses: tuple[Access, ...]
    ) -> None:
        with self._lock:
            call = LoggedCall(self._next, service, operation, access_key, succeeded, accesses)
            self._next += 1
            self._calls.append(call)

    def since(self, number: int = 0) -> dict[str, Any]:
        """The calls from that number on, the number to go on from, and how many in between were dropped."""
        with self._lock:
            calls, following = list(self._calls), self._next
        first = calls[0].number if calls else following
        return {
            "next": following,
            "dropped": max(0, first - number),
            "calls": [call.as_json() for call in calls if call.number >= number],
        }


def _access(access: Access) -> dict[str, Any]:
    return {"action": access.action, "resource": access.resource, "context": dict(access.context)}
