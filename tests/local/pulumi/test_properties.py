from typing import Any

import pytest
from pulumi.runtime import rpc

from firnline_local.pulumi import properties
from firnline_local.pulumi.properties import UNKNOWN, decode, encode, is_known, out_of_text, secrets_in

SECRET = {properties.SIGNATURE: properties.SECRET, "value": "hush"}


def test_the_marks_are_those_of_the_sdk() -> None:
    assert properties.UNKNOWN == rpc.UNKNOWN
    assert rpc._special_sig_key == properties.SIGNATURE
    assert rpc._special_secret_sig == properties.SECRET
    assert rpc._special_output_value_sig == properties.OUTPUT
    assert rpc._special_resource_sig == properties.RESOURCE


@pytest.mark.parametrize("value", ["text", "", 0, 24, 0.5, True, False, [], ["a", 1, [None]], {"a": {"b": [1]}}, {}])
def test_a_plain_value_comes_back_as_it_went(value: Any) -> None:
    assert decode(encode({"property": value})) == {"property": value}


def test_what_is_null_is_absent() -> None:
    assert decode(encode({"a": None, "b": {"c": None, "d": 1}})) == {"b": {"d": 1}}


def test_numbers_that_are_whole_are_integers() -> None:
    assert repr(decode(encode({"hours": 24.0}))) == "{'hours': 24}"


def test_a_secret_is_told_wherever_it_is() -> None:
    struct = encode({"a": SECRET, "b": [{"c": SECRET}], "d": "open"})
    assert decode(struct) == {"a": "hush", "b": [{"c": "hush"}], "d": "open"}
    assert secrets_in(struct) == {"a", "b"}


def test_an_output_is_its_value_or_not_known_yet() -> None:
    known = {properties.SIGNATURE: properties.OUTPUT, "value": 1, "secret": True}
    struct = encode({"known": known, "unknown": {properties.SIGNATURE: properties.OUTPUT}})
    assert decode(struct) == {"known": 1, "unknown": UNKNOWN}
    assert secrets_in(struct) == {"known"}


def test_a_reference_to_a_resource_is_its_id() -> None:
    assert decode(encode({"role": {properties.SIGNATURE: properties.RESOURCE, "urn": "urn", "id": "R"}})) == {
        "role": "R"
    }


def test_the_notes_of_a_provider_are_no_properties() -> None:
    assert decode(encode({"__defaults": ["name"], "block": {"__defaults": [], "a": 1}})) == {"block": {"a": 1}}


def test_a_property_is_made_secret_again() -> None:
    struct = encode({"key": "hush", "absent": None}, secrets=["key", "absent", "never"])
    assert secrets_in(struct) == {"key"}
    assert decode(struct) == {"key": "hush"}


def test_something_is_known_only_when_all_in_it_is() -> None:
    assert is_known({"a": [1, {"b": "c"}]})
    assert not is_known({"a": [1, {"b": UNKNOWN}]})


def test_the_configuration_of_a_provider_comes_out_of_its_text() -> None:
    given = {"previewFeaturesEnabled": '["x"]', "port": "1", "role": "1", "region": "us-east-1", "insecure": True}
    assert out_of_text(given, ["role"]) == {
        "previewFeaturesEnabled": ["x"],
        "port": 1,
        "role": "1",
        "region": "us-east-1",
        "insecure": True,
    }
