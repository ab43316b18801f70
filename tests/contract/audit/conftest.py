"""Streams and tables of a test's own in the shared environment, with rows as the engine writes them, or by the engine itself."""

import json
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.audit import PipelineReport, ReaderUser, audit
from firnline_infra.specification.metadata_type import metadata_columns
from firnline_infra.specification.pipeline import Pipeline
from firnline_ingest.config.document import parse
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.dead_letters import DeadLetter, LocalFolder
from firnline_ingest.kinesis.client import kinesis_client
from firnline_ingest.kinesis.lineage import Lineage, read_lineage
from firnline_ingest.kinesis.page import Record
from firnline_ingest.ledger.incarnation import settle
from firnline_ingest.ledger.lease import RunLease
from firnline_ingest.ledger.provision import open_ledger
from firnline_ingest.records.rows import RowMaker
from firnline_ingest.snowflake.target import TargetCatalog, TargetState
from firnline_ingest.spark.assignment import Assignment, PlannedShard
from firnline_ingest.spark.column_notes import ColumnNotes
from firnline_ingest.spark.table_watch import TableWatch
from firnline_ingest.values import ShardKey, TargetTable
from firnline_local.running import RunningEnvironment
from tests.fakes.kinesis import made_active

GOOD, BAD = 20, 3
EVENTS = [
    {"id": n, "Name": f"n{n}", "price": n / 4, "body": {"n": [n, None]}, "at": f"2026-01-31T12:00:{n:02d}.5"}
    for n in range(GOOD)
]
COLUMNS = "KINESISMETADATA OBJECT, ID NUMBER(38,0), NAME VARCHAR, PRICE FLOAT, BODY VARIANT, AT TIMESTAMP_NTZ"
SNOWFLAKES_STORAGE = "CATALOG = 'SNOWFLAKE' EXTERNAL_VOLUME = 'SNOWFLAKE_MANAGED'"
RUN_ENGINE = (
    "import os, sys; from firnline_ingest.spark.task import ingest_partition\n"
    "print(*ingest_partition([sys.stdin.read()]), sep='\\n', flush=True)\n"
    "os._exit(0)"
)
"""Ends as the engine does: Python's own end may meet a thread of the SDK, and abort."""


