"""One client's session (who, in which role, where, and since when), and the open sessions by their tokens."""

import secrets
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from threading import Lock
from typing import Any

import duckdb

from firnline_local.snowflake.catalog import AuthenticationFailed, Catalog, Database, Role, Schema, User, Warehouse

REMEMBERED_ANSWERS = 8
LONGEST_REMEMBERED = 64 << 10  # bytes; what changes something answers in a few hundred, and rows can be read again
TOKEN_LIFETIME = timedelta(hours=1)
MASTER_TOKEN_LIFETIME = timedelta(hours=4)


@dataclass(kw_only=True)
class Session:
    """Runs one statement at a time: its thread holds `lock`. Other threads may only call `interrupt` meanwhile."""

    id: int
    token: str
    master_token: str
    user: User
    role: Role
    expires_at: datetime
    """The time at which the token expires; the session itself lives as long as its master token."""
    master_expires_at: datetime
    database: Database | None = None
    schema: Schema | None = None
    warehouse: Warehouse | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    """Parameters that this session has set; the defaults are in `parameters.py`."""
    lock: Lock = field(default_factory=Lock, repr=False)
    answers: "OrderedDict[str, bytes]" = field(default_factory=OrderedDict, repr=False)
    """Answers by request id: a driver repeats a request whose answer got lost, and it must not run twice."""
    _running: duckdb.DuckDBPyConnection | None = field(default=None, repr=False)

    def remember(self, request_id: str, answer: bytes) -> None:
        if len(answer) <= LONGEST_REMEMBERED:
            self.answers[request_id] = answer
        while len(self.answers) > REMEMBERED_ANSWERS:
            self.answers.popitem(last=False)

    @property
    def location(self) -> dict[str, str | None]:
        """The names of the session's Database, Schema, Warehouse and Role."""
        return {
            "Database": self.database.name if self.database else None,
            "Schema": self.schema.name if self.schema else None,
            "Warehouse": self.warehouse.name if self.warehouse else None,
            "Role": self.role.name,
        }

    def use_database(self, database: Database) -> None:
        """Enters a database, and its PUBLIC schema if it has one."""
        self.database, self.schema = database, database.schema("PUBLIC")

    def use_schema(self, schema: Schema) -> None:
        self.database, self.schema = schema.database, schema

    @contextmanager
    def running(self, cursor: duckdb.DuckDBPyConnection) -> Iterator[None]:
        """Lets `interrupt` stop a query while it reads its rows."""
        self._running = cursor
        try:
            yield
        finally:
            self._running = None

    def interrupt(self) -> None:
        cursor = self._running
        if cursor is not None:
            cursor.interrupt()


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
        """Closing a session that is not open is not an error."""
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
