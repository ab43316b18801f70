"""Dynamic tables: made of a query, as their owner, as old as their lag at most."""

from datetime import timedelta

import pytest

from firnline_local.snowflake.catalog.errors import SqlError
from tests.local.snowflake.sql.conftest import Sql

MADE = (
    "CREATE DYNAMIC TABLE LATEST TARGET_LAG = '5 minutes' REFRESH_MODE = INCREMENTAL INITIALIZE = ON_CREATE "
    "WAREHOUSE = COMPUTE_WH COMMENT = 'c' AS SELECT ID, N FROM T QUALIFY ROW_NUMBER() OVER "
    "(PARTITION BY ID ORDER BY N DESC NULLS LAST) = 1"
)


@pytest.fixture
def tables(sql: Sql) -> Sql:
    sql.run("CREATE TABLE T (ID NUMBER, N NUMBER)", "INSERT INTO T VALUES (1, 1), (1, 2), (2, 7)", MADE)
    return sql


def later(sql: Sql, by: timedelta) -> None:
    clock = sql.catalog.clock
    sql.catalog.clock = lambda: clock() + by  # type: ignore[method-assign] # a clock is what a test may set


def test_it_has_the_rows_of_its_query_from_the_moment_it_is_made(tables: Sql) -> None:
    assert sorted(tables.rows("SELECT ID, N FROM LATEST")) == [("1", "2"), ("2", "7")]
    (shown,) = tables.table("SHOW DYNAMIC TABLES")
    assert (shown["target_lag"], shown["scheduling_state"], shown["warehouse"]) == ("5 minutes", "ACTIVE", "COMPUTE_WH")
    assert (shown["refresh_mode"], shown["text"], shown["comment"]) == ("INCREMENTAL", MADE, "c")
    (base,) = (row for row in tables.table("SHOW TABLES") if row["name"] == "T")
    assert (base["change_tracking"], base["is_dynamic"]) == ("ON", "N")
    assert [row["name"] for row in tables.table("DESCRIBE DYNAMIC TABLE LATEST")] == ["ID", "N"]


def test_it_becomes_as_old_as_its_lag_and_no_older(tables: Sql) -> None:
    tables("INSERT INTO T VALUES (1, 3)")
    assert tables.value("SELECT N FROM LATEST WHERE ID = 1") == "2"
    later(tables, timedelta(minutes=5))
    assert tables.value("SELECT N FROM LATEST WHERE ID = 1") == "3"


def test_it_is_suspended_resumed_refreshed_and_given_another_lag(tables: Sql) -> None:
    tables.run("INSERT INTO T VALUES (1, 3)", "ALTER DYNAMIC TABLE LATEST SUSPEND")
    later(tables, timedelta(minutes=5))
    assert tables.value("SELECT N FROM LATEST WHERE ID = 1") == "2"
    assert tables.table("SHOW DYNAMIC TABLES")[0]["scheduling_state"] == "SUSPENDED"
    tables("ALTER DYNAMIC TABLE LATEST RESUME")
    assert tables.value("SELECT N FROM LATEST WHERE ID = 1") == "3"
    tables.run("INSERT INTO T VALUES (1, 4)", "ALTER DYNAMIC TABLE LATEST REFRESH")
    assert tables.value("SELECT N FROM LATEST WHERE ID = 1") == "4"
    tables("ALTER DYNAMIC TABLE LATEST SET TARGET_LAG = '60 seconds' COMMENT = 'd'")
    (shown,) = tables.table("SHOW DYNAMIC TABLES")
    assert (shown["target_lag"], shown["comment"]) == ("1 minute", "d")


def test_it_refreshes_as_its_owner_and_stays_as_it_was_where_that_may_not(tables: Sql) -> None:
    tables.run("CREATE ROLE MAKER", "GRANT OWNERSHIP ON DYNAMIC TABLE LATEST TO ROLE MAKER")
    tables("INSERT INTO T VALUES (1, 3)")
    later(tables, timedelta(minutes=5))
    assert tables.value("SELECT N FROM LATEST WHERE ID = 1") == "2"
    database, schema = tables.session.database, tables.session.schema
    assert database is not None
    assert schema is not None
    tables.run(
        f"GRANT USAGE ON DATABASE {database.name} TO ROLE MAKER",
        f"GRANT USAGE ON SCHEMA {database.name}.{schema.name} TO ROLE MAKER",
        "GRANT USAGE ON WAREHOUSE COMPUTE_WH TO ROLE MAKER",
        "GRANT SELECT ON TABLE T TO ROLE MAKER",
    )
    assert tables.value("SELECT N FROM LATEST WHERE ID = 1") == "3"


def test_who_may_only_select_sees_neither_its_query_nor_its_state(tables: Sql) -> None:
    database, schema = tables.session.database, tables.session.schema
    assert database is not None
    assert schema is not None
    tables.run(
        "CREATE ROLE READER",
        f"GRANT USAGE ON DATABASE {database.name} TO ROLE READER",
        f"GRANT USAGE ON SCHEMA {database.name}.{schema.name} TO ROLE READER",
        "GRANT SELECT ON DYNAMIC TABLE LATEST TO ROLE READER",
    )
    reader = tables.as_role("READER")
    (shown,) = reader.table("SHOW DYNAMIC TABLES")
    assert (shown["text"], shown["scheduling_state"], shown["target_lag"]) == (None, None, "5 minutes")
    tables("GRANT MONITOR ON DYNAMIC TABLE LATEST TO ROLE READER")
    assert reader.table("SHOW DYNAMIC TABLES")[0]["scheduling_state"] == "ACTIVE"


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (MADE.replace("LATEST", "B").replace("'5 minutes'", "'59 seconds'"), "the least is 60 seconds"),
        (MADE.replace("LATEST", "B").replace("ON_CREATE", "ON_SCHEDULE"), "only ON_CREATE"),
        (MADE.replace("LATEST", "B").replace("SELECT ID, N", "SELECT ID, M"), "invalid identifier"),
        ("INSERT INTO LATEST VALUES (1, 1)", "not supported for the dynamic table"),
        ("GRANT MONITOR ON TABLE T TO ROLE PUBLIC", "the privilege MONITOR on a TABLE"),
        ("CREATE DYNAMIC TABLE B AS SELECT ID FROM T", "needs TARGET_LAG and WAREHOUSE"),
    ],
)
def test_what_it_is_not_is_refused(tables: Sql, statement: str, said: str) -> None:
    assert said in tables.refusal(statement).message
    assert [row["name"] for row in tables.table("SHOW DYNAMIC TABLES")] == ["LATEST"]


def test_a_column_that_its_table_gets_later_is_nothing_to_it(tables: Sql) -> None:
    tables.run(
        "ALTER TABLE T ADD COLUMN M NUMBER", "INSERT INTO T VALUES (3, 1, 1)", "ALTER DYNAMIC TABLE LATEST REFRESH"
    )
    assert len(tables.rows("SELECT ID, N FROM LATEST")) == 3


def test_a_refresh_that_fails_leaves_what_was_there(tables: Sql) -> None:
    tables("ALTER TABLE T SET CHANGE_TRACKING = FALSE")
    with pytest.raises(SqlError, match="Change tracking is not enabled"):
        tables("ALTER DYNAMIC TABLE LATEST REFRESH")
    assert len(tables.rows("SELECT ID, N FROM LATEST")) == 2
