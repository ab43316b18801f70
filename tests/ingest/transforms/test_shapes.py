"""hoist, extract, flatten: what changes the shape of a record."""

from typing import Any

import pytest

from firnline_ingest.errors import ConfigError
from tests.ingest.transforms.making import made, pipeline, row

HOIST: dict[str, Any] = {"type": "hoist", "field": "C"}


@pytest.mark.parametrize(
    "payload", ['{"a": 1.10}', "[1, 2]", "1e999", '"x"', "null", "true", '{"KINESISMETADATA":1,"a":2,"A":3,"":4}']
)
def test_hoist_takes_whatever_json_it_is_as_it_stands(payload: str) -> None:
    assert row(payload.encode(), HOIST).replace(" ", "") == '{"C":%s}'.replace("%s", payload.replace(" ", ""))


def test_a_whole_message_is_wrapped_as_the_page_of_snowflakes_kafka_connector_does() -> None:
    """transforms.wrapKafkaMessageContent.type=…HoistField$Value, .field=your_top_level_field_name"""
    wrapped = row(b'{"order":{"id":7}}', {"type": "hoist", "field": "your_top_level_field_name"})
    assert wrapped == '{"your_top_level_field_name":{"order":{"id":7}}}'


@pytest.mark.parametrize(
    ("payload", "reason"), [(b"{oops", "not-json"), (b"", "empty"), (b" \n", "empty"), (b'"\xff"', "invalid-utf-8")]
)
def test_what_is_no_json_is_told_as_ever(payload: bytes, reason: str) -> None:
    assert row(payload, HOIST).startswith(f"{reason}: ")


def test_what_is_too_deep_with_or_without_the_key_above_it_is_no_row() -> None:
    assert row(b"[" * 511 + b"]" * 511, HOIST).startswith('{"C":[[')
    assert row(b"[" * 512 + b"]" * 512, HOIST).startswith("too-deep: ")
    assert row(b"[" * 100_000 + b"]" * 100_000, HOIST).startswith("too-deep: ")


def test_a_line_break_in_a_hoisted_record_is_taken_out() -> None:
    assert row(b'{\n "a": [1,\n2]\n}', HOIST) == '{"C":{"a":[1,2]}}'


EXTRACT: dict[str, Any] = {"type": "extract", "field": "after"}


@pytest.mark.parametrize(
    ("payload", "becomes"),
    [
        (b'{"before":null,"after":{"a":1.10}}', '{"a":1.10}'),
        (b'{"after":null}', "transform-failed: transforms[0] (extract): there is no after."),
        (b'{"After":{}}', "transform-failed: transforms[0] (extract): there is no after."),
        (b'{"after":[1]}', "not-an-object: "),
        (b"[1]", "transform-failed: transforms[0] (extract): there is no after."),
    ],
)
def test_extract_makes_the_record_of_one_field(payload: bytes, becomes: str) -> None:
    assert row(payload, EXTRACT).startswith(becomes)


def test_what_lacks_the_field_is_treated_as_declared() -> None:
    assert dict(made([b'{"after":null}', b"{}"], {**EXTRACT, "missing": "filter"}).left_out) == {"filtered": 2}
    assert row(b'{"after":null}', {**EXTRACT, "missing": "keep"}) == '{"after":null}'


def test_what_is_extracted_and_hoisted_is_under_its_new_key() -> None:
    assert row(b'{"a":{"b":[1]}}', {"type": "extract", "field": "a.b"}, HOIST) == '{"C":[1]}'


FLATTEN: dict[str, Any] = {"type": "flatten"}


@pytest.mark.parametrize(
    ("payload", "becomes"),
    [
        (b'{"a":{"b":{"c":1.10},"d":[{"e":1}]},"f":2}', '{"a_b_c":1.10,"a_d":[{"e":1}],"f":2}'),
        (b'{"a":{},"b":{"c":{}}}', '{"a":{},"b_c":{}}'),
        (b'{"a":1}', '{"a":1}'),
        (b'{"a":{"b":1},"a_b":2}', "transform-failed: transforms[0] (flatten): two fields would both be a_b."),
        (b'{"a":{"b":1},"A_B":2}', "duplicate-key: "),
        (b'{"a":{"b":1,"b":2}}', "duplicate-key: transforms[0] (flatten): the key 'b' occurs 2 times."),
        (b"[]", "transform-failed: transforms[0] (flatten): the record is not an object."),
        (b'{"":{"":1}}', '{"_":1}'),
    ],
)
def test_flatten_makes_one_level_of_all(payload: bytes, becomes: str) -> None:
    assert row(payload, FLATTEN).startswith(becomes)


def test_what_stands_between_the_names_is_a_setting() -> None:
    assert row(b'{"a":{"b":{"c":1}}}', {**FLATTEN, "delimiter": "--"}) == '{"a--b--c":1}'


def test_flatten_of_keys_that_multiply_is_refused_before_they_do() -> None:
    deep = b'{"%s":' % (b"k" * 250) + b"{" + b",".join(b'"%d":0' % n for n in range(70_000)) + b"}}"
    assert "16,000,000 characters" in row(deep, FLATTEN, max_row_bytes=16_000_000)
    nested = b'{"a":' * 500 + b"1" + b"}" * 500
    assert "255 characters" in row(nested, FLATTEN)


@pytest.mark.parametrize(
    "declared",
    [
        {"type": "hoist", "field": ""},
        {"type": "hoist"},
        {"type": "flatten", "delimiter": ""},
        {"type": "extract", "field": "a[]"},
    ],
)
def test_what_can_t_be_declared(declared: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        pipeline(declared)
