"""From NDJSON to rows, as the store takes them, by name and by SELECT; and what a table gains by keys that it does not know."""

import base64
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firnline_local.snowflake.catalog import Column, DataType, Default
from firnline_local.snowflake.catalog.tables import PipeColumn
from firnline_local.snowflake.streaming.reader import (
    MAX_NEW_COLUMNS,
    Batch,
    EvolutionRefused,
    JsonKind,
    RowReader,
    TransformedReader,
    kind_of,
    new_columns,
)


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


Account = Any  # of conftest.py

TYPES = {
    "V": "VARIANT", "S": "VARCHAR(20)", "N": "NUMBER(10,3)", "F": "FLOAT", "O": "OBJECT", "A": "ARRAY", "T": "TIMESTAMP_NTZ",
    "Z": "TIMESTAMP_TZ", "D": "DATE", "I": "TIME", "B": "BOOLEAN", "X": "BINARY",
}  # fmt: skip # a paragraph, not a column
LITERALS = st.sampled_from(
    [
        rb'"\ud83d\ude00"', rb'"\ud800"', rb'"\u0000"', b'"aGk="', b'"2026-02-30"', b'"0001-01-01T00:00:00+23:59"', b'"24:00"',
        b'"9999-12-31T23:59:59-10:00"', b"253402300800", b"9999999.9995", b"1e400", b"-0.0005", b"[" * 900 + b"]" * 900,
    ]
)  # fmt: skip # a paragraph, not a column
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
).map(lambda value: json.dumps(value).encode())


@given(
    values=st.dictionaries(
        st.sampled_from(sorted(TYPES)), LITERALS | JSON_VALUES | st.binary(max_size=8), min_size=1, max_size=4
    )
)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_rows_that_the_reader_gives_are_rows_that_the_store_takes(account: Account, values: dict[str, bytes]) -> None:
    table = account.table("ANY", *(f"{name} {kind}" for name, kind in TYPES.items()), replace=True)
    line = b"{" + b",".join(b'"%s":%s' % (name.encode(), value) for name, value in values.items()) + b"}"
    batch = RowReader(table.columns).read(line)

    account.catalog.insert_rows(table, batch.rows, committed_at=account.clocks.wall)
    assert len(account.rows(table)) == len(batch.rows)
    assert batch.rows or batch.errors or not line.strip()


COLUMNS = [
    Column(name="N", type=DataType.parse("NUMBER")),
    Column(name="TEXT", type=DataType.parse("VARCHAR"), nullable=False),
    Column(name="WHOLE", type=DataType.parse("VARIANT")),
]
READER = TransformedReader(COLUMNS, [PipeColumn("N", ("a", "b")), PipeColumn("TEXT", ("t",)), PipeColumn("WHOLE", ())])


def test_paths_lead_to_values_and_nothing_is_matched_by_name() -> None:
    batch = READER.read(b'{"a": {"b": 7}, "t": "x", "N": 9, "extra": 1}\n')
    assert batch.rows == [{"N": 7, "TEXT": "x", "WHOLE": '{"a": {"b": 7}, "t": "x", "N": 9, "extra": 1}'}]
    assert not batch.wants_evolution


def test_a_path_that_leads_nowhere_is_null() -> None:
    batch = READER.read(b'{"t": "x"}\n{"a": 5, "t": "y"}\n{"a": {"b": null}, "t": "z"}\n')
    assert [row["N"] for row in batch.rows] == [None, None, None]


def test_a_bad_row_is_set_aside_and_the_others_go_in() -> None:
    batch = READER.read(b'{"a": {"b": "seven"}, "t": "x"}\n{}\nnonsense\n{"t": "x"}\n')
    assert [error.column for error in batch.errors] == ["N", "TEXT", ""]
    assert len(batch.rows) == 1


def seen(*values: str) -> set[JsonKind]:
    return {kind_of(value.encode()) for value in values}


@pytest.mark.parametrize(
    ("values", "column_type"),
    [
        (['"text"', '"2026-01-01T00:00:00Z"'], "VARCHAR(16777216)"),
        (["1", "-20"], "NUMBER(38,0)"),
        (["1.5"], "FLOAT"),
        (["1", "2e3"], "FLOAT"),
        (["true", "false", "null"], "BOOLEAN"),
        (["null"], "VARCHAR(16777216)"),
        (['{"a":1}', "null"], "VARIANT"),
        (["[1]"], "VARIANT"),
        (["1", "[1]"], "VARIANT"),
        (["1", '"x"'], "VARCHAR(16777216)"),
        (["true", "1.5"], "VARCHAR(16777216)"),
    ],
)
def test_a_new_column_takes_every_value_that_was_seen(values: list[str], column_type: str) -> None:
    ((name, found),) = new_columns({"price": seen(*values)})

    assert (name, str(found)) == ("PRICE", column_type)


def test_columns_come_in_the_order_their_keys_were_seen_and_ignore_case() -> None:
    columns = new_columns({"b": seen("1"), "a": seen('"x"'), "B": seen("1.5")})

    assert [(name, found.family) for name, found in columns] == [("B", "FLOAT"), ("A", "VARCHAR")]


def test_where_case_is_matched_a_column_is_called_exactly_as_its_key() -> None:
    assert [name for name, _ in new_columns({"Price": seen("1")}, match_case=True)] == ["Price"]


@pytest.mark.parametrize("key", ["", "x" * 256, "a\nb"])
def test_a_key_that_can_be_no_column_is_refused(key: str) -> None:
    with pytest.raises(EvolutionRefused, match="not a valid column name"):
        new_columns({key: seen("1")})


def test_one_batch_may_add_a_hundred_columns_and_no_more() -> None:
    keys = {f"k{number}": seen("1") for number in range(MAX_NEW_COLUMNS)}
    assert len(new_columns(keys)) == MAX_NEW_COLUMNS

    with pytest.raises(EvolutionRefused, match="101 columns"):
        new_columns(keys | {"one_more": seen("1")})
