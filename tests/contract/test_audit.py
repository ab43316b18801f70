"""The audit against the real embedded services, through real clients: what is right is proven, what was tampered with is found.

Each test has a table of its own with the rows of one stream, as the engine would have written them.
"""

import json
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.audit import PipelineReport, Reader, audit
from firnline_infra.audit.errors import ErrorTableUnreadable, TableUnreadable, WarehouseUnusable
from firnline_infra.audit.findings import Counts, Kind
from firnline_infra.cli.main import main
from firnline_infra.local.running import RunningEnvironment
from firnline_ingest.config import EngineConfig
from firnline_ingest.config.document import parse
from firnline_ingest.deadletter import DeadLetter, LocalFolder
from firnline_ingest.kinesis.client import kinesis_client
from firnline_ingest.kinesis.lineage import Lineage, read_lineage
from firnline_ingest.kinesis.page import Record
from firnline_ingest.ledger.lease import RunLease
from firnline_ingest.ledger.provision import open_ledger
from firnline_ingest.ledger.row import ShardKey, Target
from firnline_ingest.records.rows import RowMaker
from firnline_ingest.spark.assignment import Assignment, PlannedShard

pytestmark = pytest.mark.contract

GOOD, BAD = 20, 3
EVENTS = [
    {"id": n, "Name": f"n{n}", "price": n / 4, "body": {"n": [n, None]}, "at": f"2026-01-31T12:00:{n:02d}.5"}
    for n in range(GOOD)
]
COLUMNS = "KINESISMETADATA OBJECT, ID NUMBER(38,0), NAME VARCHAR, PRICE FLOAT, BODY VARIANT, AT TIMESTAMP_NTZ"
RUN_ENGINE = (
    "import sys; from firnline_ingest.spark.task import ingest_partition\n"
    "print(*ingest_partition([sys.stdin.read()]), sep='\\n')"
)


@dataclass
class Lane:
    """One stream into one table."""

    environment: RunningEnvironment
    stream: str
    folder: Path
    table: str = ""

    def __post_init__(self) -> None:
        self.table = self.table or f"T{uuid.uuid4().hex[:8].upper()}"
        self.sql(f"CREATE TABLE {self.name} ({COLUMNS}) ENABLE_SCHEMA_EVOLUTION = TRUE ERROR_LOGGING = TRUE")
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
        document["pipelines"] = [{**first, "stream": self.stream, "table": self.table, "tolerance": "all", **pipeline}]
        return parse(EngineConfig, document, "engine.json")

    def reader(self, **changes: Any) -> Reader:
        login = self.environment.logins["reader"]
        return Reader(**{"user": login.user, "role": login.role, "key_file": login.private_key_file, **changes})

    def audit(self, *, content: bool = True, **options: Any) -> PipelineReport:
        (report,) = audit(self.config(), self.reader(), content=content, **options).pipelines
        return report

    @property
    def lineage(self) -> Lineage:
        return read_lineage(kinesis_client(self.config().aws), self.stream)

    def fill(self) -> None:
        """What the engine makes of the stream's records: rows, and dead letters."""
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


def records_of(lane: Lane) -> dict[str, list[Record]]:
    client = kinesis_client(lane.config().aws)
    found = {}
    for shard_id in lane.lineage.shards:
        start = {"StreamName": lane.stream, "ShardId": shard_id, "ShardIteratorType": "TRIM_HORIZON"}
        iterator = client.get_shard_iterator(**start)["ShardIterator"]  # type: ignore[arg-type]
        found[shard_id] = list(client.get_records(ShardIterator=iterator)["Records"])
    return found  # type: ignore[return-value]


