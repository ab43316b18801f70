"""The real SDK against the embedded Snowflake: one server a session, and for each test a schema of its own."""

import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.snowflake.connection import connect
from firnline_ingest.snowflake.key import SigningKey
from firnline_ingest.snowflake.sdk import SdkChannels
from firnline_ingest.snowflake.sql_session import SqlSession
from firnline_ingest.values import TargetTable
from firnline_local.faults import Fault
from firnline_local.snowflake.catalog import Catalog, CatalogObject, Column, DataType, Role, Table, User, kinds
from firnline_local.snowflake.catalog.grants import Grant, RoleGrant
from firnline_local.snowflake.catalog.objects import Database, Schema
from firnline_local.snowflake.catalog.tables import Pipe
from firnline_local.snowflake.catalog.users import PublicKey
from firnline_local.snowflake.server import EmbeddedSnowflake
from firnline_local.snowflake.streaming import StreamingSettings
from firnline_local.snowflake.streaming.channel import StreamingChannel
from tests.contract.snowpipe_streaming.under_change import GRANTED, MADE, Engine
from tests.fakes.configs import config, reading

QUICK = {
    "channel_status_cache_refresh_interval_seconds": 0,  # every status is asked for, instead of each second's
    "data_retry_initial_backoff_seconds": 0,
    "file_upload_initial_backoff_seconds": 0,  # an upload that the machine was too busy for is tried again for minutes
    "file_upload_max_backoff_seconds": 1,
    "file_upload_max_retry_count": 1,
    "file_upload_total_backoff_seconds": 1,
    "mgmt_retry_initial_backoff_seconds": 0,
    "non_scoped_auth_failure_retry_total_backoff_seconds": 0,
    "open_channel_409_retry_total_backoff_seconds": 1,
    "per_file_upload_timeout_seconds": 10,
}
"""Undocumented properties of the SDK that only make it wait less."""
schemas = count(1)
PUBLIC_HOST = "acct.snowflakecomputing.com"
"""The account's, which no resolver leads to the embedded one: a proxy does."""


@dataclass
class KeyPair:
    private_pem: str
    public_pem: str


def make_key_pair() -> KeyPair:
    key = rsa.generate_private_key(65537, 2048)
    return KeyPair(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode(),
        key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode(),
    )


