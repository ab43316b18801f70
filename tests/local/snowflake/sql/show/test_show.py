"""SHOW: scopes, filters, and what each role gets to see."""

import pytest

from firnline_local.snowflake.catalog import Channel


@pytest.fixture
def account(sql):
    sql.run(
        "CREATE SCHEMA s",
        "CREATE TABLE s.orders (id INT)",
        "CREATE TABLE s.old_x (id INT)",
        "CREATE TABLE public.oldyx (id INT)",
    )
    sql.run("CREATE DATABASE d2", "CREATE TABLE d2.public.orders (id INT)", "USE DATABASE db")
    return sql


def names(sql, statement: str) -> list[str]:
    return [".".join(str(row[key]) for key in ("database_name", "schema_name", "name")) for row in sql.table(statement)]


def test_the_scope_is_the_session_s_database_unless_it_is_said(account) -> None:
    assert names(account, "SHOW TABLES") == ["DB.PUBLIC.OLDYX", "DB.S.OLD_X", "DB.S.ORDERS"]
    assert names(account, "SHOW TABLES IN ACCOUNT")[0] == "D2.PUBLIC.ORDERS"
    assert names(account, "SHOW TABLES IN DATABASE d2") == ["D2.PUBLIC.ORDERS"]
    assert names(account, "SHOW TABLES IN db.s") == ["DB.S.OLD_X", "DB.S.ORDERS"]
    assert account.refusal("SHOW TABLES IN SCHEMA nope").message.endswith("does not exist or not authorized.")


def test_like_ignores_case_and_knows_wildcards_and_escapes(account) -> None:
    assert names(account, "SHOW TABLES LIKE 'old_x'") == ["DB.PUBLIC.OLDYX", "DB.S.OLD_X"]
    assert names(account, "SHOW TABLES LIKE 'old\\\\_x'") == ["DB.S.OLD_X"]
    assert names(account, "SHOW TABLES LIKE '%ERS'") == ["DB.S.ORDERS"]


def test_tables_beyond_the_longest_answer_are_refused_unless_a_limit_is_given(account, monkeypatch) -> None:
    monkeypatch.setattr("firnline_local.snowflake.sql.show.show.LONGEST_ANSWER", 1)
    assert account.refusal("SHOW TABLES IN SCHEMA s").code == "090153"
    assert names(account, "SHOW TABLES IN SCHEMA s LIMIT 10000") == ["DB.S.OLD_X", "DB.S.ORDERS"]
    assert names(account, "SHOW TABLES IN SCHEMA s LIMIT 1") == ["DB.S.OLD_X"]
    assert names(account, "SHOW TABLES LIKE 'orders' IN SCHEMA s") == ["DB.S.ORDERS"]
    account.refusal("SHOW PIPES IN SCHEMA s LIMIT 1")


def test_a_role_sees_only_what_it_has_a_privilege_on(account) -> None:
    account.run("CREATE ROLE r", "GRANT USAGE ON DATABASE db TO ROLE r", "GRANT USAGE ON SCHEMA s TO ROLE r")
    account("GRANT SELECT ON TABLE s.orders TO ROLE r")
    reader = account.as_role("R")

    assert names(reader, "SHOW TABLES IN ACCOUNT") == ["DB.S.ORDERS"]
    assert [row["name"] for row in reader.table("SHOW SCHEMAS")] == ["S"]
    assert [row["name"] for row in reader.table("SHOW DATABASES")] == ["DB"]
    assert reader.table("SHOW WAREHOUSES") == []
    assert reader.table("SHOW USERS") == []


def test_channels_are_listed_while_their_pipe_leads_somewhere(account, catalog) -> None:
    pipe = catalog.resolve_pipe("db", "s", "orders-streaming")
    channel = Channel(name="shard-0", pipe=pipe, created_on=catalog.clock(), client_sequencer=2, offset_token="17")
    catalog.channels[pipe.id, "SHARD-0"] = channel

    (row,) = account.table("SHOW CHANNELS LIKE 'shard-%' IN TABLE s.orders")
    assert [row[key] for key in ("name", "table_name", "client_sequencer", "offset_token", "parent_name")] == [
        "shard-0", "ORDERS", "2", "17", "ORDERS-STREAMING"
    ]  # fmt: skip # a paragraph, not a column
    assert account.table('SHOW CHANNELS IN PIPE s."ORDERS-STREAMING"') == [row]
    assert account.table("SHOW CHANNELS IN TABLE s.old_x") == []
    account("DROP TABLE s.orders")
    assert account.table("SHOW CHANNELS IN ACCOUNT") == []


def test_roles_are_counted_where_they_are_held(account) -> None:
    account.run("CREATE ROLE r", "GRANT ROLE r TO ROLE SYSADMIN", "GRANT ROLE r TO USER FIRNLINE_ADMIN")
    (row,) = account.table("SHOW ROLES LIKE 'r'")

    assert [row[key] for key in ("assigned_to_users", "granted_to_roles", "granted_roles", "is_inherited")] == [
        "1",
        "1",
        "0",
        "Y",
    ]


def test_describing_a_schema_lists_what_is_in_it(account) -> None:
    assert [(row["name"], row["kind"]) for row in account.table("DESCRIBE SCHEMA s")] == [
        ("ORDERS", "TABLE"),
        ("OLD_X", "TABLE"),
    ]


@pytest.fixture
def structures(account):
    """Roles that may INSERT, SELECT and REFERENCE a table, and nothing else."""
    for privilege in ("INSERT", "SELECT", "REFERENCES"):
        account.run(
            f"CREATE ROLE {privilege}S",
            f"GRANT USAGE ON DATABASE db TO ROLE {privilege}S",
            f"GRANT USAGE ON SCHEMA s TO ROLE {privilege}S",
            f"GRANT {privilege} ON TABLE s.orders TO ROLE {privilege}S",
        )
    return account


@pytest.mark.parametrize("role", ["INSERTS", "SELECTS", "REFERENCESS"])
def test_columns_are_shown_to_any_privilege(structures, role: str) -> None:
    (row,) = structures.as_role(role).table("SHOW COLUMNS IN TABLE db.s.orders")
    assert row["data_type"] == '{"type":"FIXED","precision":38,"scale":0,"nullable":true}'
    assert (row["table_name"], row["column_name"], row["null?"], row["kind"]) == ("ORDERS", "ID", "true", "COLUMN")


def test_columns_are_shown_of_what_the_role_sees(structures) -> None:
    assert len(structures.table("SHOW COLUMNS IN ACCOUNT")) == 4
    assert len(structures.as_role("INSERTS").table("SHOW COLUMNS IN ACCOUNT")) == 1
    assert structures.table("SHOW COLUMNS LIKE 'nope' IN TABLE s.orders") == []
    refused = structures.as_role("INSERTS").refusal("SHOW COLUMNS IN TABLE s.old_x")
    assert refused.code == "002003"


@pytest.mark.parametrize(("role", "is_described"), [("INSERTS", False), ("SELECTS", True), ("REFERENCESS", True)])
def test_a_table_is_described_to_who_may_reference_or_select(structures, role: str, is_described: bool) -> None:
    session = structures.as_role(role)
    if is_described:
        assert [row["name"] for row in session.table("DESCRIBE TABLE s.orders")] == ["ID"]
    else:
        assert session.refusal("DESCRIBE TABLE s.orders").code == "003001"
