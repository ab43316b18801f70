from typing import Any

import pytest

from firnline_ingest.errors import ConfigError
from tests.ingest.transforms.making import pipeline, row


def exclude(*fields: str) -> dict[str, Any]:
    return {"type": "exclude", "fields": list(fields)}


@pytest.mark.parametrize(
    ("payload", "fields", "becomes"),
    [
        (b'{"a":1,"b":2,"c":3}', ["b"], '{"a":1,"c":3}'),
        (b'{"a":1}', ["a"], "{}"),
        (b'{"a":{"b":1,"c":1.10}}', ["a.b"], '{"a":{"c":1.10}}'),
        (b'{"a":[{"b":1,"c":2},3,{"c":4}]}', ["a[].c"], '{"a":[{"b":1},3,{}]}'),
        (b'{"a":[[{"b":1}]]}', ["a[][].b"], '{"a":[[{}]]}'),
        (b'{"a.b":1,"a":{"b":2}}', ["`a.b`"], '{"a":{"b":2}}'),
        (b'{"a`b":1}', ["`a``b`"], "{}"),
        (b'{"\\u0061":1,"b":2}', ["a"], '{"b":2}'),
        (b'{"a":1,"b":2}', ["a", "b"], "{}"),
    ],
)
def test_fields_are_left_out(payload: bytes, fields: list[str], becomes: str) -> None:
    assert row(payload, exclude(*fields)) == becomes


@pytest.mark.parametrize("field", ["c", "A", "a.b", "a[].x", "b.c.d", "b[].c"])
def test_what_is_not_there_changes_not_a_byte(field: str) -> None:
    payload = b'{"a":1.10,"\\u0062":{"x":1e999}}'
    assert row(payload, exclude(field)) == payload.decode()


def test_what_could_not_be_a_row_becomes_one() -> None:
    assert row(b'{"a":1,"A":2}', exclude("A")) == '{"a":1}'
    assert row(b'{"":1,"b":2}', exclude("x")).startswith("unusable-key: ")


def test_a_key_that_occurs_twice_is_not_left_out_once() -> None:
    assert row(b'{"a":1,"a":2,"b":3}', exclude("b")) == (
        "duplicate-key: transforms[0] (exclude): the key 'a' occurs 2 times."
    )


@pytest.mark.parametrize("fields", [[], [""], ["a."], [".a"], ["a`"], ["[]"], ["``"], ["a[]"]])
def test_what_can_t_be_declared(fields: list[str]) -> None:
    with pytest.raises(ConfigError):
        pipeline(exclude(*fields))
