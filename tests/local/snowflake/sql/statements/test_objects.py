"""Databases, schemas, roles, warehouses, pipes: made, altered, dropped, brought back."""

import pytest


def names(sql, show: str) -> list[str | None]:
    return [row["name"] for row in sql.table(show)]


def test_a_database_and_a_schema_keep_their_settings_and_schemas_inherit(sql) -> None:
    sql("CREATE TRANSIENT DATABASE d DATA_RETENTION_TIME_IN_DAYS = 2, COMMENT = 'one'")
    sql("CREATE SCHEMA d.\"Raw\" WITH MANAGED ACCESS COMMENT = 'two' LOG_EVENT_LEVEL = INFO")
    (database,) = sql.table("SHOW DATABASES LIKE 'd'")
    (schema,) = sql.table("SHOW SCHEMAS LIKE 'raw' IN DATABASE d")
    parameters = {row["key"]: row for row in sql.table('SHOW PARAMETERS IN SCHEMA d."Raw"')}

    assert [database[key] for key in ("options", "retention_time", "comment")] == ["TRANSIENT", "2", "one"]
    assert [schema[key] for key in ("name", "options", "retention_time")] == ["Raw", "MANAGED ACCESS", "2"]
    assert [parameters["DATA_RETENTION_TIME_IN_DAYS"][key] for key in ("value", "level")] == ["2", "DATABASE"]
    assert [parameters["LOG_EVENT_LEVEL"][key] for key in ("value", "level")] == ["INFO", "SCHEMA"]

    sql.run("ALTER DATABASE d SET DATA_RETENTION_TIME_IN_DAYS = 5", 'ALTER SCHEMA d."Raw" DISABLE MANAGED ACCESS')
    sql.run('ALTER SCHEMA d."Raw" UNSET COMMENT, LOG_EVENT_LEVEL', "ALTER DATABASE d RENAME TO e")
    (schema,) = sql.table("SHOW SCHEMAS LIKE 'raw' IN DATABASE e")
    assert [schema[key] for key in ("options", "retention_time", "comment")] == ["", "5", ""]


def test_dropping_answers_as_snowflake_does(sql) -> None:
    sql("CREATE SCHEMA s")

    assert sql.value("DROP SCHEMA s CASCADE") == "S successfully dropped."
    assert sql.value("DROP SCHEMA IF EXISTS s") == "Drop statement executed successfully (S already dropped)."
    assert sql.refusal("DROP SCHEMA s").message == (
        "SQL compilation error:\nSchema 'DB.S' does not exist or not authorized."
    )


def test_a_dropped_schema_comes_back_with_its_tables_and_their_rows(sql) -> None:
    sql.run("CREATE SCHEMA s", "CREATE TABLE s.t (a INT)", "INSERT INTO s.t VALUES (7)", "DROP SCHEMA s")
    assert sql.refusal("SELECT * FROM db.s.t").code == "002003"

    sql("UNDROP SCHEMA s")
    assert sql.value("SELECT a FROM s.t") == "7"
    sql.run("DROP TABLE s.t", "UNDROP TABLE s.t")
    assert sql.value("SELECT a FROM s.t") == "7"
    assert sql.refusal("UNDROP TABLE s.t").code == "002002"


def test_system_roles_can_not_be_dropped_and_others_leave_their_things_to_who_drops_them(sql) -> None:
    assert sql.refusal("DROP ROLE SYSADMIN").code == "003001"
    sql.run("CREATE ROLE r", "GRANT CREATE DATABASE ON ACCOUNT TO ROLE r")
    sql.as_role("R")("CREATE DATABASE theirs")
    sql("DROP ROLE r")

    assert sql.table("SHOW DATABASES LIKE 'theirs'")[0]["owner"] == "ACCOUNTADMIN"


def test_a_renamed_role_keeps_what_it_was_granted(sql) -> None:
    sql.run("CREATE ROLE r COMMENT = 'c'", "GRANT USAGE ON DATABASE db TO ROLE r", "ALTER ROLE r RENAME TO r2")

    assert [row["grantee_name"] for row in sql.table("SHOW GRANTS ON DATABASE db")] == ["ACCOUNTADMIN", "R2"]
    assert sql.refusal("ALTER ROLE r2 RENAME TO SYSADMIN").code == "002002"


