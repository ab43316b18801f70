"""The services for one schedule at a time, in this process, so that a drill can hold commits and read what was stored.

Every schedule gets a stream, a table and a folder of its own; the ledger's table is shared, as one would be.
"""

import itertools
import os
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from firnline_ingest.aws.client import dynamodb_client
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.kinesis.client import kinesis_client
from firnline_ingest.kinesis.lineage import read_lineage
from firnline_ingest.ledger.provision import open_ledger
from firnline_ingest.values import ShardKey, TargetTable
from firnline_local.clock import SystemClock
from firnline_local.endpoints import ADMIN_ROLE, ADMIN_USER
from firnline_local.kinesis import FakeKinesis, Fault, FaultPlan, StreamHandle
from tests.chaos.faults import STATUS_DELAY
from tests.chaos.schedule import Schedule

if TYPE_CHECKING:
    from firnline_local.snowflake.catalog import Catalog, Schema, Table

APPLICATION, ACCOUNT, DATABASE, LEDGER = "chaos", "CHAOS", "CHAOS", "chaos-ledger"
SCHEMA = "PUBLIC"
COMMIT_LAG_MS = 50
COLUMNS = (("KINESISMETADATA", "VARIANT"), ("N", "NUMBER"))

_STAGES = itertools.count(1)
"""Of this process, whose lanes all have one ledger, also those of an earlier test: moto's state is the process's."""


@dataclass(frozen=True)
class Stage:
    """The stage of one schedule."""

    config: EngineConfig
    stream: StreamHandle
    table: "Table"
    target: TargetTable
    created_ms: int

    def key(self, shard_id: str) -> ShardKey:
        return ShardKey(self.stream.name, self.created_ms, shard_id)


