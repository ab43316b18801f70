"""Tests of what a deploy asks before it stops anything; the tables are looked for in `tests/infra/drift/test_environments.py`."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from firnline_infra.accounts.errors import SnowflakeLoginMissing
from firnline_infra.rollout.startable import refused_at_start
from firnline_infra.specification import load_spec
from firnline_ingest.config.load import parse_config
from tests.infra.runtimes.environments import ENVIRONMENTS
from tests.infra.runtimes.services.conftest import StubbedAws
from tests.ingest.config.test_model import document

KEYS = [{"AttributeName": "stream", "KeyType": "HASH"}, {"AttributeName": "shard", "KeyType": "RANGE"}]
SUMMARY = {
    "StreamName": "orders", "StreamARN": "arn:aws:kinesis:eu-central-1:123456789012:stream/orders", "RetentionPeriodHours": 24,
    "StreamCreationTimestamp": 0, "EnhancedMonitoring": [], "OpenShardCount": 1,
}  # fmt: skip # words


def no_login() -> Any:
    raise SnowflakeLoginMissing(["SNOWFLAKE_USER"])


def asked(aws: StubbedAws, changes: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The problems, and what was said."""
    said: list[str] = []
    accounts: Any = SimpleNamespace(aws=aws.client, snowflake=no_login)
    config = parse_config(json.dumps(document(**changes)).encode(), "engine.json")
    found = refused_at_start(config, load_spec(ENVIRONMENTS / "dev.yaml"), accounts, said.append)
    assert all(each.next_step for each in found)
    return [each.what for each in found], said


def ledger(aws: StubbedAws, keys: list[dict[str, str]]) -> None:
    aws.answers("dynamodb", "describe_table", {"Table": {"KeySchema": keys}})


@pytest.mark.parametrize(
    ("state", "said"),
    [("ACTIVE", []), ("UPDATING", []), ("DELETING", ["is DELETING"]), ("CREATING", ["is CREATING"])],
)
def test_a_stream_that_can_not_be_read_is_found_before_anything_is_stopped(
    state: str, said: list[str], aws: StubbedAws
) -> None:
    ledger(aws, KEYS)
    summary = {"StreamDescriptionSummary": {**SUMMARY, "StreamStatus": state}}
    aws.answers("kinesis", "describe_stream_summary", summary)
    found, not_asked = asked(aws, {})
    assert [part in each for part, each in zip(said, found, strict=True)] == [True] * len(said)
    assert [each.partition(".")[0] for each in not_asked] == ["Not asked before the start: Snowflake"]


def test_another_tables_key_a_missing_stream_and_what_may_not_be_asked_are_told_apart(aws: StubbedAws) -> None:
    ledger(aws, KEYS[:1])
    aws.refuses("kinesis", "describe_stream_summary", "ResourceNotFoundException")
    found, _ = asked(aws, {})
    assert [each.partition(" ")[0] for each in found][1:] == ["Stream"]
    assert len(found) == 2
    aws.refuses("dynamodb", "describe_table", "AccessDeniedException")
    aws.refuses("kinesis", "describe_stream_summary", "AccessDeniedException")
    found, not_asked = asked(aws, {})
    assert found == []
    assert [each.split(".")[0].removeprefix("Not asked before the start: ") for each in not_asked] == [
        "the ledger",
        "Snowflake",
        "stream orders",
    ]


def test_a_stream_with_an_access_of_its_own_is_the_engines_to_ask(aws: StubbedAws) -> None:
    ledger(aws, KEYS)
    (one,) = document()["pipelines"]
    found, said = asked(aws, {"pipelines": [{**one, "access": {"region": "eu-west-1"}}]})
    assert found == []
    assert said[0] == "Not asked before the start: stream orders, which the engine reaches by an access of its own."