def test_a_warehouse_has_its_properties_and_can_be_suspended(sql) -> None:
    sql("CREATE WAREHOUSE w WAREHOUSE_SIZE = 'XSMALL' AUTO_SUSPEND = 60 INITIALLY_SUSPENDED = true COMMENT = 'x'")
    sql.run("ALTER WAREHOUSE w SET WAREHOUSE_SIZE = SMALL AUTO_SUSPEND = 120", "ALTER WAREHOUSE w SUSPEND")
    (warehouse,) = sql.table("SHOW WAREHOUSES LIKE 'w'")

    assert [warehouse[key] for key in ("size", "auto_suspend", "auto_resume", "is_current", "comment")] == [
        "Small",
        "120",
        "true",
        "Y",
        "x",
    ]
    sql("ALTER WAREHOUSE w UNSET WAREHOUSE_SIZE")
    assert sql.table("SHOW WAREHOUSES LIKE 'w'")[0]["size"] == "X-Small"


STREAMING = "FROM TABLE(DATA_SOURCE(TYPE => 'STREAMING'))"


def test_a_streaming_pipe_keeps_its_statement_byte_for_byte(sql, catalog) -> None:
    copy = f"COPY INTO  t {STREAMING}\n  MATCH_BY_COLUMN_NAME=CASE_SENSITIVE CLUSTER_AT_INGEST_TIME=TRUE"
    sql.run("CREATE TABLE t (a INT)", f"CREATE PIPE p COMMENT = 'c' AS {copy};")
    (pipe,) = sql.table("SHOW PIPES")

    assert [pipe[key] for key in ("name", "definition", "comment", "kind")] == ["P", copy, "c", "STREAMING"]
    assert sql.table("DESC PIPE p") == [pipe]
    found = catalog.resolve_pipe("db", "public", "p")
    assert (found.table.name, found.match_by_column_name) == ("T", "CASE_SENSITIVE")
    sql.run("ALTER PIPE p SET PIPE_EXECUTION_PAUSED = TRUE", "ALTER PIPE p UNSET COMMENT")
    assert found.paused


def test_a_pipe_whose_table_is_gone_says_so(sql) -> None:
    sql.run(
        "CREATE TABLE t (a INT)", f"CREATE PIPE p AS COPY INTO t {STREAMING} MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE"
    )
    sql("CREATE OR REPLACE TABLE t (a INT)")

    assert sql.table("SHOW PIPES")[0]["invalid_reason"] == "The target table was dropped or replaced."


def test_a_default_pipe_is_shown_once_it_exists_and_can_not_be_touched(sql, catalog) -> None:
    sql("CREATE TABLE t (a INT)")
    assert sql.table("SHOW PIPES") == []
    catalog.resolve_pipe("db", "public", "t-streaming")

    assert names(sql, "SHOW PIPES IN SCHEMA db.public") == ["T-STREAMING"]
    (shown,) = sql.table('DESC PIPE "T-STREAMING"')
    assert shown["kind"] == "STREAMING"
    assert (shown["owner"], shown["owner_role_type"]) == (None, None)
    assert shown["comment"].endswith("Created and managed by Snowflake.")
    for statement in ('DROP PIPE "T-STREAMING"', "ALTER PIPE \"T-STREAMING\" SET COMMENT = 'x'"):
        assert "default pipe" in sql.refusal(statement).message


@pytest.mark.parametrize(
    "copy",
    [
        f"COPY INTO t {STREAMING}",
        f"COPY INTO t (a) {STREAMING} MATCH_BY_COLUMN_NAME = CASE_SENSITIVE",
        "COPY INTO t FROM (SELECT UPPER($1:a) FROM TABLE(DATA_SOURCE(TYPE => 'STREAMING')))",
        "COPY INTO t FROM @stage MATCH_BY_COLUMN_NAME = CASE_SENSITIVE",
        "COPY INTO t FROM TABLE(DATA_SOURCE(TYPE => 'KAFKA')) MATCH_BY_COLUMN_NAME = CASE_SENSITIVE",
        f"COPY INTO t {STREAMING} MATCH_BY_COLUMN_NAME = NONE",
        f"COPY INTO nowhere {STREAMING} MATCH_BY_COLUMN_NAME = CASE_SENSITIVE",
    ],
)
def test_any_other_pipe_is_refused(sql, copy: str) -> None:
    sql("CREATE TABLE t (a INT)")
    sql.refusal(f"CREATE PIPE p AS {copy}")

    assert sql.table("SHOW PIPES") == []
