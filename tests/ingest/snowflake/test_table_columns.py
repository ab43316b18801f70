"""Rows of SHOW COLUMNS as Snowflake's page has them (`sql-reference/sql/show-columns`, 2026-11-28)."""

from typing import Any

import pytest

from firnline_ingest.snowflake.table_columns import TableColumn, read_columns

ON_THE_PAGE = {
    '{"type":"FIXED","precision":38,"scale":0,"nullable":true}': "NUMBER(38,0)",
    '{"type":"REAL","nullable":true}': "FLOAT",
    '{"type":"TEXT","length":16777216,"byteLength":16777216,"nullable":true,"fixed":false}': "VARCHAR(16777216)",
    '{"type":"BINARY","length":8388608,"byteLength":8388608,"nullable":true,"fixed":true}': "BINARY(8388608)",
    '{"type":"BOOLEAN","nullable":true}': "BOOLEAN",
    '{"type":"DATE","nullable":true}': "DATE",
    '{"type":"TIME","precision":0,"scale":9,"nullable":true}': "TIME(9)",
    '{"type":"TIMESTAMP_LTZ","precision":0,"scale":9,"nullable":true}': "TIMESTAMP_LTZ(9)",
    '{"type":"VARIANT","nullable":true}': "VARIANT",
}


@pytest.mark.parametrize(("said", "type_"), ON_THE_PAGE.items())
def test_a_generic_type_is_written_as_sql_has_it(said: str, type_: str) -> None:
    assert read_columns([row(said)])["A"] == TableColumn(type_, takes_null=True)


@pytest.mark.parametrize(("null", "takes_null"), [("true", True), ("false", False), ("Y", True), ("N", False)])
def test_a_column_takes_null_unless_it_says_otherwise(null: str, takes_null: bool) -> None:
    assert read_columns([row('{"type":"DATE"}') | {"null?": null}])["A"].takes_null is takes_null


@pytest.mark.parametrize("said", ["NUMBER(38,0)", "[1]", "", None, '{"no":"type"}'])
def test_a_type_in_another_form_is_kept_as_it_is(said: str | None) -> None:
    assert read_columns([row(said)])["A"] == TableColumn(said or "", takes_null=True)


def test_a_type_that_changed_is_another_one() -> None:
    narrow, wide = (row(f'{{"type":"FIXED","precision":{digits},"scale":0}}') for digits in (10, 38))
    assert read_columns([narrow]) != read_columns([wide])


def row(said: str | None) -> dict[str, Any]:
    return {"column_name": "A", "data_type": said}