@dataclass
class Lane:
    """One stream into one table."""

    environment: RunningEnvironment
    stream: str
    folder: Path
    table: str = ""
    columns: str = COLUMNS
    options: dict[str, Any] = field(default_factory=dict)
    """Of the pipeline."""
    iceberg: int = 0
    """The version of an Iceberg table's format; 0: a standard table."""

    def __post_init__(self) -> None:
        self.table = self.table or f"T{uuid.uuid4().hex[:8].upper()}"
        kind, more = (
            ("ICEBERG TABLE", f"{SNOWFLAKES_STORAGE} ICEBERG_VERSION = {self.iceberg}")
            if self.iceberg
            else ("TABLE", "")
        )
        self.sql(
            f"CREATE {kind} {self.name} ({self.columns}) {more} ENABLE_SCHEMA_EVOLUTION = TRUE ERROR_LOGGING = TRUE"
        )
        self.grant("INSERT, EVOLVE SCHEMA", "ingest")
        self.grant("SELECT, SELECT ERROR TABLE", "reader")

    @property
    def name(self) -> str:
        return f"FIRNLINE.RAW.{self.table}"

    @property
    def letters(self) -> LocalFolder:
        return LocalFolder(self.folder)

    def grant(self, privileges: str, login: str) -> None:
        self.sql(f"GRANT {privileges} ON TABLE {self.name} TO ROLE {self.environment.logins[login].role}")

    def sql(self, statement: str) -> list[tuple[Any, ...]]:
        return self.environment.query(statement, login="admin")[1]

    def config(self, **pipeline: Any) -> EngineConfig:
        document = self.environment.engine_config(dead_letters={"folder": str(self.folder)})
        first = document["pipelines"][0]
        own = {"stream": self.stream, "table": self.table, "tolerance": "all"}
        document["pipelines"] = [{**first, **own, **self.options, **pipeline}]
        return parse(EngineConfig, document, "engine.json")

    def reader(self, **changes: Any) -> ReaderUser:
        login = self.environment.logins["reader"]
        return ReaderUser(**{"user": login.user, "role": login.role, "key_file": login.private_key_file, **changes})

    def audit(self, *, content: bool = True, **options: Any) -> PipelineReport:
        config = self.config().model_copy(update={"application": self.table})  # as run_engine
        (report,) = audit(config, self.reader(), content=content, **options).pipelines
        return report

    @property
    def lineage(self) -> Lineage:
        return read_lineage(kinesis_client(self.config().aws), self.stream)

    def fill(self) -> None:
        """Makes of the stream's records what the engine does: rows, and dead letters."""
        rows: list[str] = []
        for shard_id, records in records_of(self).items():
            made = RowMaker(self.config().pipelines[0], self.stream, shard_id).convert(records)
            rows += [bytes(row).decode() for row in made.rows]
            key = ShardKey(self.stream, self.lineage.stream_created_ms, shard_id)
            self.letters.put(DeadLetter.of(each, records[each.index], key) for each in made.rejected)
        self.insert(rows)

    def insert(self, rows: Sequence[str]) -> None:
        values = ", ".join(f"({_literal(row)})" for row in rows)
        parts = "v:KINESISMETADATA::OBJECT, v:id, v:Name::VARCHAR, v:price, v:body, v:at::TIMESTAMP_NTZ"
        self.sql(f"INSERT INTO {self.name} SELECT {parts} FROM (SELECT PARSE_JSON(column1) AS v FROM VALUES {values})")

    def metadata_of(self, number: int) -> dict[str, Any]:
        ((text,),) = self.sql(f"SELECT KINESISMETADATA FROM {self.name} WHERE ID = {number}")
        metadata: dict[str, Any] = json.loads(text)
        return metadata

    def copy(self, number: int, metadata: dict[str, Any] | None) -> None:
        """Another row with the values of one."""
        text = "NULL" if metadata is None else f"PARSE_JSON({_literal(json.dumps(metadata))})::OBJECT"
        values = f"SELECT {text}, ID, NAME, PRICE, BODY, AT FROM {self.name} WHERE ID = {number}"
        self.sql(f"INSERT INTO {self.name} (KINESISMETADATA, ID, NAME, PRICE, BODY, AT) {values}")

    def look_at_the_table(self) -> None:
        """Looks at the table as the driver of a new engine does."""
        config = self.config().model_copy(update={"application": self.table})
        with closing(TargetCatalog(config)) as catalog:
            states = catalog.states(config.pipelines)
            found = {stream: state for stream, state in states.items() if isinstance(state, TargetState)}
            TableWatch(notes=ColumnNotes(open_ledger(config))).look(catalog, found)

    def run_engine(self) -> list[dict[str, Any]]:
        """The receipts of a bounded run, in a process of its own: the SDK learns whom to trust once a process."""
        config, lineage = self.config(), self.lineage
        config = config.model_copy(update={"application": self.table})
        target = TargetTable("FIRNLINE", "RAW", self.table, "", f"{self.table}-STREAMING")
        routed = tuple(
            (route, TargetTable("FIRNLINE", "RAW", route, "", f"{route}-STREAMING"))
            for route in config.pipelines[0].routed
        )
        shards = tuple(
            PlannedShard(1, self.stream, lineage.stream_created_ms, shard, "h", 24, "", target, routed=routed)
            for shard in lineage.shards
        )
        arrival_ms = int(datetime.now(UTC).timestamp() * 1000) + 60_000
        ledger = open_ledger(config)
        settle(ledger, self.stream, lineage.incarnation, (), now_ms=0)  # as the planner does
        lease = RunLease(ledger, config.application, sleep=lambda _: None)
        lease.begin()
        assignment = Assignment(config, lease.run.run_id, shards, 60, arrival_ms, log_level="WARNING")
        done = subprocess.run(
            [sys.executable, "-c", RUN_ENGINE],
            input=assignment.to_json(),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        lease.end()
        assert done.returncode == 0, done.stderr
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]  # the SDK speaks there too
        return [json.loads(line) for line in lines]


