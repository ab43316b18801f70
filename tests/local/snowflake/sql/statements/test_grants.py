"""GRANT and REVOKE, and what they allow."""

import pytest


@pytest.fixture
def account(sql):
    sql.run("CREATE SCHEMA raw", "CREATE TABLE raw.t (a INT)", "INSERT INTO raw.t VALUES (1)", "CREATE ROLE r")
    sql("GRANT USAGE ON WAREHOUSE COMPUTE_WH TO ROLE r")
    return sql


def privileges(sql, on: str) -> list[tuple[str | None, str | None]]:
    return [(row["privilege"], row["grantee_name"]) for row in sql.table(f"SHOW GRANTS ON {on}")][1:]


def test_a_table_is_out_of_sight_until_usage_and_select_are_granted(account) -> None:
    reader = account.as_role("R")
    reader("USE WAREHOUSE compute_wh")
    for granted in ("USAGE ON DATABASE db", "SELECT ON TABLE raw.t"):
        account(f"GRANT {granted} TO ROLE r")
        assert reader.refusal("SELECT * FROM db.raw.t").code == "002003"
    account("GRANT USAGE ON SCHEMA raw TO ROLE r")

    assert reader.value("SELECT a FROM db.raw.t") == "1"
    for statement in (
        "INSERT INTO db.raw.t VALUES (2)",
        "DELETE FROM db.raw.t",
        "UPDATE db.raw.t SET a = 2",
        "TRUNCATE db.raw.t",
    ):
        assert reader.refusal(statement).code == "002003"
    for statement in (
        "ALTER TABLE db.raw.t ADD b INT",
        "DROP TABLE db.raw.t",
        "GRANT SELECT ON TABLE db.raw.t TO ROLE r",
    ):
        assert reader.refusal(statement).code == "003001"
    account("REVOKE SELECT ON TABLE raw.t FROM ROLE r")
    assert reader.refusal("SELECT * FROM db.raw.t").code == "002003"


def test_each_kind_of_dml_needs_its_own_privilege(account) -> None:
    account.run("GRANT USAGE ON DATABASE db TO ROLE r", "GRANT USAGE ON SCHEMA raw TO ROLE r")
    writer = account.as_role("R")
    writer("USE WAREHOUSE compute_wh")
    account("GRANT INSERT, SELECT ON TABLE raw.t TO ROLE r")
    writer("INSERT INTO db.raw.t VALUES (2)")
    assert writer.refusal("UPDATE db.raw.t SET a = 3").code == "002003"
    account("GRANT UPDATE, DELETE, TRUNCATE ON TABLE raw.t TO ROLE r")
    writer.run("UPDATE db.raw.t SET a = 3", "DELETE FROM db.raw.t WHERE a = 3", "TRUNCATE TABLE db.raw.t")


def test_the_error_table_has_a_privilege_of_its_own(account) -> None:
    account.run("ALTER TABLE raw.t SET ERROR_LOGGING = TRUE", "GRANT USAGE ON DATABASE db TO ROLE r")
    account.run("GRANT USAGE ON SCHEMA raw TO ROLE r", "GRANT SELECT ON TABLE raw.t TO ROLE r")
    reader = account.as_role("R")
    reader("USE WAREHOUSE compute_wh")
    assert reader.refusal("SELECT * FROM ERROR_TABLE(db.raw.t)").code == "002003"

    account("GRANT SELECT ERROR TABLE ON TABLE raw.t TO ROLE r")
    assert reader.rows("SELECT * FROM ERROR_TABLE(db.raw.t)") == []


@pytest.mark.parametrize(
    ("privilege", "on", "statement"),
    [
        ("CREATE DATABASE", "ACCOUNT", "CREATE DATABASE d2"),
        ("CREATE ROLE", "ACCOUNT", "CREATE ROLE r2"),
        ("CREATE USER", "ACCOUNT", "CREATE USER u2"),
        ("CREATE WAREHOUSE", "ACCOUNT", "CREATE WAREHOUSE w2"),
        ("CREATE SCHEMA", "DATABASE db", "CREATE SCHEMA db.s2"),
        ("CREATE TABLE", "SCHEMA db.raw", "CREATE TABLE db.raw.t2 (a INT)"),
    ],
)
def test_making_something_needs_the_privilege_on_where_it_goes(
    account, privilege: str, on: str, statement: str
) -> None:
    account.run("GRANT USAGE ON DATABASE db TO ROLE r", "GRANT USAGE ON SCHEMA raw TO ROLE r")
    maker = account.as_role("R")
    assert maker.refusal(statement).code == "003001"

    account(f"GRANT {privilege} ON {on} TO ROLE r")
    maker(statement)


def test_a_pipe_needs_select_and_insert_on_its_table_too(account) -> None:
    for privilege, on in (("USAGE", "DATABASE db"), ("USAGE, CREATE PIPE", "SCHEMA raw"), ("INSERT", "TABLE raw.t")):
        account(f"GRANT {privilege} ON {on} TO ROLE r")
    maker = account.as_role("R")
    create = (
        "CREATE PIPE db.raw.p AS COPY INTO db.raw.t FROM TABLE(DATA_SOURCE(TYPE => 'STREAMING')) "
        "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE"
    )
    assert maker.refusal(create).code == "003001"
    account("GRANT SELECT ON TABLE raw.t TO ROLE r")
    maker(create)


