from typing import Any

import pytest

from firnline_ingest.errors import ConfigError
from tests.ingest.transforms.making import made, pipeline, values

RECORDS = {
    "text": b'{"k":"audit"}',
    "other": b'{"k":"Audit"}',
    "one": b'{"k":1}',
    "1.0": b'{"k":1.0}',
    "true": b'{"k":true}',
    "null": b'{"k":null}',
    "object": b'{"k":{"k":1}}',
    "huge": b'{"k":1e999999999}',
    "absent": b'{"K":1}',
}


def kept(**condition: Any) -> set[str]:
    rows = made(list(RECORDS.values()), {"type": "filter", "field": "k", **condition})
    assert rows.left_out == {"filtered": len(RECORDS) - len(rows.rows)} or len(rows.rows) == len(RECORDS)
    return {name for index, name in enumerate(RECORDS) if index in rows.indexes}


@pytest.mark.parametrize(
    ("condition", "matching"),
    [
        ({"exists": True}, set(RECORDS) - {"absent"}),
        ({"exists": False}, {"absent"}),
        ({"one_of": ["audit"]}, {"text"}),
        ({"one_of": [1]}, {"one", "1.0"}),
        ({"one_of": [True]}, {"true"}),
        ({"one_of": [None, "x"]}, {"null"}),
        ({"starts_with": "Au"}, {"other"}),
    ],
)
def test_records_that_match_are_left_out_or_kept_alone(condition: dict[str, Any], matching: set[str]) -> None:
    assert kept(**condition) == set(RECORDS) - matching
    assert kept(**condition, keep=True) == matching


def test_below_the_first_level_and_in_what_is_no_object() -> None:
    where = {"type": "filter", "field": "a.b", "exists": True, "keep": True}
    rows = made([b'{"a":{"b":1}}', b'{"a":[1]}', b"{}"], where)
    assert (list(rows.indexes), dict(rows.left_out)) == ([0], {"filtered": 2})


def test_of_a_record_of_several_rows_some_are_left_out() -> None:
    where = {"type": "filter", "field": "n", "one_of": [1, 3], "keep": True}
    lines = [b'{"n":0}\n{"n":1}\n{"n":2}\n{"n":3}', b'{"n":0}\n{"n":2}', b'{"n":3}']
    rows = made(lines, where, format={"type": "json_lines"})
    assert [(each["n"], each["KINESISMETADATA"]["row"]) for each in values(rows)] == [(1, 0), (3, 1), (3, 0)]
    assert (list(rows.indexes), dict(rows.left_out), rows.taken) == ([0, 0, 2], {"filtered": 1}, 3)


def test_a_record_with_a_line_that_is_none_is_a_letter_whatever_is_left_out() -> None:
    where = {"type": "filter", "field": "n", "exists": True}
    rows = made([b'{"n":0}\nno'], where, format={"type": "json_lines"})
    assert (len(rows.rejected), rows.left_out.total()) == (1, 0)


@pytest.mark.parametrize("condition", [{}, {"exists": True, "one_of": [1]}, {"one_of": []}, {"one_of": [1.5]}])
def test_what_can_t_be_declared(condition: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        pipeline({"type": "filter", "field": "k", **condition})


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (b'{"n":{}}\n{"n":1}', "row 1: transforms[0] (insert): n is not an object."),
        (b'{"n":{}}\n{"n":{},"N":1}', "row 1: the keys 'n' and 'N' are one column: names match whatever their case."),
        (b'{"n":{}}\n{oops', "line 2: "),
    ],
)
def test_what_is_wrong_with_one_of_several_rows_names_it(lines: bytes, told: str) -> None:
    rows = made([lines], {"type": "insert", "field": "n.x", "value": 1}, format={"type": "json_lines"})
    assert rows.rejected[0].detail.startswith(told)