def _literal(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


@pytest.fixture(scope="module", autouse=True)
def aws(local_environment: RunningEnvironment) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in local_environment.variables.items():
            patch.setenv(name, value)
        yield


def make_stream(environment: RunningEnvironment) -> str:
    name = f"audited-{uuid.uuid4().hex[:8]}"
    environment.client("kinesis").create_stream(StreamName=name, ShardCount=2)
    events: list[Any] = [*EVENTS, *(b"nonsense %d" % n for n in range(BAD))]
    environment.put_events(name, events, key=lambda number, _: str(number))
    return name


@pytest.fixture(scope="module")
def stream(local_environment: RunningEnvironment) -> str:
    """Of all tests but the engine's, whose ledger has one row a shard."""
    return make_stream(local_environment)


@pytest.fixture
def new_lane(local_environment: RunningEnvironment, stream: str, tmp_path: Path) -> Callable[[], Lane]:
    return lambda: Lane(local_environment, stream, tmp_path / "dead-letters")


@pytest.fixture
def lane(new_lane: Callable[[], Lane]) -> Lane:
    lane = new_lane()
    lane.fill()
    return lane


def found(report: PipelineReport) -> dict[Kind, int]:
    return {kind: count for kind in Kind if (count := getattr(report.totals, kind))}


def test_what_the_engine_wrote_is_proven(lane: Lane) -> None:
    report = lane.audit()
    assert report.is_proven, report.shards
    assert report.totals == Counts(records=GOOD + BAD, rows=GOOD, dead_letters=BAD)
    assert len(report.shards) == 2


def test_without_content_only_positions_are_compared(lane: Lane) -> None:
    lane.sql(f"UPDATE {lane.name} SET NAME = 'other' WHERE ID = 5")
    assert lane.audit(content=False).is_proven
    assert found(lane.audit()) == {Kind.CHANGED: 1}


def test_a_row_that_was_deleted_is_missing(lane: Lane) -> None:
    lane.sql(f"DELETE FROM {lane.name} WHERE ID = 5")
    assert found(lane.audit()) == {Kind.MISSING: 1}


def test_a_row_that_is_there_twice_is_doubled(lane: Lane) -> None:
    lane.sql(f"INSERT INTO {lane.name} SELECT * FROM {lane.name} WHERE ID = 5")
    assert found(lane.audit()) == {Kind.DOUBLED: 1}


@pytest.mark.parametrize(
    "change",
    [
        "ID = 9007199254740993",
        "NAME = NULL",
        "PRICE = 1.2500001",
        "BODY = PARSE_JSON('{\"n\":[5]}')",
        "AT = '2026-01-31 12:00:05.500001'",
    ],
)
def test_a_value_that_was_changed_is_found(lane: Lane, change: str) -> None:
    position = lane.metadata_of(5)["sequenceNumber"]
    lane.sql(f"UPDATE {lane.name} SET {change} WHERE ID = 5")
    report = lane.audit()
    assert found(report) == {Kind.CHANGED: 1}
    assert [problem.position for problem in report.problems(Kind.CHANGED)] == [position]


def test_a_column_that_somebody_filled_is_found(lane: Lane) -> None:
    lane.sql(f"ALTER TABLE {lane.name} ADD COLUMN NOTE VARCHAR")
    assert lane.audit().is_proven
    lane.sql(f"UPDATE {lane.name} SET NOTE = 'x' WHERE ID < 3")
    assert found(lane.audit()) == {Kind.CHANGED: 3}


def test_a_dead_letter_that_was_removed_is_missing(lane: Lane) -> None:
    next(lane.folder.rglob("*.json")).unlink()
    assert found(lane.audit()) == {Kind.MISSING: 1}


def test_a_dead_letter_that_was_changed_is_found(lane: Lane) -> None:
    place = next(lane.folder.rglob("*.json"))
    place.write_text(json.dumps(json.loads(place.read_text()) | {"data": "eA=="}))
    assert found(lane.audit()) == {Kind.CHANGED: 1}


@pytest.mark.parametrize("metadata", [None, {}, {"note": "by hand"}])
def test_a_row_that_says_nothing_of_its_record_is_foreign(lane: Lane, metadata: dict[str, Any] | None) -> None:
    lane.copy(5, metadata)
    report = lane.audit()
    assert found(report) == {Kind.FOREIGN: 1}
    assert report.totals.rows == GOOD


@pytest.mark.parametrize(
    "change",
    [
        {"sequenceNumber": "12"},
        {"sequenceNumber": "9" * 57},
        {"sequenceNumber": "twelve"},
        {"sequenceNumber": None},
        {"subSequenceNumber": 1},
        {"shardId": "shardId-000000000099"},
        {"stream": "another"},
    ],
)
def test_a_row_that_no_record_stands_behind_is_foreign(lane: Lane, change: dict[str, Any]) -> None:
    lane.copy(5, lane.metadata_of(5) | change)
    report = lane.audit()
    assert found(report) == {Kind.FOREIGN: 1}
    assert report.totals.rows == GOOD


def test_a_row_that_says_another_shard_is_missing_in_its_own(lane: Lane) -> None:
    metadata = lane.metadata_of(5)
    (other,) = set(lane.lineage.shards) - {metadata["shardId"]}
    lane.copy(5, metadata | {"shardId": other})
    lane.sql(f"DELETE FROM {lane.name} WHERE ID = 5 AND KINESISMETADATA:shardId::VARCHAR = '{metadata['shardId']}'")
    assert found(lane.audit(content=False)) == {Kind.MISSING: 1, Kind.FOREIGN: 1}


def test_a_row_from_before_the_streams_oldest_record_is_older_and_no_problem(lane: Lane) -> None:
    lane.copy(5, lane.metadata_of(5) | {"sequenceNumber": "12", "approximateArrival": "2020-01-31T12:00:00.000Z"})
    report = lane.audit()
    assert report.is_proven
    assert report.totals.older == 1


def test_rows_of_another_stream_are_welcome_where_they_are_named(lane: Lane) -> None:
    lane.copy(5, lane.metadata_of(5) | {"stream": "another"})
    assert found(lane.audit()) == {Kind.FOREIGN: 1}
    assert lane.audit(also_holds=["another"]).is_proven


def test_records_that_arrived_after_the_end_are_left_out(lane: Lane) -> None:
    before = datetime.now(UTC) - timedelta(hours=1)
    assert lane.audit(until=before).totals == Counts(later=GOOD + BAD)


def test_records_from_before_the_beginning_may_be_absent(new_lane: Callable[[], Lane]) -> None:
    lane = new_lane()
    report = lane.audit(since=datetime.now(UTC) + timedelta(hours=1))
    assert report.is_proven
    assert report.totals == Counts(before_start=GOOD + BAD)


@pytest.fixture
def engines_lane(local_environment: RunningEnvironment, tmp_path: Path) -> Lane:
    return Lane(local_environment, make_stream(local_environment), tmp_path / "dead-letters")


def test_the_engine_itself_is_proven_and_in_order(engines_lane: Lane) -> None:
    engines_lane.sql(f"ALTER TABLE {engines_lane.name} DROP COLUMN BODY")  # it comes back by evolution
    assert {receipt["state"] for receipt in run_engine(engines_lane)} == {"done"}
    report = engines_lane.audit()
    assert report.is_proven, report.shards
    assert report.totals == Counts(records=GOOD + BAD, rows=GOOD, dead_letters=BAD)
    assert report.order.is_proven
    assert report.order.rows == GOOD


def test_rows_that_the_table_rejects_are_found_in_its_error_table(engines_lane: Lane) -> None:
    engines_lane.sql(f"ALTER TABLE {engines_lane.name} DROP COLUMN NAME")
    engines_lane.sql(f"ALTER TABLE {engines_lane.name} ADD COLUMN NAME NUMBER")  # it takes none of the names
    run_engine(engines_lane)
    report = engines_lane.audit()
    assert report.is_proven, report.shards
    assert report.totals == Counts(records=GOOD + BAD, error_rows=GOOD, dead_letters=BAD)

    engines_lane.sql(f"TRUNCATE ERROR_TABLE({engines_lane.name})")
    assert found(engines_lane.audit()) == {Kind.MISSING: GOOD}


def run_engine(lane: Lane) -> list[dict[str, Any]]:
    """The receipts of a bounded run, in a process of its own: the SDK learns whom to trust once a process."""
    config, lineage = lane.config(), lane.lineage
    config = config.model_copy(update={"application": lane.table})
    target = Target("FIRNLINE", "RAW", lane.table, "", f"{lane.table}-STREAMING")
    shards = tuple(
        PlannedShard(1, lane.stream, lineage.stream_created_ms, shard, "h", 24, "", target) for shard in lineage.shards
    )
    arrival_ms = int(datetime.now(UTC).timestamp() * 1000) + 60_000
    lease = RunLease(open_ledger(config), config.application, sleep=lambda _: None)
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
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]  # the SDK speaks there too


