"""Credentials that are looked up again once AWS says that they are no longer good.

botocore renews what it knows to expire. What it does not know to (a session token that another program writes into the
profile's file, a key that was replaced there, a role's token that was revoked, a clock that was wrong) would be presented
until the process ends. Here the first refusal of that kind makes the next request use what the chain gives then.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from botocore.credentials import Credentials, ReadOnlyCredentials
from botocore.session import Session

from firnline_ingest.aws.codes import STALE

AGAIN_S = 10.0  # between two looks: all shards of a process are refused at once

log = logging.getLogger(__name__)


class RenewedCredentials(Credentials):
    """Stands for what the chain gave last, whatever kind that is."""

    def __init__(
        self,
        inner: Credentials,
        look: Callable[[], Credentials | None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(inner.access_key, inner.secret_key, inner.token, inner.method)
        self._inner = inner
        self._look = look
        self._clock = clock
        self._looked_s = float("-inf")
        self._lock = threading.Lock()

    def get_frozen_credentials(self) -> ReadOnlyCredentials:
        return self._inner.get_frozen_credentials()

    def renew(self) -> None:
        """Keeps what there is where the chain gives nothing now; never raises."""
        with self._lock:
            if self._clock() - self._looked_s < AGAIN_S:
                return
            self._looked_s = self._clock()
            try:
                self._inner = self._look() or self._inner
            except Exception as error:
                log.warning("credentials.unrenewed", extra={"cause": str(error)})

    def after_call(self, *, parsed: Any = None, **_: Any) -> None:
        """An event's handler: botocore calls it with every answer."""
        if isinstance(parsed, Mapping) and parsed.get("Error", {}).get("Code") in STALE:
            self.renew()


def renewed_credentials(session: Session, profile: str | None) -> Session:
    """The session, whose clients sign with what the chain gives for the profile, now and whenever that has gone stale."""
    found = _from_the_chain(profile)
    if found is not None:
        renewed = RenewedCredentials(found, lambda: _from_the_chain(profile))
        session.register_component("credential_provider", _Given(renewed))
        session.register("after-call", renewed.after_call)
    return session


def _from_the_chain(profile: str | None) -> Credentials | None:
    """A session reads files and environment once, so each look has one of its own."""
    found: Credentials | None = Session(profile=profile).get_credentials()
    return found


class _Given:
    def __init__(self, credentials: Credentials) -> None:
        self._credentials = credentials

    def load_credentials(self) -> Credentials:
        return self._credentials
