"""Privileges and ownership."""

import pytest

from firnline_local.errors import InputNotCarried
from firnline_local.providers.snowflake.grants import GRANT_OWNERSHIP, GRANT_PRIVILEGES_TO_ACCOUNT_ROLE

DATABASE = {"onAccountObject": {"objectType": "DATABASE", "objectName": "PROVIDED_DB"}}
SCHEMA = {"onSchema": {"schemaName": '"PROVIDED_DB"."S"'}}
TABLE = {"onSchemaObject": {"objectType": "TABLE", "objectName": '"PROVIDED_DB"."S"."G"'}}
FUTURE = {"objectTypePlural": "TABLES", "inSchema": '"PROVIDED_DB"."S"'}


@pytest.fixture(autouse=True)
def _roles(clients):
    clients.execute("CREATE ROLE M_G", "CREATE ROLE M_G2", "CREATE TABLE PROVIDED_DB.S.G (A INT)")
    yield
    clients.execute("DROP TABLE PROVIDED_DB.S.G", "DROP ROLE M_G", "DROP ROLE M_G2")


@pytest.mark.parametrize(
    ("target", "privileges", "end"),
    [
        (DATABASE, ["USAGE"], 'OnAccountObject|DATABASE|"PROVIDED_DB"'),
        (SCHEMA, ["CREATE PIPE", "USAGE"], 'OnSchema|OnSchema|"PROVIDED_DB"."S"'),
        (TABLE, ["INSERT", "SELECT"], 'OnSchemaObject|OnObject|TABLE|"PROVIDED_DB"."S"."G"'),
    ],
)
def test_privileges_live_on_every_kind_of_target(live, clients, target, privileges, end) -> None:
    inputs = {"accountRoleName": "M_G", "privileges": privileges, **target}
    with live(GRANT_PRIVILEGES_TO_ACCOUNT_ROLE, inputs, twice=True) as grant:
        assert grant.made.id == f'"M_G"|false|false|{",".join(privileges)}|{end}'
        assert GRANT_PRIVILEGES_TO_ACCOUNT_ROLE.read(grant.made.id, {}, clients)["privileges"] == privileges


def test_a_privilege_that_was_taken_away_drifts_and_is_granted_again(live) -> None:
    inputs = {"accountRoleName": '"M_G"', "privileges": ["SELECT", "INSERT", "EVOLVE SCHEMA"], **TABLE}
    with live(GRANT_PRIVILEGES_TO_ACCOUNT_ROLE, inputs, twice=True) as grant:
        grant.drifts("REVOKE INSERT ON TABLE PROVIDED_DB.S.G FROM ROLE M_G", privileges=["SELECT", "EVOLVE SCHEMA"])
        assert grant.changes_to(privileges=["SELECT", "SELECT ERROR TABLE"])["privileges"] == [
            "SELECT",
            "SELECT ERROR TABLE",
        ]


def test_privileges_that_were_already_taken_away_can_be_deleted(live, clients) -> None:
    with live(
        GRANT_PRIVILEGES_TO_ACCOUNT_ROLE, {"accountRoleName": "M_G", "privileges": ["SELECT"], **TABLE}, twice=True
    ):
        clients.execute("REVOKE SELECT ON TABLE PROVIDED_DB.S.G FROM ROLE M_G")
        left = {"accountRoleName": "M_G", "privileges": [], **TABLE}
        GRANT_PRIVILEGES_TO_ACCOUNT_ROLE.delete(
            '"M_G"|false|false|SELECT|OnSchemaObject|OnObject|TABLE|"PROVIDED_DB"."S"."G"', left, clients
        )


def test_a_privilege_with_the_grant_option_is_another_one(live, clients) -> None:
    with live(
        GRANT_PRIVILEGES_TO_ACCOUNT_ROLE, {"accountRoleName": "M_G", "privileges": ["SELECT"], **TABLE}, twice=True
    ) as grant:
        clients.execute("GRANT SELECT ON TABLE PROVIDED_DB.S.G TO ROLE M_G WITH GRANT OPTION")
        assert grant.read()["privileges"] == []
        assert GRANT_PRIVILEGES_TO_ACCOUNT_ROLE.read(grant.made.id, {}, clients) is None


@pytest.mark.parametrize(
    "target",
    [
        {"onAccount": True},
        {"onSchema": {"futureSchemasInDatabase": "PROVIDED_DB"}},
        {"onSchemaObject": {"future": FUTURE}},
        {"withGrantOption": True, **TABLE},
        {},
    ],
    ids=str,
)
def test_grants_that_are_not_carried_are_refused(clients, target) -> None:
    with pytest.raises(InputNotCarried):
        GRANT_PRIVILEGES_TO_ACCOUNT_ROLE.create({"accountRoleName": "M_G", "privileges": ["USAGE"], **target}, clients)


@pytest.mark.parametrize("end", ["true|false|SELECT|OnSchemaObject|OnObject|TABLE|T", "false|false|USAGE|OnAccount"])
def test_a_grant_that_is_not_carried_can_t_be_imported(clients, end: str) -> None:
    with pytest.raises(InputNotCarried):
        GRANT_PRIVILEGES_TO_ACCOUNT_ROLE.read(f"M_G|{end}", {}, clients)


@pytest.mark.parametrize("gone", ["TABLE PROVIDED_DB.S.GONE", "ROLE M_GONE"])
def test_a_grant_on_what_is_gone_or_to_who_is_gone_is_gone(live, clients, gone: str) -> None:
    clients.execute("CREATE TABLE PROVIDED_DB.S.GONE (A INT)", "CREATE ROLE M_GONE")
    target = {"onSchemaObject": {"objectType": "TABLE", "objectName": "PROVIDED_DB.S.GONE"}}
    inputs = {"accountRoleName": "M_GONE", "privileges": ["SELECT"], **target}
    with live(GRANT_PRIVILEGES_TO_ACCOUNT_ROLE, inputs, twice=True) as grant:
        clients.execute(f"DROP {gone}")
        assert GRANT_PRIVILEGES_TO_ACCOUNT_ROLE.read(grant.made.id, grant.made.properties, clients) is None
    clients.execute("DROP TABLE IF EXISTS PROVIDED_DB.S.GONE", "DROP ROLE IF EXISTS M_GONE")


def test_ownership_goes_and_comes_back(live, clients) -> None:
    inputs = {
        "accountRoleName": "M_G",
        "outboundPrivileges": "COPY",
        "on": {"objectType": "TABLE", "objectName": '"PROVIDED_DB"."S"."G"'},
    }
    clients.execute("GRANT SELECT ON TABLE PROVIDED_DB.S.G TO ROLE M_G2")
    with live(GRANT_OWNERSHIP, inputs, twice=True) as grant:
        assert grant.made.id == 'ToAccountRole|"M_G"|COPY|OnObject|TABLE|"PROVIDED_DB"."S"."G"'
        assert GRANT_OWNERSHIP.read(grant.made.id, {}, clients)["on"] == inputs["on"]
        clients.execute("GRANT OWNERSHIP ON TABLE PROVIDED_DB.S.G TO ROLE M_G2 COPY CURRENT GRANTS")
        assert GRANT_OWNERSHIP.read(grant.made.id, grant.made.properties, clients) is None
    (owner,) = {
        row["grantee_name"]
        for row in clients.rows("SHOW GRANTS ON TABLE PROVIDED_DB.S.G")
        if row["privilege"] == "OWNERSHIP"
    }
    assert owner == "ACCOUNTADMIN"