class Lane:
    """Up while the `with` block lasts."""

    def __init__(self) -> None:
        self.kinesis = FakeKinesis(read_limits=False)
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._start(stack, Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="firnline-chaos-"))))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def stage(self, schedule: Schedule) -> Stage:
        name = f"SEED_{schedule.seed}_{next(_STAGES)}"
        self.kinesis.account.liberties = replace(schedule.liberties)
        self.let_counters_trail(schedule.counter_lag_ms)
        self.snowflake.streaming.settings.acknowledges_fenced = schedule.acknowledges_fenced
        stream = self.kinesis.create_stream(name, shards=schedule.shards)
        table = self._new_table(name)
        target = TargetTable(DATABASE, SCHEMA, table.name, table.created_on.isoformat(), f"{table.name}-STREAMING")
        created_ms = read_lineage(self._client, name).stream_created_ms
        return Stage(self._config(name), stream, table, target, created_ms)

    def set_faults(self, faults: Sequence[Fault]) -> None:
        """For all services; each one counts only its own calls."""
        for plan in (self.kinesis.faults, self._aws_faults, self.snowflake.faults):
            plan.replace([*faults, STATUS_DELAY])

    @property
    def fault_hits(self) -> int:
        plans = (self.kinesis.faults, self._aws_faults, self.snowflake.faults)
        return sum(count for plan in plans for pattern, count in plan.hits.items() if pattern != STATUS_DELAY.endpoint)

    def hold_commits(self, *, hold: bool) -> None:
        with self.snowflake.catalog.lock:
            self.snowflake.streaming.settings.hold_commits = hold
        self.snowflake.streaming.committer.wake()

    def let_counters_trail(self, lag_ms: int) -> None:
        with self.snowflake.catalog.lock:
            self.snowflake.streaming.settings.counter_lag_ms = lag_ms

    def drop_a_channel(self, table: "Table") -> None:
        """The oldest one of a table, with its token and its counters, and what waits to be committed."""
        from firnline_local.snowflake.streaming.channel import StreamingChannel

        with self.snowflake.catalog.lock:
            channels = self.snowflake.streaming.channels
            for channel in list(self.snowflake.catalog.channels.values()):
                if channel.pipe.table is table and isinstance(channel, StreamingChannel):
                    channels._forget(channel)
                    return

    def pass_time(self, hours: float) -> None:
        """By Kinesis' clock, which the workers' machines don't follow."""
        clock = self.kinesis.clock
        assert isinstance(clock, SystemClock)
        clock.advance(hours=hours)

    def lose_row(self, key: ShardKey) -> None:
        self._dynamodb.delete_item(
            TableName=LEDGER, Key={"stream": {"S": key.incarnation}, "shard": {"S": key.shard_id}}
        )

    def stored_rows(self, table: "Table") -> tuple[list[str], list[str]]:
        """The metadata of each row and the data of each error row, JSON, in the order of their commits."""
        from firnline_local.snowflake.catalog.store import error_table_name, physical_name

        with self.snowflake.catalog.lock, self.snowflake.catalog.store.cursor() as cursor:
            rows = cursor.execute(f"SELECT KINESISMETADATA FROM {physical_name(table)} ORDER BY rowid").fetchall()
            errors = cursor.execute(f"SELECT ERROR_DATA FROM {error_table_name(table)} ORDER BY rowid").fetchall()
        return [row for (row,) in rows], [error for (error,) in errors]

    def _start(self, stack: ExitStack, folder: Path) -> None:
        from firnline_local.aws.server import AwsServer
        from firnline_local.keys import make_key_pair
        from firnline_local.kinesis.server import KinesisServer
        from firnline_local.snowflake.catalog import Catalog
        from firnline_local.snowflake.server import EmbeddedSnowflake
        from firnline_local.snowflake.streaming import StreamingSettings

        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            os.environ.setdefault(name, "chaos")  # what there is stays: the tests after this one read it too
        key = make_key_pair(folder / "keys", "admin")
        catalog = Catalog(ACCOUNT, admin_public_key=key.public_key)
        stack.callback(catalog.close)
        settings = StreamingSettings(commit_lag_ms=COMMIT_LAG_MS)
        self.snowflake = stack.enter_context(EmbeddedSnowflake(catalog, folder=folder / "tls", settings=settings))
        self._aws_faults = FaultPlan()
        endpoints = {
            "kinesis": stack.enter_context(KinesisServer(self.kinesis)).endpoint,
            "dynamodb": stack.enter_context(AwsServer(self._aws_faults)).endpoint,
        }
        self._document = {
            "version": 1,
            "application": APPLICATION,
            "aws": {"region": self.kinesis.account.region, "endpoints": endpoints},
            "ledger": {"table": LEDGER, "create": True},
            "snowflake": {
                "account": ACCOUNT,
                "user": ADMIN_USER,
                "role": ADMIN_ROLE,
                "private_key": {"file": str(key.private_key_file)},
                "url": self.snowflake.url,
                "ca_file": str(self.snowflake.ca_file),
            },
            "dead_letters": {"folder": str(folder / "dead-letters")},
            "spark": {"checkpoint": str(folder / "checkpoint")},
        }
        config = self._config("no-stream-yet")
        self.ledger = open_ledger(config)
        self._dynamodb = dynamodb_client(config.aws)
        self._client = kinesis_client(config.aws)
        self._schema = _new_schema(catalog)

    def _config(self, stream: str) -> EngineConfig:
        pipeline = {"stream": stream, "database": DATABASE, "schema": SCHEMA, "tolerance": "all"}
        return EngineConfig.model_validate({**self._document, "pipelines": [pipeline]})

    def _new_table(self, name: str) -> "Table":
        from firnline_local.snowflake.catalog import Column, DataType, Table

        columns = [Column(name=column, type=DataType.parse(kind)) for column, kind in COLUMNS]
        catalog = self.snowflake.catalog
        with catalog.lock:
            return catalog.directory.create(
                Table, name, container=self._schema, owner=self._schema.owner, columns=columns, error_logging=True
            )


def _new_schema(catalog: "Catalog") -> "Schema":
    from firnline_local.snowflake.catalog import Database, Role, Schema, kinds

    with catalog.lock:
        admin = catalog.directory.find(kinds.ROLE, (ADMIN_ROLE,))
        assert isinstance(admin, Role)
        database = catalog.directory.create(Database, DATABASE, container=catalog.account, owner=admin)
        schema = database.schema(SCHEMA)
    assert isinstance(schema, Schema)
    return schema
