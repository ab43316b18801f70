"""Credentials that are looked up when they are first needed, before they expire, and once AWS says that they are no longer good.

botocore renews what it knows to expire. What it does not know to (a session token that another program writes into the
profile's file, a key that was replaced there, a role's token that was revoked, a clock that was wrong) would be presented
until the process ends. Here the first refusal of that kind makes the next request use what is found then.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from botocore.credentials import Credentials, ReadOnlyCredentials
from botocore.exceptions import NoCredentialsError
from botocore.session import Session

from firnline_ingest.aws.codes import STALE

AGAIN_S = 10.0  # between two looks: all shards of a process are refused at once
RENEWED_AT = (
    2 / 3
)  # of their life, so that a third of it is there to heal in; botocore's 15 minutes are all that some have
MARGIN_S = 10.0  # before their end, in which a request may be under way

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TimedCredentials:
    """Credentials, and for how long they last."""

    credentials: Credentials
    lasts_s: float | None = None
    """None where they last for ever, or renew themselves."""


class RenewedCredentials(Credentials):
    """Stands for what the last look gave. Thread-safe: one thread looks, and the others wait only where there is nothing good."""

    def __init__(
        self, look: Callable[[], TimedCredentials | None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__("", "", method="firnline")
        self._look = look
        self._clock = clock
        self._found: TimedCredentials | None = None
        self._due_s = self._over_s = float("inf")
        self._looked_s = self._refused_s = float("-inf")
        self._failure: Exception | None = None
        self._lock = threading.Lock()

    def get_frozen_credentials(self) -> ReadOnlyCredentials:
        """Raises what the look raises, NoCredentialsError where it finds nothing; only once there is nothing good any more."""
        found = self._found
        if found is None or self._clock() >= self._due_s:
            found = self._renewed(found)
        return found.credentials.get_frozen_credentials()

    def renew(self) -> None:
        """The service says that they are no longer good. Keeps what there is where a look gives nothing; never raises."""
        with self._lock:
            if self._clock() - self._refused_s >= AGAIN_S:
                self._refused_s = self._clock()
                self.look()
                if self._failure is not None:
                    log.warning("credentials.unrenewed", extra={"cause": str(self._failure)})

    def after_call(self, *, parsed: Any = None, **_: Any) -> None:
        """An event's handler: botocore calls it with every answer."""
        if isinstance(parsed, Mapping) and parsed.get("Error", {}).get("Code") in STALE:
            self.renew()

    def _renewed(self, found: TimedCredentials | None) -> TimedCredentials:
        if not self._lock.acquire(blocking=found is None or self._is_over):
            assert found is not None
            return found  # another thread is looking, and these are good meanwhile
        try:
            now_s = self._clock()
            if (self._found is None or now_s >= self._due_s) and now_s - self._looked_s >= AGAIN_S:
                self.look()
                if self._failure is not None and not self._is_over:
                    log.warning("credentials.unrenewed", extra={"cause": str(self._failure)})
            if self._found is None or self._is_over:
                raise self._failure or NoCredentialsError()
            return self._found
        finally:
            self._lock.release()

    @property
    def _is_over(self) -> bool:
        return self._clock() >= self._over_s

    def look(self) -> None:
        """Now; never raises: what fails is raised to who wants to sign."""
        asked_s = self._looked_s = self._clock()
        self._failure = None
        try:
            found = self._look()
        except Exception as error:
            self._failure = error
            return
        if found is None:
            return
        self._found = found
        lasts_s = float("inf") if found.lasts_s is None else found.lasts_s
        self._due_s, self._over_s = asked_s + lasts_s * RENEWED_AT, asked_s + lasts_s - MARGIN_S


def signed_by(session: Session, credentials: RenewedCredentials) -> Session:
    """The session, whose clients sign with these."""
    session.register_component("credential_provider", _Given(credentials))
    session.register("after-call", credentials.after_call)
    return session


class _Given:
    def __init__(self, credentials: Credentials) -> None:
        self._credentials = credentials

    def load_credentials(self) -> Credentials:
        return self._credentials
