"""Tests of what the stock providers refuse before they call a service, the embedded ones refuse too."""

import re
from pathlib import Path
from typing import Any

import pytest

from firnline_local.pulumi.validate import check_inputs
from firnline_local.terraform.schema import TOKENS
from firnline_local.terraform.values import as_properties
from tests.local.terraform import stock_inputs, stock_snowflake_inputs

TAKEN = {**stock_inputs.TAKEN, **stock_snowflake_inputs.TAKEN}
REFUSED = {**stock_inputs.REFUSED, **stock_snowflake_inputs.REFUSED}

PLANNED: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("aws_dynamodb_table", {"hash_key": "z"}, "Unmatched indexes: ['z']"),
    ("aws_dynamodb_table", {"range_key": "q"}, "Unmatched indexes: ['q']"),
    ("aws_dynamodb_table", {"attribute": [{"name": n, "type": "S"} for n in "ab"]}, "Unused attributes: ['b']"),
    ("aws_dynamodb_table", {"billing_mode": "PROVISIONED"}, "must be at least 1 when billing_mode is PROVISIONED"),
    ("aws_dynamodb_table", {"read_capacity": 5}, "can not be set when billing_mode is PAY_PER_REQUEST"),
    ("aws_dynamodb_table", {"stream_enabled": True}, "is required when stream_enabled is true"),
    ("aws_dynamodb_table", {"ttl": {"enabled": True}}, "ttl.attributeName: must be specified"),
    ("aws_cloudwatch_metric_alarm", {"statistic": None}, "one of `statistic` or `extended_statistic` must be set"),
    ("aws_kinesis_stream", {"stream_mode_details": {"stream_mode": "ON_DEMAND"}}, "shard_count must not be set"),
)


def problems(type_: str, **changes: Any) -> list[str]:
    token = TOKENS[type_]
    given = {name: value for name, value in {**TAKEN[type_], **changes}.items() if value is not None}
    return check_inputs(token, as_properties(token, given, inputs_only=True))


def test_every_type_that_a_kind_makes_is_asked() -> None:
    assert TAKEN.keys() == TOKENS.keys()


def test_every_type_has_a_row_in_the_page() -> None:
    text = (Path(__file__).parents[3] / "docs" / "design" / "infrastructure.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `((?:aws|snowflake)_\w+)` \|", text, re.MULTILINE)
    assert sorted(rows) == rows
    assert set(rows) == TAKEN.keys()


@pytest.mark.parametrize("type_", TAKEN)
def test_what_the_stock_provider_refuses_is_refused(type_: str) -> None:
    assert problems(type_) == []
    assert [said for said in REFUSED.get(type_, ()) if not problems(type_, **said)] == []


@pytest.mark.parametrize(("type_", "said", "words"), PLANNED)
def test_what_it_refuses_of_several_arguments_together_is_refused(type_: str, said: dict[str, Any], words: str) -> None:
    assert words in " ".join(problems(type_, **said))
