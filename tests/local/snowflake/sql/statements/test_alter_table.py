"""ALTER TABLE."""

import pytest


@pytest.fixture
def table(sql):
    sql.run("CREATE TABLE t (a INT, b VARCHAR(5) NOT NULL)", "INSERT INTO t VALUES (1, 'x')")
    return sql


def columns(sql) -> list[str | None]:
    return [row["name"] for row in sql.table("DESC TABLE t")]


def test_columns_are_added_with_their_defaults(table) -> None:
    table("ALTER TABLE t ADD COLUMN c VARCHAR DEFAULT 'd' NOT NULL, d VARIANT")

    assert columns(table) == ["A", "B", "C", "D"]
    assert table.rows("SELECT c, d FROM t") == [("d", None)]


def test_a_column_that_exists_is_added_only_if_that_is_said(table) -> None:
    table("ALTER TABLE t ADD COLUMN IF NOT EXISTS a INT, c INT")

    assert columns(table) == ["A", "B", "C"]
    assert table.refusal("ALTER TABLE t ADD COLUMN a INT").code == "002002"
    assert "FL-6044" in table.refusal('ALTER TABLE t ADD "a" INT').message


def test_a_column_that_needs_a_value_can_not_be_added_to_rows_without_one(table) -> None:
    assert "cannot be added to non-empty table" in table.refusal("ALTER TABLE t ADD c INT NOT NULL").message
    table.run("TRUNCATE TABLE t", "ALTER TABLE t ADD c INT NOT NULL")
    assert table.refusal("INSERT INTO t (b) VALUES ('x')").code == "100072"


def test_columns_are_dropped_and_renamed(table) -> None:
    table.run("ALTER TABLE t ADD c INT", 'ALTER TABLE t RENAME COLUMN c TO "New"', "ALTER TABLE t DROP COLUMN a")

    assert columns(table) == ["B", "New"]
    assert table.rows('SELECT b, "New" FROM t') == [("x", None)]
    assert table.refusal("ALTER TABLE t DROP COLUMN z").code == "002003"
    assert "Cannot drop all columns" in table.refusal('ALTER TABLE t DROP COLUMN b, "New"').message


def test_a_column_gets_wider_and_never_narrower(table) -> None:
    table.run("ALTER TABLE t ALTER COLUMN b SET DATA TYPE VARCHAR(20)", "ALTER TABLE t ALTER COLUMN a COMMENT 'n'")
    table("INSERT INTO t VALUES (2, 'longer than five')")

    assert "cannot change column B" in table.refusal("ALTER TABLE t ALTER COLUMN b SET DATA TYPE VARCHAR(3)").message
    assert "cannot change column A" in table.refusal("ALTER TABLE t ALTER COLUMN a SET DATA TYPE VARCHAR").message
    assert [row["comment"] for row in table.table("DESC TABLE t")] == ["n", None]


def test_not_null_comes_and_goes(table) -> None:
    table("ALTER TABLE t ALTER COLUMN b DROP NOT NULL")
    table("INSERT INTO t VALUES (2, NULL)")

    assert table.refusal("ALTER TABLE t ALTER COLUMN b SET NOT NULL").code == "100072"
    table.run("DELETE FROM t WHERE b IS NULL", "ALTER TABLE t ALTER COLUMN b SET NOT NULL")
    assert [row["null?"] for row in table.table("DESC TABLE t")] == ["Y", "N"]


def test_what_evolution_added_is_shown_until_somebody_alters_it(table, catalog) -> None:
    table("ALTER TABLE t SET ENABLE_SCHEMA_EVOLUTION = TRUE")
    found = catalog.resolve_table("db", "public", "t")
    catalog.add_columns(found, [("C", "VARCHAR")], evolution='{"evolutionType":"ADD_COLUMN"}')
    shown = [row["schema evolution record"] for row in table.table("DESC TABLE t")]
    assert shown == [None, None, '{"evolutionType":"ADD_COLUMN"}']

    table("ALTER TABLE t ALTER COLUMN c COMMENT 'mine'")
    assert table.table("DESC TABLE t")[2]["schema evolution record"] is None


