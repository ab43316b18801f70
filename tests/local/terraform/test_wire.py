"""Tests of what travels between Terraform and a provider: values there and back, and the schemas as Terraform has them."""

import json
import struct
from typing import Any

import pytest

from firnline_local.pulumi.properties import UNKNOWN
from firnline_local.terraform.schema import TOKENS, schema_response
from firnline_local.terraform.values import as_properties, as_state, packed, unpacked


@pytest.mark.parametrize(
    "value",
    [None, True, False, 0, 127, -1, -33, 2**40, 1.5, "", "é" * 300, [], [1, [None]], {"a": {"b": [UNKNOWN]}}, UNKNOWN],
)
def test_a_value_comes_back_as_it_was(value: Any) -> None:
    assert unpacked(packed(value)) == value


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b"\x05", 5),
        (b"\xff", -1),
        (b"\xcd" + struct.pack(">H", 500), 500),
        (b"\xa2hi", "hi"),
        (b"\x92\x01\xc0", [1, None]),
        (b"\x81\xa1a\xc3", {"a": True}),
        (b"\xd4\x00\x00", UNKNOWN),
        (b"\xc7\x03\x0cabc", UNKNOWN),
        (b"\xcb" + struct.pack(">d", 0.5), 0.5),
    ],
)
def test_the_short_forms_that_terraform_writes_are_read(data: bytes, value: Any) -> None:
    assert unpacked(data) == value


def test_a_provider_has_each_type_of_the_kinds_and_blocks_where_a_configuration_may_give_them() -> None:
    schemas = {
        entry.key: entry.value.block
        for package in ("aws", "snowflake")
        for entry in schema_response(package).resource_schemas
    }
    assert schemas.keys() == TOKENS.keys()
    stream = schemas["aws_kinesis_stream"]
    assert {each.type_name: each.max_items for each in stream.block_types} == {"stream_mode_details": 1}
    volume = {each.name: each for each in schemas["snowflake_external_volume"].attributes}
    assert volume["describe_output"].computed
    assert json.loads(volume["describe_output"].type)[0] == "list"
    assert volume["name"].required


def test_a_block_that_stands_once_is_an_object_in_pulumis_words_and_a_list_in_a_state() -> None:
    token = "aws:kinesis/stream:Stream"
    properties = {"name": "orders", "streamModeDetails": {"streamMode": "ON_DEMAND"}, "retentionPeriod": 24}
    state = as_state(token, "id", properties)
    assert state["stream_mode_details"] == [{"stream_mode": "ON_DEMAND"}]
    assert state["shard_count"] is None
    assert as_properties(token, state, inputs_only=True) == properties
