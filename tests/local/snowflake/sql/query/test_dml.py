"""INSERT, UPDATE and DELETE: what goes where, what is counted, and that it is all or nothing."""

import pytest

from firnline_local.snowflake.sql.result import StatementType


@pytest.fixture
def table(sql):
    sql("CREATE TABLE t (id INT NOT NULL, name VARCHAR(5), v VARIANT, o OBJECT, n NUMBER(5, 1)) ROW_TIMESTAMP = TRUE")
    return sql


def test_rows_are_inserted_from_values_and_from_queries(table) -> None:
    result = table("INSERT INTO t (id, name) VALUES (1, 'a'), (2, NULL)")
    assert ([column.name for column in result.columns], list(result.rows), result.type) == (
        ["number of rows inserted"],
        [("2",)],
        StatementType.INSERT,
    )
    table("INSERT INTO t SELECT id + 10, name, PARSE_JSON('[1]'), OBJECT_CONSTRUCT('a', id), 1.26 FROM t")
    table("INSERT INTO t (n, id) WITH x AS (SELECT 5 AS five) SELECT '2.5', five FROM x")

    assert table.rows("SELECT id, name, v, o, n FROM t ORDER BY id") == [
        ("1", "a", None, None, None),
        ("2", None, None, None, None),
        ("5", None, None, None, "2.5"),
        ("11", "a", "[1]", '{"a":1}', "1.3"),
        ("12", None, "[1]", '{"a":2}', "1.3"),
    ]


def test_updates_count_rows(table) -> None:
    table("INSERT INTO t (id, name) VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    result = table("UPDATE t SET name = name || '!', n = id * 0.5 WHERE id > 1")
    assert [column.name for column in result.columns] == [
        "number of rows updated",
        "number of multi-joined rows updated",
    ]
    assert list(result.rows) == [("2", "0")]
    table("UPDATE t AS x SET name = 'one' WHERE x.id IN (SELECT MIN(id) FROM t)")

    assert table.rows("SELECT id, name, n FROM t ORDER BY id") == [
        ("1", "one", None),
        ("2", "b!", "1.0"),
        ("3", "c!", "1.5"),
    ]


def test_rows_are_deleted(table) -> None:
    table("INSERT INTO t (id) VALUES (1), (2), (3)")

    assert list(table("DELETE FROM t WHERE id = 1").rows) == [("1",)]
    assert list(table("DELETE FROM t").rows) == [("2",)]


def test_the_commit_time_moves_with_the_rows_that_change(table, clock) -> None:
    table("INSERT INTO t (id) VALUES (1), (2)")
    clock.advance(hours=1)
    table("UPDATE t SET name = 'x' WHERE id = 2")

    assert table.rows("SELECT METADATA$ROW_LAST_COMMIT_TIME::VARCHAR FROM t ORDER BY id") == [
        ("2026-01-01 12:00:00.000 +0000",),
        ("2026-01-01 13:00:00.000 +0000",),
    ]


@pytest.mark.parametrize(
    ("statement", "code", "message"),
    [
        ("INSERT INTO t (id, name) VALUES (1)", "002140", "expecting 2 but got 1"),
        ("INSERT INTO t (id, nope) VALUES (1, 2)", "000904", "'NOPE'"),
        ("INSERT INTO t (id) VALUES (9), (NULL)", "100072", "NULL result in a non-nullable column"),
        ("INSERT INTO t (id, name) VALUES (9, 'a'), (1, 'longer')", "100078", "String 'longer' is too long"),
        ("INSERT INTO t (id, n) VALUES (9, 99999)", "100132", "out of representable range"),
        ("INSERT INTO t (id) VALUES ('x')", "100038", "Numeric value 'x' is not recognized"),
        ("INSERT INTO t (id, v) VALUES (9, 'x')", "002140", "expecting VARIANT but got VARCHAR"),
        ("INSERT INTO t (id, v) SELECT 9, 5", "002140", "expecting VARIANT but got NUMBER"),
        ("INSERT INTO t (id, o) SELECT 9, PARSE_JSON('{}')", "002140", "expecting OBJECT but got VARIANT"),
        (
            "INSERT INTO t (id, v) VALUES (9, PARSE_JSON('{}'))",
            "002140",
            "Invalid expression [PARSE_JSON('{}')] in VALUES",
        ),
        ("UPDATE t SET id = NULL", "100072", "NULL result in a non-nullable column"),
        ("UPDATE t SET name = 'longer'", "100078", "too long"),
        ("DELETE FROM t WHERE nope = 1", "000904", "'NOPE'"),
        ("INSERT INTO nope VALUES (1)", "002003", "does not exist or not authorized"),
        ("UPDATE t SET name = s.column1 FROM (VALUES ('b')) s", "000002", "UPDATE … FROM"),
        (
            "INSERT INTO t (id) SELECT COUNT(*) FROM TABLE(SNOWFLAKE.INFORMATION_SCHEMA.POLICY_REFERENCES("
            "REF_ENTITY_NAME => 'FIRNLINE_ADMIN', REF_ENTITY_DOMAIN => 'USER'))",
            "000002",
            "POLICY_REFERENCES and COPY_HISTORY in DML",
        ),
        ("DELETE FROM t USING (VALUES (1)) s WHERE t.id = s.column1", "000002", "DELETE … USING"),
    ],
)
def test_what_does_not_fit_changes_nothing(table, statement: str, code: str, message: str) -> None:
    table("INSERT INTO t (id, name) VALUES (1, 'a')")
    error = table.refusal(statement)

    assert (error.code, message in error.message) == (code, True), error.message
    assert table.rows("SELECT id, name FROM t") == [("1", "a")]


def test_a_variant_goes_into_other_columns_as_what_it_holds(table) -> None:
    table(
        'INSERT INTO t (id, name, n) SELECT v:a, v:b, v:c FROM (SELECT PARSE_JSON(\'{"a": 7, "b": "x", "c": 1.26}\') AS v)'
    )

    assert table.rows("SELECT id, name, n FROM t") == [("7", "x", "1.3")]