@dataclass
class World:
    """Objects that a test makes in its schema, and the clients it opens."""

    snowflake: EmbeddedSnowflake
    key: KeyPair
    schema: Schema
    role: Role
    clients: list[Any] = field(default_factory=list)
    openers: list[SdkChannels] = field(default_factory=list)

    @property
    def catalog(self) -> Catalog:
        return self.snowflake.catalog

    def table(self, *columns: str, name: str = "ORDERS", replace: bool = False, **more: Any) -> Table:
        parsed = [
            Column(name=text.split()[0], type=DataType.parse(text.split()[1])) for text in columns or ("ID NUMBER",)
        ]
        with self.catalog.lock:
            made = self.catalog.directory.create(
                Table, name, container=self.schema, owner=None, columns=parsed, replace=replace, **more
            )
            self.grant("INSERT", made)
        return made

    def pipe(self, name: str, table: Table) -> Pipe:
        with self.catalog.lock:
            return self.catalog.directory.create(
                Pipe, name, container=self.schema, owner=None, table=table, definition="COPY INTO …"
            )

    def grant(self, privilege: str, on: CatalogObject) -> None:
        now = self.catalog.clock()
        with self.catalog.lock:
            self.catalog.grants.allow(
                Grant(privilege=privilege, on=on, to=self.role, grant_option=False, granted_by="", created_on=now)
            )

    def revoke(self, privilege: str, on: CatalogObject) -> None:
        with self.catalog.lock:
            self.catalog.grants.revoke(privilege, on, self.role)

    def client(self, pipe: str = "ORDERS-STREAMING", **properties: Any) -> Any:
        from snowflake.ingest.streaming import StreamingIngestClient

        client = StreamingIngestClient("test", "DB", self.schema.name, pipe, properties=self.connection | properties)
        self.clients.append(client)
        return client

    @property
    def target(self) -> TargetTable:
        return self.target_of("ORDERS")

    def target_of(self, table: str) -> TargetTable:
        return TargetTable("DB", self.schema.name, table, "", f"{table}-STREAMING")

    def pipe_of(self, table: str) -> Pipe | None:
        return self.catalog.resolve_pipe("DB", self.schema.name, f"{table}-STREAMING")

    def channels(self, **changes: Any) -> SdkChannels:
        """The engine's side of the SDK. Its key is in the environment, under FIRNLINE_KEY."""
        opener = SdkChannels(self.engine_config(), {name: str(value) for name, value in QUICK.items()}, **changes)
        self.openers.append(opener)
        return opener

    def engine_config(self, **snowflake: Any) -> EngineConfig:
        names = {"user": "ENGINE", "role": self.role.name, "private_key": {"env": "FIRNLINE_KEY"}}
        where = {"account": "acct", "url": self.snowflake.url, "ca_file": str(self.snowflake.ca_file)}
        orders = reading("orders", schema=self.schema.name)
        return config(snowflake=names | where | snowflake, pipelines=[orders])

    @property
    def connection(self) -> dict[str, Any]:
        return QUICK | {
            "account": "acct",
            "user": "ENGINE",
            "role": self.role.name,
            "url": self.snowflake.url,
            "private_key": self.key.private_pem,
        }

    def rows(self, table: Table) -> list[tuple[Any, ...]]:
        columns = ", ".join(f'"{column.name}"' for column in table.columns)
        with self.catalog.store.cursor() as cursor:
            return cursor.execute(f"SELECT {columns} FROM t{table.id} ORDER BY rowid").fetchall()

    def channel(self, name: str, pipe: Pipe | None) -> StreamingChannel:
        """The server's side of it."""
        found = self.catalog.channels[pipe.id, name.upper()]
        assert isinstance(found, StreamingChannel)
        return found

    def fail(self, endpoint: str, kind: str, **more: Any) -> None:
        self.snowflake.faults.replace([Fault(endpoint=f"snowflake:{endpoint}", kind=kind, **more)])

    def hold_commits(self, *, on: bool = True) -> None:
        self.snowflake.streaming.settings.hold_commits = on
        self.snowflake.streaming.committer.wake()

    @staticmethod
    def wait_until(happened: Callable[[], Any], *, within_s: float = 20) -> None:
        deadline = time.monotonic() + within_s
        while not happened():
            assert time.monotonic() < deadline, "it did not happen in time"
            time.sleep(0.01)

    def ingest(
        self, *rows: Any, pipe: str = "ORDERS-STREAMING", name: str = "c", start: str | None = "0", end: str = "1"
    ) -> Any:
        """A channel through which these rows were committed."""
        channel, _ = self.client(pipe).open_channel(name)
        channel.append_rows(list(rows), start, end)
        self.wait_for_commit(channel, end)
        return channel

    def wait_for_commit(self, channel: Any, token: str) -> None:
        self.wait_until(lambda: channel.get_latest_committed_offset_token() == token)


@pytest.fixture(scope="session")
def key() -> KeyPair:
    return make_key_pair()


@pytest.fixture(scope="session")
def other_key_pair() -> KeyPair:
    return make_key_pair()


@pytest.fixture
def other_key(other_key_pair: KeyPair) -> str:
    """A private key that nobody registered."""
    return other_key_pair.private_pem


@pytest.fixture
def other_public_key(other_key_pair: KeyPair) -> PublicKey:
    return PublicKey.read(other_key_pair.public_pem)


@pytest.fixture(scope="session")
def admin_key() -> KeyPair:
    return make_key_pair()


