"""The open sessions, by their tokens."""

import secrets
from datetime import datetime, timedelta
from itertools import count
from threading import Lock

from firnline_local.snowflake.catalog import AuthenticationFailed, Catalog, Role, User
from firnline_local.snowflake.sql.session import Session

TOKEN_LIFETIME = timedelta(hours=1)
MASTER_TOKEN_LIFETIME = timedelta(hours=4)


class Sessions:
    """Thread-safe."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._ids = count(1)
        self._lock = Lock()
        self._by_token: dict[str, Session] = {}
        self._by_master_token: dict[str, Session] = {}

    def open(self, user: User, role: Role) -> Session:
        now = self._catalog.clock()
        session = Session(
            id=next(self._ids),
            token=secrets.token_urlsafe(32),
            master_token=secrets.token_urlsafe(32),
            user=user,
            role=role,
            expires_at=now + TOKEN_LIFETIME,
            master_expires_at=now + MASTER_TOKEN_LIFETIME,
        )
        with self._lock:
            self._forget_expired(now)
            self._by_token[session.token] = self._by_master_token[session.master_token] = session
        return session

    def get(self, token: str) -> Session:
        """Raises AuthenticationFailed: 390112 tells a driver to renew the token, 390111 to log in again."""
        with self._lock:
            session = self._by_token.get(token)
        if session is None:
            raise _gone("Session no longer exists. New login required to access the service.", "390111")
        if session.expires_at <= self._catalog.clock():
            raise _gone("Authentication token has expired. The user must authenticate again.", "390112")
        return session

    def renew(self, master_token: str) -> Session:
        """Gives the session another token; the old one ends. Raises AuthenticationFailed."""
        now = self._catalog.clock()
        with self._lock:
            session = self._by_master_token.get(master_token)
            if session is None or session.master_expires_at <= now:
                raise _gone("Authentication token has expired. The user must authenticate again.", "390114")
            self._by_token.pop(session.token, None)
            session.token, session.expires_at = secrets.token_urlsafe(32), now + TOKEN_LIFETIME
            session.master_expires_at = now + MASTER_TOKEN_LIFETIME
            self._by_token[session.token] = session
        return session

    def close(self, token: str) -> None:
        """Closing what is not open is none the worse."""
        with self._lock:
            session = self._by_token.pop(token, None)
            if session is not None:
                self._by_master_token.pop(session.master_token, None)
        if session is not None:
            session.interrupt()

    def _forget_expired(self, now: datetime) -> None:
        for session in [each for each in self._by_master_token.values() if each.master_expires_at <= now]:
            self._by_token.pop(session.token, None)
            self._by_master_token.pop(session.master_token, None)


def _gone(message: str, code: str) -> AuthenticationFailed:
    return AuthenticationFailed(message, reason="of its session token", code=code)
