"""Every expression has the value that Snowflake documents for it."""

import pytest

from tests.local.snowflake.sql.query.expressions import EXPRESSIONS


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_expression_has_the_value_that_snowflake_gives_it(sql, expression: str) -> None:
    assert sql.value(f"SELECT {expression}") == EXPRESSIONS[expression]


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("COUNT(*)", "NUMBER(38,0)"),
        ("SUM(1.5)", "NUMBER(38,1)"),
        ("AVG(1::FLOAT)", "FLOAT"),
        ("1::FLOAT", "FLOAT"),
        ("'x'", "VARCHAR(16777216)"),
        ("TRUE", "BOOLEAN"),
        ("'2026-01-01'::TIMESTAMP_TZ", "TIMESTAMP_TZ(9)"),
        ("PARSE_JSON('{}')", "VARIANT"),
        ("OBJECT_CONSTRUCT('a', 1)", "OBJECT"),
        ("ARRAY_CONSTRUCT(1)", "ARRAY"),
        ("NULL", "VARCHAR(16777216)"),
    ],
)
def test_an_expression_has_the_type_that_snowflake_gives_it(sql, expression: str, kind: str) -> None:
    assert sql.types(f"SELECT {expression}") == [kind]


@pytest.mark.parametrize(
    ("expression", "code", "message"),
    [
        ("1::FLOAT / 0", "100051", "Division by zero"),
        ("1 % 0", "100051", "Division by zero"),
        ("'x'::INT", "100038", "Numeric value 'x' is not recognized"),
        ("1 = 'x'", "100038", "Numeric value 'x' is not recognized"),
        ("'x'::DATE", "100035", "Timestamp 'x' is not recognized"),
        ("'x'::BOOLEAN", "100037", "Boolean value 'x' is not recognized"),
        ("'abc'::VARCHAR(2)", "100078", "String 'abc' is too long and would be truncated"),
        ("PARSE_JSON('{')", "100069", "Error parsing JSON"),
        ("PARSE_JSON('[1]')::OBJECT", "100071", "Failed to cast variant value [1] to OBJECT"),
        ("99999999999999999999999999999999999999 + 1", "100132", "Number out of representable range"),
        ("99999999999999999999999999999999999999::NUMBER(38, 0) * 10", "100132", "Number out of representable range"),
        ("999999999999999999999999999999999999999", "000002", "BIGNUM"),
        ("1.5::FLOAT::VARCHAR", "000002", "[FL-6042] FLOAT as text"),
        ("'x' || 1.5::FLOAT", "000002", "[FL-6042] FLOAT as text"),
        ("1 / 3", "000002", "1 / 3, which would be an exact number: cast to FLOAT"),
        ("AVG(1)", "000002", "AVG(1), which would be an exact number"),
        ("TO_NUMBER('1', '99')", "000002", "only TO_NUMBER without a format"),
        ("TRY_TO_NUMBER('1')", "000002", "only TO_NUMBER without a format"),
        ("TRY_CAST('x' AS INT)", "000002", "the function TRY_CAST"),
        ("TRY_PARSE_JSON('{')", "000002", "TRY_PARSE_JSON"),
        ("DATEADD(DAY, 1, '2026-01-31'::DATE)", "000002", "the function DATEADD"),
        ("CURRENT_DATE()", "000002", "the function CURRENT_DATE"),
        ("HASH(1)", "000002", "the function HASH"),
        ("MEDIAN(1)", "000002", "the function MEDIAN"),
        ("LAST_VALUE(1) OVER (ORDER BY 1)", "000002", "the function LAST_VALUE"),
    ],
)
def test_a_value_that_can_not_be_right_is_an_error(sql, expression: str, code: str, message: str) -> None:
    error = sql.refusal(f"SELECT {expression}")

    assert error.code == code
    assert message in error.message


@pytest.mark.parametrize(
    "call",
    [
        "LCASE('a')",
        "CHAR_LENGTH('a')",
        "IF(TRUE, 1)",
        "JSON_EXTRACT('{}', 'a')",
        "STRUCT(1)",
        "NOW()",
        "STRFTIME('a', 'b')",
    ],
)
def test_a_name_of_another_database_is_refused_whatever_the_function_does(sql, call):
    assert f"the function {call.partition('(')[0]}" in sql.refusal(f"SELECT {call}").message
