"""`firnline migrate` as it is typed, on moto's DynamoDB and Kinesis."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import boto3
import pytest
import yaml

from firnline_ingest.__main__ import main
from firnline_ingest.commands.migrate import pin_of
from firnline_ingest.migration import kcl
from firnline_ingest.migration.errors import UnclearCommand
from tests.fakes.configs import config, reading
from tests.ingest.migration.conftest import make_table

SHARDS = ["shardId-000000000000", "shardId-000000000001"]
Migrate = Callable[..., int]


@pytest.fixture
def migrate(dynamodb: Any, tmp_path: Path) -> Migrate:
    kinesis = boto3.client("kinesis", region_name="us-east-1")
    if "orders" not in kinesis.list_streams()["StreamNames"]:
        kinesis.create_stream(StreamName="orders", ShardCount=2)
    asked = config(ledger={"table": "ledger", "create": True}, pipelines=[reading("orders")])
    file = tmp_path / "engine.json"
    file.write_text(asked.model_dump_json(by_alias=True))
    return lambda *options: main(["migrate", "--config", str(file), *options])


def leases(dynamodb: Any, *checkpoints: str) -> None:
    items = [
        {"leaseKey": {"S": shard}, "leaseCounter": {"N": "3"}, "checkpoint": {"S": checkpoint}}
        for shard, checkpoint in zip(SHARDS, checkpoints, strict=True)
    ]
    make_table(dynamodb, "old", kcl.KEY, items)


def test_a_dry_run_shows_each_shard_and_writes_nothing(
    migrate: Migrate, dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    leases(dynamodb, "9" * 56, "TRIM_HORIZON")
    assert migrate("--from", "old", "--watch", "0") == 0
    shown = capsys.readouterr().out
    assert "orders, from a table of the Kinesis Client Library:" in shown
    assert f"{SHARDS[0]}  {'9' * 56}  goes on behind it" in shown
    assert "Nothing was written." in shown
    assert dynamodb.list_tables()["TableNames"] == ["old"]


@pytest.mark.parametrize(("form", "read"), [("json", json.loads), ("yaml", yaml.safe_load)])
def test_a_dry_run_is_a_document_too(
    migrate: Migrate, dynamodb: Any, capsys: pytest.CaptureFixture[str], form: str, read: Callable[[str], Any]
) -> None:
    """Progress is on standard error, so that the document is alone."""
    leases(dynamodb, "9" * 56, "LATEST")
    assert migrate("--from", "old", "--watch", "0", "-o", form) == 2
    shown = capsys.readouterr()
    assert "Watching old for 0 s" in shown.err
    found = read(shown.out)
    assert (found["stream"], found["rows_written"]) == ("orders", 0)
    assert [each["shard"] for each in found["shards"]] == SHARDS
    assert found["shards"][0] == {"shard": SHARDS[0], "checkpoint": "9" * 56, "becomes": "goes on behind it"}
    assert SHARDS[1] in found["problems"][0]


def test_it_is_applied_and_undone(migrate: Migrate, dynamodb: Any, capsys: pytest.CaptureFixture[str]) -> None:
    leases(dynamodb, "9" * 56, "TRIM_HORIZON")
    assert migrate("--from", "old", "--watch", "0", "--apply") == 0
    assert "2 rows of orders are in the ledger, and noted in ledger_migration." in capsys.readouterr().out
    assert migrate("--undo") == 0
    assert "2 rows of orders are gone" in capsys.readouterr().out
    assert dynamodb.scan(TableName="ledger_migration")["Items"] == []


def test_what_can_not_be_done_is_listed_with_status_2(
    migrate: Migrate, dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    leases(dynamodb, "9" * 56, "LATEST")
    assert migrate("--from", "old", "--watch", "0") == 2
    assert f"  - {SHARDS[1]}: its lease names no place" in capsys.readouterr().out
    assert migrate("--from", "old", "--watch", "0", "--apply") == 2
    assert "[FL-2426]" in capsys.readouterr().err
    assert migrate("--from", "old", "--watch", "0", "--at", "trim-horizon") == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "Give --from TABLE, or --undo alone, or --finish alone."),
        (("--from", "old", "--stream", "returns"), "does not read 'returns'"),
        (("--from", "nowhere"), "no DynamoDB table 'nowhere'"),
        (("--from", "old", "--watch", "-1"), "--watch -1 is not a time to wait"),
        (("--from", "old", "--watch", "nan"), "--watch nan is not a time to wait"),
    ],
)
def test_a_command_that_is_unclear_says_what_it_lacks(
    migrate: Migrate, options: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert migrate(*options) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("text", ["yesterday", "2026-01-31", "2026-01-31T12:00:00", "2999-01-31T12:00:00Z"])
def test_a_time_without_a_zone_or_in_the_future_is_refused(text: str) -> None:
    with pytest.raises(UnclearCommand, match="--at"):
        pin_of(text)
