"""Tests of what is known is answered, what is not is refused by name."""

import pytest

from firnline_local.snowflake.sql.statement import tokenize


@pytest.mark.parametrize(
    "statement",
    [
        "BEGIN",
        "CALL p()",
        "COPY INTO t FROM @s",
        "CREATE DATABASE ROLE r",
        "CREATE OR ALTER TABLE t (a INT)",
        "CREATE STAGE s URL = 's3://b/'",
        "CREATE STAGE s DIRECTORY = (ENABLE = TRUE)",
        "CREATE TABLE t AS SELECT 1 AS a",
        "CREATE TABLE t (a INT) TAG (x = 'y')",
        "CREATE TABLE u CLONE t",
        "CREATE TAG v",
        "DROP TABLE t PURGE",
        "EXECUTE IMMEDIATE 'SELECT 1'",
        "EXPLAIN SELECT 1",
        "GRANT USAGE ON DATABASE db TO DATABASE ROLE r",
        "INSERT OVERWRITE INTO t SELECT 1",
        "MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN DELETE",
        "SELECT * FROM TABLE(RESULT_SCAN('x'))",
        "SELECT * FROM t AT(OFFSET => -60)",
        "SELECT * FROM t SAMPLE (10)",
        "SELECT LISTAGG(a) FROM t WHERE TRUE",
        "SELECT a_function_of_theirs(1)",
        "ALTER SESSION SET QUERY_TAG = 'x'",
        "DESCRIBE WAREHOUSE COMPUTE_WH",
        "SHOW GRANTS",
        "SHOW TABLES IN SCHEMA",
        "USE db",
        "ALTER TABLE t DROP COLUMN IF EXISTS a",
        "SHOW PARAMETERS",
        "SHOW TABLES STARTS WITH 'x'",
        "SHOW TABLES STARTS WITH 'a'",
        "SHOW TERSE TABLES",
        "SELECT $1",
        "GET @s 'file:///tmp/'",
        "SHOW TABLES HISTORY",
        "USE SECONDARY ROLES ALL",
    ],
)
def test_a_statement_that_is_not_known_is_refused_by_name(sql, statement: str) -> None:
    sql("CREATE TABLE t_real (a INT)")
    refusal = sql.refusal(statement.replace(" t ", " t_real "))

    assert (refusal.code, refusal.sql_state) == ("000002", "0A000")
    assert "[FL-6040] The embedded Snowflake does not know: " in refusal.message


def test_a_semicolon_and_comments_around_a_statement_are_fine(sql) -> None:
    assert sql.value("-- first\nSELECT 1; -- last") == "1"
    assert sql.rows('SHOW ROLES LIKE \'SYSADMIN\' --terraform_provider_usage_tracking {"a":"b"}')


@pytest.mark.parametrize(("statement", "message"), [("SELECT 1; SELECT 2", "statement count 2"), (" ", "Empty SQL")])
def test_exactly_one_statement_is_run(sql, statement: str, message: str) -> None:
    assert message in sql.refusal(statement).message


def test_a_syntax_error_says_where(sql) -> None:
    error = sql.refusal("CREATE TABLE t a INT")

    assert (error.code, error.message) == (
        "001003",
        "SQL compilation error:\nsyntax error line 1 at position 15 unexpected 'a'.",
    )
    assert sql.refusal("SELECT * FRM t").code == "001003"


def test_every_statement_commits_by_itself_so_commit_has_nothing_to_do(sql) -> None:
    sql("COMMIT")
    sql("ROLLBACK")


def test_describing_a_statement_does_not_run_it(sql, catalog) -> None:
    from firnline_local.snowflake.sql.execute import execute
    from firnline_local.snowflake.sql.scope import Context

    sql("CREATE TABLE t (a NUMBER(5,2))")
    context = Context(catalog, sql.session, catalog.clock(), "q")
    described = execute(context, "SELECT a FROM t", describe_only=True)
    execute(context, "DROP TABLE t", describe_only=True)

    assert ([str(column.type) for column in described.columns], described.rows) == (["NUMBER(5,2)"], [])
    assert sql.value("SELECT COUNT(*) FROM t") == "0"


@pytest.mark.parametrize("text", ["SELECT 1 + 1, 'x'", "SHOW TABLES", "CREATE SCHEMA s", "INSERT INTO t VALUES (1)"])
def test_a_statement_is_tokenised_once(sql, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    sql("CREATE TABLE t (a INT)")
    cut: list[str] = []
    monkeypatch.setattr(
        "firnline_local.snowflake.sql.statement.tokenize", lambda source: cut.append(source) or tokenize(source)
    )
    sql(text)

    assert cut == [text]
