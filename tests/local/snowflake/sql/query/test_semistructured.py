"""Paths into VARIANTs, and what a VARIANT may not be used for without a cast."""

import pytest

DOCUMENT = (
    '{"a": {"B": [1, "x", null]}, "n": null, "k": "z", "items": [{"id": 1}, {"id": 2}], "big": 12345678901234567890}'
)


@pytest.fixture
def document(sql):
    sql.run("CREATE TABLE t (id INT, v VARIANT, o OBJECT, a ARRAY)")
    sql(f"INSERT INTO t SELECT 1, PARSE_JSON('{DOCUMENT}'), OBJECT_CONSTRUCT('x', 1), ARRAY_CONSTRUCT(1, 'y')")
    sql("INSERT INTO t (id) VALUES (2)")
    return sql


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("v:a.B[1]", '"x"'),
        ("v:a.B[1]::STRING", "x"),
        ("v:a.b[1]", None),  # keys keep their case
        ("v:A", None),
        ("v['a']['B'][0]::INT", "1"),
        ("v:items[1]:id", "2"),
        ('v:"items"[1]."id"::NUMBER', "2"),
        ("v:big::NUMBER", "12345678901234567890"),
        ("v:n", "null"),
        ("v:n IS NULL", "0"),
        ("v:n::STRING IS NULL", "1"),
        ("v:nothing IS NULL", "1"),
        ("v:k = 'z'", "1"),
        ("v:k IN ('y', 'z')", "1"),
        ("o:x", "1"),
        ("a[1]::VARCHAR", "y"),
        ("o", '{"x":1}'),
        ("COALESCE(v:nothing::VARCHAR, 'none')", "none"),
        ("COUNT(DISTINCT v:k::STRING)", "1"),
    ],
)
def test_a_path_leads_where_snowflake_leads_it(document, path: str, value: str | None) -> None:
    assert document.value(f"SELECT {path} FROM t WHERE id = 1") == value


def test_a_path_through_null_is_null(document) -> None:
    assert document.rows("SELECT v:a, o:x::INT, a[0] FROM t WHERE id = 2") == [(None, None, None)]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT v FROM t ORDER BY v",
        "SELECT v:k FROM t GROUP BY v:k",
        "SELECT DISTINCT v FROM t",
        "SELECT MAX(v:big) FROM t",
        "SELECT v:big + 1 FROM t",
        "SELECT v:big > 1 FROM t",
        "SELECT v:big = 1 FROM t",
        "SELECT v:k || 'x' FROM t",
        "SELECT UPPER(v:k) FROM t",
        "SELECT v:k LIKE 'z' FROM t",
        "SELECT COALESCE(v:k, 'x') FROM t",
        "SELECT x.k FROM (SELECT v:k AS k FROM t) x ORDER BY x.k",
        "SELECT v FROM t UNION SELECT v FROM t",
        "SELECT f.value FROM t, LATERAL FLATTEN(INPUT => v:items) f",
        "SELECT f.value FROM t, TABLE(FLATTEN(v:items)) f",
        "SELECT TYPEOF(v) FROM t",
        "SELECT ARRAY_SIZE(v:items) FROM t",
        "SELECT id FROM t WHERE v:k",
    ],
)
def test_what_json_text_would_get_wrong_is_refused_by_name(document, query: str) -> None:
    assert "[FL-6040]" in document.refusal(query).message
