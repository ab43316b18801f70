import pytest

from firnline_local.snowflake.catalog.errors import SqlError
from firnline_local.snowflake.catalog.types import DataType


@pytest.mark.parametrize(
    ("written", "described"),
    [
        ("array( int )", "ARRAY(NUMBER(38,0))"),
        ("OBJECT(str STRING NOT NULL, num NUMBER)", "OBJECT(str VARCHAR(16777216) NOT NULL, num NUMBER(38,0))"),
        ('OBJECT("a b" DATE, shardId BOOLEAN)', 'OBJECT("a b" DATE, shardId BOOLEAN)'),
        ("MAP(INT, OBJECT(x ARRAY(FLOAT NOT NULL) NOT NULL))", "MAP(NUMBER(38,0), OBJECT(x ARRAY(FLOAT NOT NULL) NOT NULL))"),
    ],
)  # fmt: skip # a type with how it is shown
def test_a_structured_type_is_shown_with_its_parts_and_its_keys_keep_their_case(written: str, described: str) -> None:
    assert str(DataType.parse(written)) == described
    assert DataType.parse(described) == DataType.parse(written)


@pytest.mark.parametrize(
    "written",
    [
        "MAP(FLOAT, INT)",
        "MAP(NUMBER(3,1), INT)",
        "MAP(INT)",
        "OBJECT(a INT, a INT)",
        "OBJECT(a)",
        "ARRAY(INT, INT)",
        "ARRAY()",
    ],
)
def test_what_snowflake_has_no_such_type_of_is_refused(written: str) -> None:
    with pytest.raises(SqlError):
        DataType.parse(written)


def test_iceberg_has_sizes_of_its_own_where_none_is_written() -> None:
    kind = DataType.parse("OBJECT(s VARCHAR, b BINARY, t TIMESTAMP_NTZ, exact TIMESTAMP_LTZ(9))").in_iceberg()
    shown = "OBJECT(s VARCHAR(134217728), b BINARY(67108864), t TIMESTAMP_NTZ(6), exact TIMESTAMP_LTZ(9))"
    assert str(kind) == shown
