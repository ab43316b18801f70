"""A small account without a server: one database, one role that ingests, and clocks that only move when told."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from firnline_local.faults import FaultPlan
from firnline_local.snowflake.catalog import Catalog, CatalogObject, Column, DataType, Role, Table, kinds
from firnline_local.snowflake.catalog.grants import Grant
from firnline_local.snowflake.catalog.objects import Database
from firnline_local.snowflake.catalog.tables import Pipe
from firnline_local.snowflake.streaming.access import Address, Operation
from firnline_local.snowflake.streaming.channel import Append, StreamingChannel
from firnline_local.snowflake.streaming.service import StreamingService

ROLE = "INGEST"


@dataclass
class Clocks:
    wall: datetime = datetime(2026, 1, 1, 12, tzinfo=UTC)
    monotonic: float = 1000.0

    def advance(self, **elapsed: float) -> None:
        self.wall += timedelta(**elapsed)
        self.monotonic += timedelta(**elapsed).total_seconds()


@dataclass(repr=False)  # it holds a whole catalog, which would hide what a property test found
class Account:
    catalog: Catalog
    clocks: Clocks
    streaming: StreamingService
    role: Role
    requests: int = field(default=0)

    def table(self, name: str = "ORDERS", *columns: str, replace: bool = False, **more: object) -> Table:
        """Columns are written as in SQL: "ID NUMBER NOT NULL"."""
        schema = self.catalog.directory.find(kinds.SCHEMA, ("DB", "PUBLIC"))
        parsed = [_column(column) for column in columns or ("ID NUMBER", "NAME VARCHAR(5)")]
        made = self.catalog.directory.create(
            Table, name, container=schema, owner=None, columns=parsed, replace=replace, **more
        )
        self.grant("INSERT", made)
        return made

    def pipe(self, name: str, table: Table, **more: object) -> Pipe:
        return self.catalog.directory.create(
            Pipe, name, container=table.schema, owner=None, table=table, definition="COPY INTO …", **more
        )

    def grant(self, privilege: str, on: CatalogObject) -> None:
        self.catalog.grants.allow(
            Grant(
                privilege=privilege, on=on, to=self.role, grant_option=False, granted_by="", created_on=self.clocks.wall
            )
        )

    def open(
        self, channel: str = "c", *, pipe: str = "ORDERS-STREAMING", offset_token: str | None = None, fail: bool = False
    ) -> StreamingChannel:
        return self.streaming.channels.open(
            ROLE, address(channel, pipe), offset_token=offset_token, fail_on_uncommitted_rows=fail
        )

    def append(self, channel: StreamingChannel, *lines: str, end: str | None = None, pipe: str = "") -> Append:
        """Appends as the holder of the newest continuation token."""
        self.requests += 1
        append = Append(
            request_id=f"r{self.requests}",
            start_token=None,
            end_token=end,
            rows="".join(f"{line}\n" for line in lines).encode(),
            accepted_at=self.clocks.monotonic,
        )
        at = address(channel.name, pipe or channel.pipe.name)
        self.streaming.channels.append(ROLE, at, channel.continuation, append)
        return append

    def commit(self) -> None:
        """Everything that was accepted until now."""
        self.clocks.advance(seconds=60)
        while self.streaming.committer.commit_due():
            pass

    def rows(self, table: Table) -> list[tuple[object, ...]]:
        columns = ", ".join(f'"{column.name}"' for column in table.columns)
        with self.catalog.store.cursor() as cursor:
            return cursor.execute(f"SELECT {columns} FROM t{table.id} ORDER BY rowid").fetchall()


def address(channel: str, pipe: str = "ORDERS-STREAMING") -> Address:
    return Address(Operation.OPEN, "DB", "PUBLIC", pipe, channel)


def _column(text: str) -> Column:
    name, kind, *required = text.split(maxsplit=2)
    return Column(name=name, type=DataType.parse(kind), nullable=not required)


@pytest.fixture(scope="session")
def public_key() -> str:
    key = rsa.generate_private_key(65537, 2048).public_key()
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


@pytest.fixture
def account(public_key: str) -> Account:
    clocks = Clocks()
    catalog = Catalog("ACCT", admin_public_key=public_key, clock=lambda: clocks.wall)
    role = catalog.directory.create(Role, ROLE, container=catalog.account, owner=None)
    streaming = StreamingService(catalog, FaultPlan(), now=lambda: clocks.monotonic)
    made = Account(catalog, clocks, streaming, role)
    database = catalog.directory.create(Database, "DB", container=catalog.account, owner=None)
    made.grant("USAGE", database)
    made.grant("USAGE", catalog.directory.find(kinds.SCHEMA, ("DB", "PUBLIC")))
    return made