@pytest.fixture(scope="session")
def snowflake(
    tmp_path_factory: pytest.TempPathFactory, key: KeyPair, admin_key: KeyPair
) -> Iterator[EmbeddedSnowflake]:
    catalog = Catalog("ACCT", admin_public_key=admin_key.public_pem)
    directory, account = catalog.directory, catalog.account
    role = directory.create(Role, "INGEST", container=account, owner=None)
    user = directory.create(
        User, "ENGINE", container=account, owner=None, public_keys={"RSA_PUBLIC_KEY": PublicKey.read(key.public_pem)}
    )
    catalog.grants.give_role(RoleGrant(role=role, to=user, granted_by="", created_on=catalog.clock()))
    directory.create(Database, "DB", container=account, owner=None)
    embedded = EmbeddedSnowflake(catalog, folder=tmp_path_factory.mktemp("snowflake"), hosts=(PUBLIC_HOST,))
    with pytest.MonkeyPatch.context() as environment, embedded:
        # The SDK reads the first whenever a client is made, the second when it is imported.
        environment.setenv("SSL_CERT_FILE", str(embedded.ca_file))
        environment.delenv("SSL_CERT_DIR", raising=False)
        environment.setenv("SS_LOG_LEVEL", "error")
        environment.setenv("FIRNLINE_KEY", key.private_pem)
        yield embedded
    catalog.close()


@pytest.fixture
def world(snowflake: EmbeddedSnowflake, key: KeyPair) -> Iterator[World]:
    snowflake.faults.replace([])
    vars(snowflake.streaming.settings).update(vars(StreamingSettings(commit_lag_ms=10)))
    directory = snowflake.catalog.directory
    database, role = directory.find(kinds.DATABASE, ("DB",)), directory.find(kinds.ROLE, ("INGEST",))
    assert isinstance(database, Database)
    assert isinstance(role, Role)
    schema = directory.create(Schema, f"S{next(schemas)}", container=database, owner=None)
    made = World(snowflake, key, schema, role)
    made.grant("USAGE", database)
    made.grant("USAGE", schema)
    yield made
    snowflake.faults.replace([])
    for opener in made.openers:
        opener.close()
    for client in made.clients:
        client.close(wait_for_flush=False, timeout_seconds=0)


@pytest.fixture(scope="session")
def administrator(snowflake: EmbeddedSnowflake, admin_key: KeyPair) -> Iterator[Any]:
    """A session of the connector, with every right."""
    with pytest.MonkeyPatch.context() as environment, warnings.catch_warnings():
        environment.setenv("REQUESTS_CA_BUNDLE", str(snowflake.ca_file))
        warnings.simplefilter("ignore", FutureWarning)
        connection = connect(
            account="acct",
            user="FIRNLINE_ADMIN",
            role="ACCOUNTADMIN",
            url=snowflake.url,
            key=SigningKey(admin_key.private_pem, "test"),
            ca_file=snowflake.ca_file,
        )
        yield connection
        connection.close()


@pytest.fixture
def sql(world: World, administrator: Any) -> Callable[[str], list[tuple[Any, ...]]]:
    """Runs a statement in the test's schema, as the administrator."""

    def run(statement: str) -> list[tuple[Any, ...]]:
        with administrator.cursor() as cursor:
            return list(cursor.execute(statement).fetchall())

    run(f"USE SCHEMA DB.{world.schema.name}")
    return run


@pytest.fixture(scope="module")
def session(snowflake: EmbeddedSnowflake) -> Iterator[list[SqlSession]]:
    """The driver's, shared: a connector needs longer to log in than all that is done here."""
    opened: list[SqlSession] = []
    yield opened
    for one in opened:
        one.close()


@pytest.fixture
def start(
    world: World, sql: Callable[[str], list[tuple[Any, ...]]], session: list[SqlSession], tmp_path: Path
) -> Iterator[Callable[..., Engine]]:
    """An engine that has proven three rows."""
    started: list[Engine] = []
    if not session:
        session.append(SqlSession(world.engine_config()))

    def made(*, evolves: bool = True, statements: tuple[str, ...] = (), **pipeline: Any) -> Engine:
        for statement in (MADE.format("ENABLE_SCHEMA_EVOLUTION = TRUE" if evolves else ""), GRANTED, *statements):
            sql(statement)
        engine = Engine(world, tmp_path / "dead-letters", pipeline, session[0])
        started.append(engine)
        engine.records(3, v="x")
        engine.until(lambda: engine.proven == 3)
        return engine

    yield made
    for engine in started:
        engine.close()
