"""The migration's table is named until it is gone, and the specification makes it no more once it went."""

from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber
from moto import mock_aws

from firnline_infra.cli.accounts_option import ChosenAccounts
from firnline_infra.cli.engine import _end_migration
from firnline_infra.cli.engine_argument import ChosenEngine
from firnline_infra.doctor import objects
from firnline_infra.observe.migration_table import no_longer_made, told_of
from firnline_infra.specification import load_spec
from firnline_infra.specification.load import parse_spec
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.status.sources import reader_of_config
from firnline_ingest.checks import Verdict
from tests.fakes.configs import config

DOCUMENT = """version: 1
name: dev
aws: {region: us-east-1, account: "123456789012"}
snowflake: {account: ORG-ACCOUNT}
streams: [{name: orders}]
pipelines: [{stream: orders, database: LAKE, schema: RAW}]
"""
BLOCK = "ledger:\n  # where it is\n  table: mine # kept\n\n  migration: true # for now\ntags: {migration: 'true'}\n"
IN_LINE = "ledger: {table: mine, migration: true} # for now\n"


def spec(ledger: str = "") -> EnvironmentSpec:
    return parse_spec(DOCUMENT + ledger, "dev.yaml")


def make(dynamodb: Any, table: str) -> None:
    key: Any = [{"AttributeName": "stream", "KeyType": "HASH"}]
    attributes: Any = [{"AttributeName": "stream", "AttributeType": "S"}]
    dynamodb.create_table(
        TableName=table, KeySchema=key, AttributeDefinitions=attributes, BillingMode="PAY_PER_REQUEST"
    )


def refused() -> Any:
    client = boto3.client("dynamodb", region_name="us-east-1", aws_access_key_id="x", aws_secret_access_key="x")
    stubbed = Stubber(client)
    stubbed.add_client_error("describe_table", "AccessDeniedException")
    stubbed.add_client_error("describe_table", "AccessDeniedException")
    stubbed.activate()
    return client


def test_status_and_doctor_name_it_while_it_is_there_whatever_the_specification_says() -> None:
    with mock_aws():
        dynamodb = boto3.client("dynamodb", region_name="us-east-1")
        assert told_of(spec(IN_LINE), dynamodb) == []
        assert list(objects.migration(spec(IN_LINE), dynamodb)) == []
        make(dynamodb, "firnline-dev_migration")
        (told,) = told_of(spec(), dynamodb)
        assert "Table firnline-dev_migration is there" in told
        assert "firnline migrate dev --finish" in told
        (finding,) = objects.migration(spec(), dynamodb)
        assert (finding.verdict, finding.name) == (Verdict.GOOD, "table firnline-dev_migration")
        assert "firnline migrate dev --finish" in finding.found


def test_the_status_of_an_engine_without_a_specification_names_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "fake")
    with mock_aws():
        asked = config(ledger={"table": "mine"})
        reader = reader_of_config(asked)
        assert reader.notes() == []
        make(boto3.client("dynamodb", region_name=asked.aws.region), "mine_migration")
        assert "Table mine_migration is there" in reader.notes()[0]


def test_where_it_can_not_be_asked_the_specification_counts() -> None:
    assert told_of(spec(), refused()) == []
    assert "Table mine_migration is there" in told_of(spec(IN_LINE), refused())[0]
    assert [each.verdict for each in objects.migration(spec(IN_LINE), refused())] == [Verdict.UNKNOWN]
    assert list(objects.migration(spec(), refused())) == []


@pytest.mark.parametrize("ledger", [BLOCK, IN_LINE])
def test_the_specification_makes_it_no_more_and_is_as_it_was_otherwise(
    tmp_path: Path, ledger: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "dev.yaml"
    file.write_text(DOCUMENT + ledger)
    _end_migration(ChosenEngine(file, ChosenAccounts(None, {}), None))
    assert file.read_text() == DOCUMENT + ledger.replace("migration: true", "migration: false")
    assert not load_spec(file).ledger.migration
    assert "ledger.migration is false now" in capsys.readouterr().out


@pytest.mark.parametrize("ledger", [BLOCK, IN_LINE])
def test_lines_end_as_they_did(tmp_path: Path, ledger: str) -> None:
    file, text = tmp_path / "dev.yaml", (DOCUMENT + ledger).replace("\n", "\r\n")
    file.write_bytes(text.encode())
    assert no_longer_made(file)
    assert file.read_bytes().decode() == text.replace("migration: true", "migration: false")


def test_a_line_that_is_not_found_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "dev.yaml"
    text = DOCUMENT + 'ledger: {"migration": true}\n'
    file.write_text(text)
    assert not no_longer_made(file)
    _end_migration(ChosenEngine(file, ChosenAccounts(None, {}), None))
    assert file.read_text() == text
    assert "Set ledger.migration to false" in capsys.readouterr().out