def test_all_privileges_are_spelt_out(account) -> None:
    account("GRANT ALL PRIVILEGES ON TABLE raw.t TO ROLE r")
    granted = {privilege for privilege, _ in privileges(account, "TABLE raw.t")}

    assert {"SELECT", "INSERT", "EVOLVE SCHEMA", "SELECT ERROR TABLE"} <= granted
    account("REVOKE ALL ON TABLE raw.t FROM ROLE r")
    assert privileges(account, "TABLE raw.t") == []


def test_grants_on_all_tables_reach_those_that_exist_and_on_future_ones_those_to_come(account) -> None:
    account("GRANT SELECT ON ALL TABLES IN SCHEMA raw TO ROLE r")
    account("GRANT INSERT ON FUTURE TABLES IN DATABASE db TO ROLE r")
    account("CREATE TABLE raw.t2 (a INT)")

    assert privileges(account, "TABLE raw.t") == [("SELECT", "R")]
    assert privileges(account, "TABLE raw.t2") == [("INSERT", "R")]
    (future,) = account.table("SHOW FUTURE GRANTS IN DATABASE db")
    assert [future[key] for key in ("privilege", "grant_on", "name", "grantee_name")] == [
        "INSERT",
        "TABLE",
        "DB.<TABLE>",
        "R",
    ]
    assert account.table("SHOW FUTURE GRANTS TO ROLE r") == [future]
    account("REVOKE INSERT ON FUTURE TABLES IN DATABASE db FROM ROLE r")
    assert account.table("SHOW FUTURE GRANTS IN DATABASE db") == []


def test_the_grant_option_can_be_given_and_taken(account) -> None:
    account("GRANT SELECT ON TABLE raw.t TO ROLE r WITH GRANT OPTION")
    assert account.table("SHOW GRANTS ON TABLE raw.t")[1]["grant_option"] == "true"
    account("REVOKE GRANT OPTION FOR SELECT ON TABLE raw.t FROM ROLE r")
    assert account.table("SHOW GRANTS ON TABLE raw.t")[1]["grant_option"] == "false"
    account("REVOKE GRANT OPTION FOR INSERT ON TABLE raw.t FROM ROLE r")  # never held


def test_ownership_goes_over_with_the_grants_or_without_them(account) -> None:
    account("GRANT SELECT ON TABLE raw.t TO ROLE r")
    assert account.refusal("GRANT OWNERSHIP ON TABLE raw.t TO ROLE r").code == "003036"

    account("GRANT OWNERSHIP ON TABLE raw.t TO ROLE r COPY CURRENT GRANTS")
    assert (account.table("SHOW TABLES IN SCHEMA raw")[0]["owner"], privileges(account, "TABLE raw.t")) == (
        "R",
        [("SELECT", "R")],
    )
    account("GRANT OWNERSHIP ON TABLE raw.t TO ROLE SYSADMIN REVOKE CURRENT GRANTS")
    assert privileges(account, "TABLE raw.t") == []


def test_roles_are_granted_to_roles_and_users_but_not_in_circles(account) -> None:
    account.run("CREATE ROLE r2", "GRANT ROLE r TO ROLE r2", "CREATE USER u", "GRANT ROLE r TO USER u")

    assert [(row["granted_to"], row["grantee_name"]) for row in account.table("SHOW GRANTS OF ROLE r")] == [
        ("ROLE", "R2"),
        ("USER", "U"),
    ]
    assert [row["role"] for row in account.table("SHOW GRANTS TO USER u")] == ["R"]
    assert ("USAGE", "ROLE", "R") in [
        (row["privilege"], row["granted_on"], row["name"]) for row in account.table("SHOW GRANTS TO ROLE r2")
    ]
    assert "already holds" in account.refusal("GRANT ROLE r2 TO ROLE r").message
    account("REVOKE ROLE r FROM USER u")
    assert account.table("SHOW GRANTS TO USER u") == []


def test_securityadmin_may_grant_what_it_may_not_use(account) -> None:
    manager = account.as_role("SECURITYADMIN")
    account("GRANT USAGE ON DATABASE db TO ROLE SECURITYADMIN")
    manager("GRANT USAGE ON DATABASE db TO ROLE r")

    assert ("USAGE", "R") in privileges(account, "DATABASE db")


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("GRANT FLY ON TABLE raw.t TO ROLE r", "the privilege FLY on a TABLE"),
        ("GRANT APPLY ON TAG raw.v TO ROLE r", "grants on TAG"),
        ("GRANT SELECT ON TABLE raw.nope TO ROLE r", "does not exist or not authorized"),
        ("GRANT SELECT ON TABLE raw.t TO ROLE nobody", "Role 'NOBODY' does not exist or not authorized"),
        ("GRANT SELECT ON TABLE raw.t TO SHARE s", "FL-6040"),
        ("REVOKE OWNERSHIP ON TABLE raw.t FROM ROLE r", "OWNERSHIP can't be revoked"),
    ],
)
def test_a_grant_that_makes_no_sense_or_is_not_known_is_refused(account, statement: str, message: str) -> None:
    assert message in account.refusal(statement).message


def test_grants_on_what_was_dropped_are_not_shown_and_come_back_with_it(sql) -> None:
    sql.run("CREATE ROLE reader", "CREATE TABLE t (a INT)", "GRANT SELECT ON TABLE t TO ROLE reader", "DROP TABLE t")
    assert sql.table("SHOW GRANTS TO ROLE reader") == []
    sql("UNDROP TABLE t")
    assert [row["privilege"] for row in sql.table("SHOW GRANTS TO ROLE reader")] == ["SELECT"]
