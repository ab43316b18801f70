import json
import random

import pytest

from firnline_ingest.sink import by_fields, by_number, fixed, random_keys


def test_the_key_is_the_text_of_a_field() -> None:
    key = by_fields("customer")
    assert key(0, b'{"customer": "ada"}') == "ada"
    assert key(0, b'{"customer": 7}') == "7"
    assert key(0, json.dumps({"customer": "a" * 300}).encode()) == "a" * 256


@pytest.mark.parametrize(
    "event",
    [b"no json", b"{}", b"[1]", b'"text"', b"7", b'{"customer": ""}', b'{"customer": null}', b"\xff", b"[" * 9_999],
)
def test_a_record_without_the_field_is_spread_by_its_number(event: bytes) -> None:
    assert by_fields("customer")(42, event) == "42"


def test_several_fields_are_joined_and_one_that_is_missing_is_empty() -> None:
    key = by_fields("region", "customer", delimiter="/")
    assert key(0, b'{"region": "eu", "customer": 7}') == "eu/7"
    assert key(0, b'{"customer": 7}') == "/7"
    assert key(3, b"{}") == "3"


def test_a_fixed_key_a_number_and_chance() -> None:
    assert {fixed("k")(number, b"") for number in range(9)} == {"k"}
    assert by_number(7, b"") == "7"
    keys = random_keys(random.Random(1))
    assert len({keys(0, b"") for _ in range(100)}) == 100


def test_half_a_character_that_json_escapes_is_no_part_of_a_key() -> None:
    assert by_fields("c")(0, b'{"c": "a\\ud800b"}') == "a?b"
