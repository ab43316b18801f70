"""CREATE TABLE, and what DESCRIBE and SHOW say about it."""

import pytest


def test_a_table_has_the_columns_and_properties_that_it_was_given(sql) -> None:
    sql(
        "CREATE TABLE t (id NUMBER NOT NULL PRIMARY KEY, \"Name\" VARCHAR(10) DEFAULT 'x' COMMENT 'who', v VARIANT UNIQUE, "
        "n NUMBER(10, 2) DEFAULT 1.5 NOT NULL, seq INT AUTOINCREMENT START 5 INCREMENT 10) "
        "CLUSTER BY (id, TO_DATE(v)) ENABLE_SCHEMA_EVOLUTION = TRUE ERROR_LOGGING = TRUE, ROW_TIMESTAMP = true "
        "DATA_RETENTION_TIME_IN_DAYS = 3 COMMENT = 'it''s'"
    )
    columns = sql.table("DESCRIBE TABLE t")
    (table,) = sql.table("SHOW TABLES LIKE 't'")

    assert [(row["name"], row["type"], row["null?"], row["default"]) for row in columns] == [
        ("ID", "NUMBER(38,0)", "N", None),
        ("Name", "VARCHAR(10)", "Y", "'x'"),
        ("V", "VARIANT", "Y", None),
        ("N", "NUMBER(10,2)", "N", "1.5"),
        ("SEQ", "NUMBER(38,0)", "Y", "IDENTITY START 5 INCREMENT 10 NOORDER"),
    ]
    assert [(row["primary key"], row["unique key"], row["comment"]) for row in columns[:3]] == [
        ("Y", "N", None),
        ("N", "N", "who"),
        ("N", "Y", None),
    ]
    shown = (
        "cluster_by",
        "enable_schema_evolution",
        "error_logging",
        "row_timestamp",
        "retention_time",
        "comment",
        "owner",
    )
    assert [table[name] for name in shown] == ["LINEAR(id, TO_DATE(v))", "Y", "ON", "ON", "3", "it's", "ACCOUNTADMIN"]


def test_defaults_are_for_columns_that_an_insert_leaves_out(sql) -> None:
    sql(
        "CREATE TABLE t (a INT, b VARCHAR DEFAULT 'x', c INT IDENTITY(1, 2), d TIMESTAMP_NTZ DEFAULT CURRENT_TIMESTAMP())"
    )
    sql("INSERT INTO t (a, b) VALUES (1, NULL)")
    sql("INSERT INTO t (a) VALUES (2)")

    assert sql.rows("SELECT a, b, c, d IS NOT NULL FROM t ORDER BY a") == [("1", None, "1", "1"), ("2", "x", "3", "1")]


def test_if_not_exists_keeps_and_or_replace_makes_anew(sql) -> None:
    sql.run("CREATE TABLE t (a INT)", "INSERT INTO t VALUES (1)")

    assert sql.value("CREATE TABLE IF NOT EXISTS t (b INT)") == "T already exists, statement succeeded."
    assert sql.value("SELECT a FROM t") == "1"
    assert sql.refusal("CREATE TABLE t (b INT)").code == "002002"
    sql("CREATE OR REPLACE TABLE t (b INT)")
    assert sql.rows("SELECT b FROM t") == []


def test_a_replaced_table_loses_its_grants_unless_they_are_copied(sql) -> None:
    sql.run("CREATE ROLE r", "CREATE TABLE t (a INT)", "GRANT SELECT ON TABLE t TO ROLE r")
    sql("CREATE OR REPLACE TABLE t (a INT) COPY GRANTS")
    assert [row["privilege"] for row in sql.table("SHOW GRANTS ON TABLE t")] == ["OWNERSHIP", "SELECT"]

    sql("CREATE OR REPLACE TABLE t (a INT)")
    assert [row["privilege"] for row in sql.table("SHOW GRANTS ON TABLE t")] == ["OWNERSHIP"]


def test_a_table_like_another_has_its_columns_and_a_clone_its_rows_too(sql) -> None:
    sql.run("CREATE TABLE t (a INT, b VARCHAR) ERROR_LOGGING = TRUE", "INSERT INTO t VALUES (1, 'x')")
    sql.run("CREATE TABLE l LIKE t", "CREATE TABLE c CLONE t", "INSERT INTO c VALUES (2, 'y')")

    assert sql.rows("SELECT * FROM l") == []
    assert sql.value("SELECT COUNT(*) FROM c") == "2"
    assert sql.value("SELECT COUNT(*) FROM t") == "1"
    assert {row["error_logging"] for row in sql.table("SHOW TABLES")} == {"ON"}


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        ("(a INT, A INT)", "duplicate column name 'A'"),
        ('(a INT, "a" INT)', "[FL-6044]"),
        ("(rowid INT)", "[FL-6040]"),
        ("(a INT, PRIMARY KEY (b))", "invalid identifier 'B'"),
        ("(a INT, FOREIGN KEY (a) REFERENCES u (a))", "[FL-6040]"),
        ("(a INT COLLATE 'en')", "[FL-6040]"),
        ("(a GEOGRAPHY)", "the type GEOGRAPHY"),
        ("(a INT DEFAULT b)", "the default b"),
        ("(a INT) ENABLE_SCHEMA_EVOLUTION = MAYBE", "invalid boolean value 'MAYBE'"),
        ("(a INT) COMPRESSION = 'x'", "the property COMPRESSION of TABLE"),
        ("(a INT", "syntax error"),
    ],
)
def test_a_definition_that_is_wrong_or_not_known_makes_no_table(sql, definition: str, message: str) -> None:
    assert message in sql.refusal(f"CREATE TABLE t {definition}").message
    assert sql.table("SHOW TABLES") == []