def test_properties_are_set_and_unset_with_what_they_do(table) -> None:
    table("ALTER TABLE t SET ERROR_LOGGING = TRUE ROW_TIMESTAMP = TRUE COMMENT = 'c' DATA_RETENTION_TIME_IN_DAYS = 0")
    table("INSERT INTO t VALUES (2, 'y')")
    assert table.rows("SELECT a, METADATA$ROW_LAST_COMMIT_TIME FROM t ORDER BY a") == [
        ("1", None),
        ("2", "1767268800.000000000"),
    ]
    assert table.rows("SELECT * FROM ERROR_TABLE(t)") == []
    assert [row["retention_time"] for row in table.table("SHOW TABLES")] == ["0"]

    table("ALTER TABLE t UNSET ERROR_LOGGING, COMMENT, DATA_RETENTION_TIME_IN_DAYS")
    assert "Error logging is not turned on" in table.refusal("SELECT * FROM ERROR_TABLE(t)").message
    assert [(row["comment"], row["retention_time"]) for row in table.table("SHOW TABLES")] == [("", "1")]


def test_turning_row_timestamps_off_erases_them(table) -> None:
    table.run("ALTER TABLE t SET ROW_TIMESTAMP = TRUE", "UPDATE t SET a = 5", "ALTER TABLE t SET ROW_TIMESTAMP = FALSE")
    assert table.refusal("SELECT METADATA$ROW_LAST_COMMIT_TIME FROM t").code == "000904"

    table("ALTER TABLE t SET ROW_TIMESTAMP = TRUE")
    assert table.value("SELECT METADATA$ROW_LAST_COMMIT_TIME FROM t") is None


def test_a_table_moves_to_another_name_and_schema_with_its_rows(table) -> None:
    table.run("CREATE SCHEMA s", "ALTER TABLE db.public.t RENAME TO db.s.u", "CREATE TABLE db.public.t (z INT)")

    assert table.value("SELECT a FROM db.s.u") == "1"
    assert table.refusal("ALTER TABLE db.s.u RENAME TO db.public.t").code == "002002"
    table("ALTER TABLE IF EXISTS nowhere RENAME TO somewhere")


def test_a_clustering_key_comes_and_goes(table) -> None:
    table("ALTER TABLE t CLUSTER BY (a, b)")
    assert table.table("SHOW TABLES")[0]["cluster_by"] == "LINEAR(a, b)"
    table("ALTER TABLE t DROP CLUSTERING KEY")
    assert table.table("SHOW TABLES")[0]["cluster_by"] == ""


def test_two_tables_change_names_with_their_rows_grants_and_times(table) -> None:
    table.run("CREATE TABLE u (c INT)", "CREATE ROLE r", "GRANT INSERT ON TABLE t TO ROLE r")
    made = {row["name"]: row["created_on"] for row in table.table("SHOW TABLES")}
    table("ALTER TABLE t SWAP WITH u")

    assert table.rows("SELECT a, b FROM u") == [("1", "x")]
    assert {row["name"]: row["created_on"] for row in table.table("SHOW TABLES")} == {"T": made["U"], "U": made["T"]}
    assert [row["name"] for row in table.table("SHOW GRANTS TO ROLE r")] == ["DB.PUBLIC.U"]
    assert table.refusal("ALTER TABLE t SWAP WITH nothing").code == "002003"


@pytest.mark.parametrize(
    "change",
    [
        "ALTER COLUMN a SET MASKING POLICY p",
        "ALTER COLUMN a COMMENT 'x', COLUMN b COMMENT 'y'",
        "ALTER b COMMENT 'x'",
        "DROP COLUMN IF EXISTS a",
        "MODIFY COLUMN b COMMENT 'x'",
        "SET TAG x = 'y'",
    ],
)
def test_a_change_that_is_not_known_is_refused_by_name(table, change: str) -> None:
    assert "[FL-6040]" in table.refusal(f"ALTER TABLE t {change}").message
