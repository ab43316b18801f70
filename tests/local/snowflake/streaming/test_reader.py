"""NDJSON into rows: matching by name, and what becomes of rows that don't fit."""

import base64
import json

import pytest

from firnline_local.snowflake.catalog import Column, DataType, Default
from firnline_local.snowflake.streaming.reader import Batch, JsonKind, RowReader


def column(name: str, column_type: str = "VARCHAR", *, nullable: bool = True, default: str | None = None) -> Column:
    given = Default(text=default, expression=default) if default else None
    return Column(name=name, type=DataType.parse(column_type), nullable=nullable, default=given)


def read(columns: list[Column], *lines: object, match_case: bool = False, evolves: bool = False) -> Batch:
    payload = b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines)
    return RowReader(columns, match_case=match_case, evolves=evolves).read(payload)


def test_keys_match_columns_whatever_their_case() -> None:
    batch = read([column("ID"), column("Mixed Name")], {"id": "a", "MIXED NAME": "b"})

    assert batch.rows == [{"ID": "a", "Mixed Name": "b"}]


def test_a_pipe_that_matches_case_takes_only_exact_keys() -> None:
    batch = read([column("ID"), column("name")], {"id": "a", "name": "b"}, match_case=True)

    assert batch.rows == [{"name": "b"}]


def test_keys_without_a_column_are_ignored_and_columns_without_a_key_are_left_out() -> None:
    batch = read([column("A"), column("B")], {"a": "1", "other": 2})

    assert batch.rows == [{"A": "1"}]
    assert not batch.errors


def test_rows_keep_their_order_and_a_bad_one_stops_none() -> None:
    batch = read([column("N", "NUMBER")], {"n": 1}, {"n": "x"}, {"n": 3})

    assert batch.rows == [{"N": 1}, {"N": 3}]
    (error,) = batch.errors
    assert (error.code, error.column, error.content_type) == ("100038", "N", "json")
    assert json.loads(error.payload) == {"n": "x"}


def test_line_ends_may_be_of_either_kind_and_empty_lines_are_no_rows() -> None:
    assert read([column("A")], b'{"a":"1"}\r', b"", b"\r", b'{"a":"2"}', b"").rows == [{"A": "1"}, {"A": "2"}]


@pytest.mark.parametrize(
    "line", [b"{", b"[1]", b"12", b'{"a":NaN}', b'{"a":1}}', b'{"a":' + b"[" * 5000 + b"]" * 5000 + b"}"]
)
def test_a_line_that_is_no_json_object_is_an_error_row(line: bytes) -> None:
    batch = read([column("A")], line, {"a": "fine"})

    (error,) = batch.errors
    assert (error.code, error.content_type, error.payload) == ("100069", "json-invalid", line.decode())
    assert batch.rows == [{"A": "fine"}]


@pytest.mark.parametrize("line", [b'{"a":"\xff"}', b'{"a":{"deep":"\xff"}}', b'{"ignored":"\xff"}'])
def test_bytes_that_are_no_utf8_are_an_error_row_in_base64_wherever_they_are(line: bytes) -> None:
    (error,) = read([column("A", "VARIANT")], line).errors

    assert error.content_type == "binary-base64"
    assert base64.b64decode(error.payload) == line


def test_null_is_no_value_except_in_a_variant() -> None:
    batch = read([column("A"), column("V", "VARIANT"), column("O", "OBJECT")], {"a": None, "v": None, "o": None})

    assert batch.rows == [{"A": None, "V": "null", "O": None}]


def test_a_required_column_refuses_null_and_absence() -> None:
    required = column("A", nullable=False)
    batch = read([required, column("B")], {"a": None}, {"b": "x"}, {"a": "y"})

    assert batch.rows == [{"A": "y"}]
    assert [(error.code, error.column) for error in batch.errors] == [("100072", "A")] * 2


def test_a_required_column_with_a_default_may_be_absent() -> None:
    batch = read([column("A", nullable=False, default="'x'"), column("B")], {"b": "1"})

    assert batch.rows == [{"B": "1"}]


def test_two_keys_for_one_column_are_an_error_row() -> None:
    batch = read([column("A")], b'{"a":"1","A":"2"}')

    assert not batch.rows
    assert "More than one key" in batch.errors[0].message


def test_where_the_table_evolves_unknown_keys_and_omitted_columns_are_reported_instead() -> None:
    batch = read([column("A", nullable=False)], {"new": 1}, {"a": "x", "new": "y", "other": []}, evolves=True)

    assert batch.wants_evolution
    assert batch.unknown == {"new": {JsonKind.INTEGER, JsonKind.TEXT}, "other": {JsonKind.ARRAY}}
    assert batch.omitted == {"A"}
    assert not batch.errors


def test_where_the_table_evolves_a_null_in_a_required_column_is_still_an_error_row() -> None:
    batch = read([column("A", nullable=False)], {"a": None}, evolves=True)

    assert not batch.wants_evolution
    assert batch.errors[0].code == "100072"
