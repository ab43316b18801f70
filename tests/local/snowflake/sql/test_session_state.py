"""What a session is in, and what it may set."""


def test_use_moves_the_session_and_functions_tell_where_it_is(sql) -> None:
    sql.run("CREATE SCHEMA raw", "USE DATABASE db", "USE SCHEMA raw", "USE ROLE SYSADMIN")
    answer = sql.rows(
        "SELECT CURRENT_ROLE(), CURRENT_USER(), CURRENT_ACCOUNT(), CURRENT_DATABASE(), CURRENT_SCHEMA(), "
        "CURRENT_WAREHOUSE(), CURRENT_SESSION()"
    )

    assert answer == [("SYSADMIN", "FIRNLINE_ADMIN", "FIRNLINE", "DB", "RAW", "COMPUTE_WH", "1")]


def test_using_a_database_means_its_public_schema(sql) -> None:
    sql.run("CREATE SCHEMA raw", "USE db")

    assert sql.value("SELECT CURRENT_SCHEMA()") == "PUBLIC"
    sql("USE db.raw")
    assert sql.value("SELECT CURRENT_SCHEMA()") == "RAW"


def test_a_role_that_the_user_does_not_hold_can_not_be_used(sql) -> None:
    sql.run("CREATE ROLE theirs", "USE ROLE USERADMIN")
    error = sql.refusal("USE ROLE theirs")

    assert (error.code, "Insufficient privileges" in error.message) == ("003001", True)
    assert sql.refusal("USE ROLE nobodys").code == "002003"


def test_a_name_needs_a_database_from_somewhere(sql) -> None:
    sql("DROP DATABASE db")
    assert sql.refusal("CREATE TABLE t (a INT)").code == "002003"  # the session still points at what is gone
    sql.session.database = sql.session.schema = None
    error = sql.refusal("CREATE TABLE t (a INT)")

    assert (error.code, "does not have a current database" in error.message) == ("090105", True)


def test_the_clock_answers_for_the_time(sql) -> None:
    assert sql.rows("SELECT CURRENT_TIMESTAMP(), SYSDATE(), CURRENT_DATE") == [
        ("1767268800.000000000", "1767268800.000000000", "20454")
    ]
    assert sql.types("SELECT CURRENT_TIMESTAMP(), SYSDATE(), CURRENT_DATE()") == [
        "TIMESTAMP_LTZ(9)",
        "TIMESTAMP_NTZ(9)",
        "DATE",
    ]


def test_a_parameter_that_is_only_kept_can_be_set_and_unset(sql) -> None:
    result = sql("ALTER SESSION SET QUERY_TAG = 'x' TIMEZONE = 'UTC'")
    assert result.parameters == {"QUERY_TAG": "x", "TIMEZONE": "UTC"}
    assert sql.table("SHOW PARAMETERS LIKE 'query_tag'")[0]["value"] == "x"

    sql("ALTER SESSION UNSET QUERY_TAG")
    assert sql.table("SHOW PARAMETERS LIKE 'query_tag' IN SESSION") == []


def test_a_parameter_that_would_change_answers_is_refused(sql) -> None:
    for setting in (
        "TIMEZONE = 'America/New_York'",
        "WEEK_START = 1",
        "AUTOCOMMIT = FALSE",
        "TIMESTAMP_OUTPUT_FORMAT = 'x'",
    ):
        assert "FL-6040" in sql.refusal(f"ALTER SESSION SET {setting}").message


def test_a_query_needs_a_warehouse_and_ddl_does_not(sql) -> None:
    sql.session.warehouse = None
    sql("CREATE TABLE t (a INT)")

    assert sql.refusal("SELECT * FROM t").code == "000606"
    assert sql.refusal("INSERT INTO t VALUES (1)").code == "000606"
    assert sql.value("SELECT 1") == "1"
    sql("CREATE WAREHOUSE w WAREHOUSE_SIZE = 'SMALL'")  # which is used from then on
    assert sql.rows("SELECT * FROM t") == []
