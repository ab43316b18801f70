"""Every expression has the value that Snowflake documents for it."""

import pytest

EXPRESSIONS = {
    # conditions
    "IFF(1 > 0, 'a', 'b')": "a",
    "NVL(NULL, 'x')": "x",
    "COALESCE(NULL, 2, 3)": "2",
    "CASE 1 WHEN 1 THEN 'one' ELSE 'more' END": "one",
    "2 BETWEEN 1 AND 3 AND 4 NOT IN (1, 2)": "1",
    "1 = '1'": "1",
    "1 = '1.4'": "0",
    # text
    "UPPER('a') || LOWER('B')": "Ab",
    "'a' || NULL": None,
    "CONCAT('a', 'b', 1)": "ab1",
    "LENGTH('é')": "1",
    "TRIM('  a ')": "a",
    "SUBSTR('hello', 2, 3)": "ell",
    "SUBSTR('hello', -3)": "llo",
    "REPLACE('aba', 'a')": "b",
    "LPAD('a', 3, '0')": "00a",
    "'ABC' LIKE 'a%'": "0",
    "'ABC' ILIKE 'a%'": "1",
    # numbers
    "3::FLOAT / 2": "1.5",
    "7 % 3": "1",
    "MOD(-5, 3)": "-2",
    "0.1 + 0.2": "0.3",
    "1.5 * 1.5": "2.25",
    "ROUND(2.5)": "3",
    "ROUND(-2.5)": "-3",
    "ROUND(1.255, 2)": "1.26",
    "ABS(-5)": "5",
    "99999999999999999999999999999999999999": "99999999999999999999999999999999999999",
    # casts
    "'12'::INT": "12",
    "2.5::INT": "3",
    "3.5::FLOAT::INT": "4",
    "2.5::FLOAT::INT": "3",
    "-2.5::FLOAT::INT": "-3",
    "1.256::NUMBER(10, 2)": "1.26",
    "3000000000::INT": "3000000000",
    "TO_NUMBER('12.7')": "13",
    "TO_NUMBER('12.75', 10, 2)": "12.75",
    "'t'::BOOLEAN": "1",
    "'00ff'::BINARY": "00FF",
    # times
    "'2026-01-02'::DATE": "20455",
    "'2026-01-02 03:04:05.123456'::TIMESTAMP_NTZ": "1767323045.123456000",
    "'2026-01-02T03:04:05+02:00'::TIMESTAMP_NTZ": "1767323045.000000000",
    "'2026-01-02T03:04:05+02:00'::TIMESTAMP_LTZ": "1767315845.000000000",
    "'1969-12-31 23:59:58.5'::TIMESTAMP_NTZ": "-1.500000000",
    "'9999-12-31'::TIMESTAMP_NTZ": "253402214400.000000000",
    "'01:02:03.5'::TIME": "3723.500000000",
    "'2026-01-02 03:04:05.6789'::TIMESTAMP_NTZ::VARCHAR": "2026-01-02 03:04:05.678",
    "'2026-01-02T03:04:05Z'::TIMESTAMP_LTZ::VARCHAR": "2026-01-02 03:04:05.000 +0000",
    "'2026-01-02'::DATE::VARCHAR": "2026-01-02",
    "'01:02:03.5'::TIME::VARCHAR": "01:02:03",
    "LENGTH('2026-01-02'::TIMESTAMP_NTZ)": "23",
    # semi-structured
    "PARSE_JSON('{\"a\": 1}')": '{"a": 1}',
    "OBJECT_CONSTRUCT('a', 1, 'B', NULL, 'c', 'x')": '{"a":1,"c":"x"}',
    "ARRAY_CONSTRUCT(1, 'x', TRUE)": '[1,"x",true]',
    "'x'::VARIANT": '"x"',
    "PARSE_JSON('\"x\"')::VARCHAR": "x",
    "PARSE_JSON('\"12\"')::NUMBER": "12",
    "PARSE_JSON('99999999999999999999999999999999999999')::NUMBER": "99999999999999999999999999999999999999",
    "PARSE_JSON('1')::ARRAY": "[1]",
}


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
