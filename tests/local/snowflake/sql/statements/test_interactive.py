"""Interactive tables and warehouses."""

import pytest

TABLE = "CREATE INTERACTIVE TABLE i (meta OBJECT, id VARCHAR) CLUSTER BY (id)"


def test_an_interactive_table_is_clustered_and_shown_apart(sql) -> None:
    assert "needs CLUSTER BY" in sql.refusal("CREATE INTERACTIVE TABLE i (a VARCHAR)").message
    sql.run(TABLE, "INSERT INTO i (id) VALUES ('a')")
    assert [row["name"] for row in sql.table("SHOW INTERACTIVE TABLES")] == ["I"]
    assert sql.value("SELECT id FROM i") == "a"


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE i ADD COLUMN b INT",
        "ALTER TABLE i SET ENABLE_SCHEMA_EVOLUTION = TRUE",
        "ALTER TABLE i SET ROW_TIMESTAMP = TRUE",
        "UPDATE i SET id = 'b'",
        "DELETE FROM i",
        "CREATE INTERACTIVE TABLE j (a VARCHAR) CLUSTER BY (a) ERROR_LOGGING = TRUE",
    ],
)
def test_it_never_evolves_and_its_rows_never_change(sql, statement: str) -> None:
    sql(TABLE)
    sql.refusal(statement)


def test_tables_are_attached_to_an_interactive_warehouse(sql) -> None:
    sql.run(TABLE, "CREATE TABLE plain (a INT)", "CREATE INTERACTIVE WAREHOUSE w TABLES (i) WAREHOUSE_SIZE = 'XSMALL'")
    (shown,) = sql.table("SHOW WAREHOUSES LIKE 'w'")
    assert (shown["type"], shown["auto_suspend"], shown["tables"]) == ("INTERACTIVE", "86400", '["DB.PUBLIC.I"]')
    assert "not an interactive table" in sql.refusal("ALTER WAREHOUSE w ADD TABLES (plain)").message
    sql("ALTER WAREHOUSE w DROP TABLES (db.public.i)")
    assert sql.table("SHOW WAREHOUSES LIKE 'w'")[0]["tables"] == "[]"
    assert "least" in sql.refusal("ALTER WAREHOUSE w SET AUTO_SUSPEND = 600").message


def test_attaching_needs_a_privilege_of_its_own(sql) -> None:
    sql.run(TABLE, "CREATE INTERACTIVE WAREHOUSE w", "CREATE ROLE r", "GRANT USAGE ON WAREHOUSE w TO ROLE r")
    sql.run(
        "GRANT USAGE ON DATABASE db TO ROLE r",
        "GRANT USAGE ON SCHEMA public TO ROLE r",
        "GRANT SELECT ON TABLE i TO ROLE r",
    )
    role = sql.as_role("R")
    assert role.refusal("ALTER WAREHOUSE w ADD TABLES (db.public.i)").code == "003001"
    sql("GRANT MANAGE ATTACHED TABLES ON WAREHOUSE w TO ROLE r")
    role("ALTER WAREHOUSE w ADD TABLES (db.public.i)")
