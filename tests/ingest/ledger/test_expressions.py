"""DynamoDB's expressions name no attribute themselves, so no reserved word can be in one."""

import re
from typing import Any

import pytest
from boto3.dynamodb.conditions import Attr, Key

from firnline_ingest.ledger.expressions import ItemUpdate, of_query, of_write

FENCE = Attr("generation").eq(3) & Attr("owner").eq("a")
IS_NEWER = Attr("number").not_exists() | Attr("number").lt(7)


def test_a_query_names_its_key_by_placeholders() -> None:
    assert of_query(Key("stream").eq("@application") & Key("shard").begins_with("@consumer/")) == {
        "KeyConditionExpression": "(#n0 = :v0 AND begins_with(#n1, :v1))",
        "ExpressionAttributeNames": {"#n0": "stream", "#n1": "shard"},
        "ExpressionAttributeValues": {":v0": {"S": "@application"}, ":v1": {"S": "@consumer/"}},
    }


def test_a_write_has_its_condition() -> None:
    assert of_write(FENCE & IS_NEWER) == {
        "ConditionExpression": "((#n0 = :v0 AND #n1 = :v1) AND (attribute_not_exists(#n2) OR #n3 < :v2))",
        "ExpressionAttributeNames": {"#n0": "generation", "#n1": "owner", "#n2": "number", "#n3": "number"},
        "ExpressionAttributeValues": {":v0": {"N": "3"}, ":v1": {"S": "a"}, ":v2": {"N": "7"}},
    }


def test_a_write_without_values_has_no_empty_list_of_them() -> None:
    assert of_write(Attr("run_id").not_exists()) == {
        "ConditionExpression": "attribute_not_exists(#n0)",
        "ExpressionAttributeNames": {"#n0": "run_id"},
    }


def test_an_update_sets_raises_and_removes() -> None:
    update = ItemUpdate(sets={"phase": "ready", "paused": True}, raises={"beat": 2}, removes=("start", "end"))
    assert of_write(Attr("phase").eq("held"), update) == {
        "ConditionExpression": "#n0 = :v0",
        "UpdateExpression": "SET #u0 = :u0, #u1 = :u1, #u2 = #u2 + :u2 REMOVE #u3, #u4",
        "ExpressionAttributeNames": {
            "#n0": "phase",
            "#u0": "phase",
            "#u1": "paused",
            "#u2": "beat",
            "#u3": "start",
            "#u4": "end",
        },
        "ExpressionAttributeValues": {
            ":v0": {"S": "held"},
            ":u0": {"S": "ready"},
            ":u1": {"BOOL": True},
            ":u2": {"N": "2"},
        },
    }


@pytest.mark.parametrize(
    "parameters",
    [
        of_write(FENCE, ItemUpdate(removes=("status",))),
        of_write(FENCE, ItemUpdate(raises={"count": 1})),
        of_query(Key("stream").eq("a")),
    ],
)
def test_every_placeholder_is_used_and_every_word_is_dynamodbs(parameters: dict[str, Any]) -> None:
    text = " ".join(value for name, value in parameters.items() if name.endswith("Expression"))
    words = set(re.findall(r"[#:]?[A-Za-z_]\w*", text))
    placeholders = {each for each in words if each[0] in "#:"}
    assert placeholders == {*parameters["ExpressionAttributeNames"], *parameters["ExpressionAttributeValues"]}
    assert words - placeholders <= {"AND", "SET", "REMOVE"}
