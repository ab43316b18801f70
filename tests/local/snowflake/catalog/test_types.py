"""Every spelling of a type becomes the canonical one."""

import pytest

from firnline_local.snowflake.catalog import DataType
from firnline_local.snowflake.catalog.errors import CompilationFault, NotKnown


@pytest.mark.parametrize(
    ("spelling", "canonical", "duckdb"),
    [
        ("number", "NUMBER(38,0)", "DECIMAL(38,0)"),
        ("decimal(10, 2)", "NUMBER(10,2)", "DECIMAL(10,2)"),
        ("bigint", "NUMBER(38,0)", "DECIMAL(38,0)"),
        ("double precision", "FLOAT", "DOUBLE"),
        ("string", "VARCHAR(16777216)", "VARCHAR"),
        ("varchar(64)", "VARCHAR(64)", "VARCHAR"),
        ("char", "VARCHAR(1)", "VARCHAR"),
        ("binary", "BINARY(8388608)", "BLOB"),
        ("boolean", "BOOLEAN", "BOOLEAN"),
        ("time", "TIME(9)", "TIME"),
        ("datetime", "TIMESTAMP_NTZ(9)", "TIMESTAMP"),
        ("timestamp", "TIMESTAMP_NTZ(9)", "TIMESTAMP"),
        ("timestamp with  time zone", "TIMESTAMP_TZ(9)", "TIMESTAMPTZ"),
        ("timestamp_ltz(3)", "TIMESTAMP_LTZ(3)", "TIMESTAMPTZ"),
        ("variant", "VARIANT", "JSON"),
        ("object", "OBJECT", "JSON"),
        ("array", "ARRAY", "JSON"),
    ],
)
def test_a_type_has_one_canonical_form(spelling: str, canonical: str, duckdb: str) -> None:
    kind = DataType.parse(spelling)

    assert (str(kind), kind.duckdb) == (canonical, duckdb)
    assert DataType.parse(str(kind)) == kind


@pytest.mark.parametrize("spelling", ["geography", "object(a money)", "vector(float, 3)", "map", "int[]"])
def test_a_type_that_is_not_known_is_refused_by_name(spelling: str) -> None:
    with pytest.raises(NotKnown, match=r"FL-6040.*the type"):
        DataType.parse(spelling)


@pytest.mark.parametrize("spelling", ["number(39)", "number(10,11)", "varchar(134217729)", "timestamp_ntz(10)"])
def test_a_size_beyond_snowflakes_is_refused(spelling: str) -> None:
    with pytest.raises(CompilationFault):
        DataType.parse(spelling)