@pytest.fixture
def command(lane: Lane, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Runs `firnline audit` on the lane; its exit status."""
    config_file = tmp_path / "engine.json"
    config_file.write_text(lane.config().model_dump_json(by_alias=True))
    reader = lane.reader()

    def run(*options: str, role: str = reader.role) -> int:
        given = ["--config", str(config_file), "--reader-user", reader.user, "--reader-key", str(reader.key_file)]
        monkeypatch.setattr(sys, "argv", ["firnline", "audit", *given, "--reader-role", role, *options])
        with pytest.raises(SystemExit) as ended:
            main()
        assert isinstance(ended.value.code, int)
        return ended.value.code

    return run


def test_the_command_ends_with_0_for_a_proof(
    lane: Lane, command: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("--content", "--json") == 0
    assert json.loads(capsys.readouterr().out)["proven"] is True


def test_the_command_ends_with_3_for_a_problem(
    lane: Lane, command: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    lane.sql(f"DELETE FROM {lane.name} WHERE ID = 5")
    assert command() == 3
    assert "NOT PROVEN, of 23 records: 1 missing." in capsys.readouterr().out


def test_the_command_ends_with_2_where_it_could_not_look(
    command: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(role="SYSADMIN") == 2
    assert "[FL-3011]" in capsys.readouterr().err


def test_a_table_that_is_not_there_is_said(lane: Lane) -> None:
    lane.sql(f"DROP TABLE {lane.name}")
    with pytest.raises(TableUnreadable, match=f"GRANT SELECT ON TABLE {lane.name}"):
        lane.audit()


def test_a_reader_that_may_not_see_rejected_rows_is_told_what_it_lacks(lane: Lane) -> None:
    lane.sql(f"REVOKE SELECT ERROR TABLE ON TABLE {lane.name} FROM ROLE {lane.reader().role}")
    with pytest.raises(ErrorTableUnreadable, match="GRANT SELECT ERROR TABLE"):
        lane.audit()


def test_a_warehouse_that_is_not_there_is_said(lane: Lane) -> None:
    with pytest.raises(WarehouseUnusable, match="NOWHERE"):
        audit(lane.config(), lane.reader(warehouse="NOWHERE"))


def test_a_table_that_keeps_no_rejected_rows_is_audited_with_a_remark(lane: Lane) -> None:
    lane.sql(f"ALTER TABLE {lane.name} SET ERROR_LOGGING = FALSE")
    report = lane.audit()
    assert report.is_proven
    assert any("ERROR_LOGGING is off" in remark for remark in report.remarks)
