"""One client's session: who, in which role, where, and since when."""

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock
from typing import Any

import duckdb

from firnline_local.snowflake.catalog import Database, Role, Schema, User, Warehouse

REMEMBERED_ANSWERS = 8
LONGEST_REMEMBERED = 64 << 10  # bytes; what changes something answers in a few hundred, and rows can be read again


@dataclass(kw_only=True)
class Session:
    """One statement at a time: whoever runs one holds `lock`. Only `interrupt` is called from elsewhere meanwhile."""

    id: int
    token: str
    master_token: str
    user: User
    role: Role
    expires_at: datetime
    """The token does; the session itself lives on as long as its master token."""
    master_expires_at: datetime
    database: Database | None = None
    schema: Schema | None = None
    warehouse: Warehouse | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    """What this session has set; the defaults are in `parameters.py`."""
    last_query_id: str | None = None
    lock: Lock = field(default_factory=Lock, repr=False)
    answers: "OrderedDict[str, bytes]" = field(default_factory=OrderedDict, repr=False)
    """By request id: a driver repeats a request whose answer it did not get, and it must not be done twice."""
    _running: duckdb.DuckDBPyConnection | None = field(default=None, repr=False)

    def remember(self, request_id: str, answer: bytes) -> None:
        if len(answer) <= LONGEST_REMEMBERED:
            self.answers[request_id] = answer
        while len(self.answers) > REMEMBERED_ANSWERS:
            self.answers.popitem(last=False)

    def use_database(self, database: Database) -> None:
        """Its PUBLIC schema becomes the current one, where it has one."""
        self.database, self.schema = database, database.schema("PUBLIC")

    def use_schema(self, schema: Schema) -> None:
        self.database, self.schema = schema.database, schema

    @contextmanager
    def running(self, cursor: duckdb.DuckDBPyConnection) -> Iterator[None]:
        """While a query reads its rows, `interrupt` stops it."""
        self._running = cursor
        try:
            yield
        finally:
            self._running = None

    def interrupt(self) -> None:
        cursor = self._running
        if cursor is not None:
            cursor.interrupt()
