import json

from firnline_local.pulumi.coerce import coerced_inputs
from firnline_local.pulumi.properties import UNKNOWN

STREAM, ROLE = "aws:kinesis/stream:Stream", "aws:iam/role:Role"


def test_values_come_in_the_shape_that_the_schema_has() -> None:
    given = {"shardCount": "2", "enforceConsumerDeletion": "true", "kmsKeyId": 7, "tags": {"a": 1, "b": True}}
    assert coerced_inputs(STREAM, given) == {
        "shardCount": 2,
        "enforceConsumerDeletion": True,
        "kmsKeyId": "7",
        "tags": {"a": "1", "b": "true"},
    }


def test_blocks_and_lists_are_shaped_inside() -> None:
    given = {"columns": [{"name": "V", "type": "VARIANT", "nullable": "false"}]}
    assert coerced_inputs("snowflake:index/table:Table", given)["columns"][0]["nullable"] is False


def test_what_is_not_known_yet_stays_so() -> None:
    assert coerced_inputs(STREAM, {"shardCount": UNKNOWN, "tags": {"a": UNKNOWN}}) == {
        "shardCount": UNKNOWN,
        "tags": {"a": UNKNOWN},
    }


def test_a_document_becomes_its_text_and_always_the_same() -> None:
    one = coerced_inputs(ROLE, {"assumeRolePolicy": {"b": 1, "a": [2]}})["assumeRolePolicy"]
    other = coerced_inputs(ROLE, {"assumeRolePolicy": {"a": [2], "b": 1}})["assumeRolePolicy"]
    assert one == other
    assert json.loads(one) == {"a": [2], "b": 1}
