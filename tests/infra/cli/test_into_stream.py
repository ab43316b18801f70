"""`firnline dead-letters replay --into-stream`, and what `list` says of it; the service and the ledger are imitated."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from firnline_infra.cli.dead_letters import dead_letters
from firnline_ingest.config.query import QueryNotRunHere
from firnline_ingest.dead_letters import DeadLetter, LocalFolder
from firnline_ingest.dead_letters import replay as replaying
from firnline_ingest.kinesis import client as clients
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger import provision
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.records.rejection import RejectedRecord, RejectReason
from firnline_ingest.values import Position, ShardKey
from firnline_local.kinesis import FakeKinesis
from tests.infra.audit.configured import CONFIG

SHARD = ShardKey("orders", 1_700_000_000_000, "shardId-000000000000")


class Ledger:
    def read(self, key: ShardKey) -> ShardRow:
        return ShardRow(key=key, start=TrimHorizon(), read_through=Position(4960))


@pytest.fixture
def kinesis(monkeypatch: pytest.MonkeyPatch) -> FakeKinesis:
    kinesis, made = FakeKinesis(read_limits=False), clients.kinesis_client
    kinesis.create_stream("orders")

    def connected(*arguments: object, **options: object) -> object:
        client = made(*arguments, **options)  # type: ignore[arg-type]
        kinesis.connect(client)
        return client

    monkeypatch.setattr(clients, "kinesis_client", connected)
    for module in (provision, replaying):
        monkeypatch.setattr(module, "existing_ledger", lambda _: Ledger())
    return kinesis


@pytest.fixture
def config(tmp_path: Path) -> Path:
    rejected = RejectedRecord(0, RejectReason.MALFORMED, "it does not fit")
    records = [Record(str(number), b"%d" % number, "key", 1763725995.123) for number in (4959, 4960, 4961)]
    LocalFolder(tmp_path / "letters").put([DeadLetter.of(rejected, each, SHARD) for each in records])
    query = {"schema": "n BIGINT", "sql": "SELECT * FROM rows"}
    pipeline = {"stream": "orders", "database": "DB", "schema": "RAW", "query": query}
    aws = {"region": "us-east-1", "endpoints": {"kinesis": "http://fake.invalid"}}
    document = {**CONFIG, "aws": aws, "pipelines": [pipeline], "dead_letters": {"folder": str(tmp_path / "letters")}}
    (tmp_path / "engine.json").write_text(json.dumps(document))
    return tmp_path / "engine.json"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(dead_letters, arguments)


def test_records_go_into_the_stream_once_and_list_says_which(config: Path, kinesis: FakeKinesis) -> None:
    at = ("--config", str(config))
    assert "2 would be put into the stream again" in run("replay", *at, "--into-stream", "--dry-run").output
    first = run("replay", *at, "--into-stream")
    assert (first.exit_code, first.output.splitlines()[-1]) == (
        1,
        "2 put into the stream again; 1 stay dead letters: the engine has not passed it yet, and may read it again (replay it "
        "once the engine has: if its shard has stopped, firnline status says why, and what to do next).",
    )
    assert sorted(each.data for each in kinesis.stream("orders").records) == [b"4959", b"4960"]
    assert "0 put into the stream again; 2 replayed before; 1 stay" in run("replay", *at, "--into-stream").output
    assert len(kinesis.stream("orders").records) == 2
    listed = run("list", *at).output
    assert listed.count("arrived 2025-11-21T11:53:15.123Z, put into the stream again: it does not fit") == 2
    documents = [json.loads(line) for line in run("list", *at, "--output", "json").output.splitlines()]
    assert [each.get("put_again", False) for each in documents] == [True, True, False]


def test_the_error_of_a_replay_into_the_table_names_the_way(config: Path, kinesis: FakeKinesis) -> None:
    error = run("replay", "--config", str(config)).exception
    assert isinstance(error, QueryNotRunHere)
    assert "--into-stream" in error.next_step
    key = "orders@1700000000000/shardId-000000000000/495900000000000000000000.parse"
    assert "replay --into-stream" in run("show", "--config", str(config), key).output


def test_the_stream_is_no_table(config: Path) -> None:
    assert (
        "leave out --by-file and --again" in run("replay", "--config", str(config), "--into-stream", "--again").output
    )