def records_of(lane: Lane) -> dict[str, list[Record]]:
    """By shard; asked again where the audit before has used up the shard's reads."""
    client = kinesis_client(lane.config().aws, attempts=10)
    found = {}
    for shard_id in lane.lineage.shards:
        start = {"StreamName": lane.stream, "ShardId": shard_id, "ShardIteratorType": "TRIM_HORIZON"}
        iterator = client.get_shard_iterator(**start)["ShardIterator"]
        found[shard_id] = list(client.get_records(ShardIterator=iterator)["Records"])
    return found


def _literal(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


@pytest.fixture(scope="module")
def environment(local_environment: RunningEnvironment) -> Iterator[RunningEnvironment]:
    """With the variables by which an AWS client finds it."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in local_environment.variables.items():
            patch.setenv(name, value)
        yield local_environment


def make_stream(environment: RunningEnvironment) -> str:
    name = f"audited-{uuid.uuid4().hex[:8]}"
    made_active(environment.client("kinesis"), name, shards=2)
    events: list[Any] = [*EVENTS, *(b"nonsense %d" % n for n in range(BAD))]
    environment.put_events(name, events, key=lambda number, _: str(number))
    return name


@pytest.fixture(scope="module")
def stream(environment: RunningEnvironment) -> str:
    """Returns the stream of all tests but the engine's, whose ledger has one row a shard."""
    return make_stream(environment)


@pytest.fixture
def new_lane(environment: RunningEnvironment, stream: str, tmp_path: Path) -> Callable[[], Lane]:
    return lambda: Lane(environment, stream, tmp_path / "dead-letters")


@pytest.fixture
def lane(new_lane: Callable[[], Lane]) -> Lane:
    lane = new_lane()
    lane.fill()
    return lane


@pytest.fixture
def engines_lane(environment: RunningEnvironment, tmp_path: Path) -> Lane:
    return Lane(environment, make_stream(environment), tmp_path / "dead-letters")


@pytest.fixture(params=[2, 3])
def iceberg_lane(request: pytest.FixtureRequest, environment: RunningEnvironment, tmp_path: Path) -> Lane:
    """A lane of an Iceberg table as the blueprint makes it: its metadata is a structured OBJECT (version 2) or VARIANT (3)."""
    options = {"table_kind": "iceberg", "external_volume": "SNOWFLAKE_MANAGED", "iceberg_version": request.param}
    pipeline = Pipeline.model_validate({"stream": "s", "database": "D", "schema": "S", **options})
    own = [f"{name} {type_}" for name, type_ in metadata_columns(pipeline).items()]
    body = "BODY OBJECT(n ARRAY(NUMBER(38,0)))" if request.param == 2 else "BODY VARIANT"
    typed = ["ID NUMBER(38,0)", "NAME VARCHAR", "PRICE DOUBLE", body, "AT TIMESTAMP_NTZ(6)"]
    columns = ", ".join([*own, *typed])
    return Lane(
        environment, make_stream(environment), tmp_path / "dead-letters", columns=columns, iceberg=request.param
    )


@pytest.fixture
def columns_lane(environment: RunningEnvironment, tmp_path: Path) -> Lane:
    """A lane whose metadata is in columns of their own, as the blueprint makes them."""
    options: dict[str, Any] = {"metadata": {"form": "columns", "push_time": True}}
    pipeline = Pipeline.model_validate({"stream": "s", "database": "D", "schema": "S", **options})
    own = [f"{name} {type_}" for name, type_ in metadata_columns(pipeline).items()]
    columns = ", ".join([*own, *COLUMNS.split(", ")[1:]])
    return Lane(environment, make_stream(environment), tmp_path / "dead-letters", columns=columns, options=options)
