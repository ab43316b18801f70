"""Tests of what a role that is not an administrator needs to build a landing zone, proven by taking each privilege away."""

import pytest

from firnline_local.snowflake.catalog import SqlError

ON_THE_ACCOUNT = (
    "CREATE DATABASE",
    "CREATE ROLE",
    "CREATE USER",
    "CREATE NETWORK POLICY",
    "CREATE EXTERNAL VOLUME",
    "CREATE WAREHOUSE",
)
LANDING = """
CREATE DATABASE raw; CREATE SCHEMA raw.events;
CREATE NETWORK POLICY engine ALLOWED_IP_LIST = ('127.0.0.0/8');
CREATE AUTHENTICATION POLICY raw.events.keys AUTHENTICATION_METHODS = ('KEYPAIR');
CREATE ROLE ingest; CREATE ROLE reader;
CREATE USER engine TYPE = SERVICE DEFAULT_ROLE = ingest NETWORK_POLICY = engine;
ALTER USER engine SET AUTHENTICATION POLICY raw.events.keys;
GRANT ROLE ingest TO USER engine; GRANT ROLE reader TO ROLE people;
CREATE TABLE raw.events.orders (meta OBJECT); ALTER TABLE raw.events.orders SET ENABLE_SCHEMA_EVOLUTION = TRUE;
CREATE PIPE raw.events.p AS COPY INTO raw.events.orders (meta)
  FROM (SELECT $1:meta FROM TABLE(DATA_SOURCE(TYPE => 'STREAMING')));
CREATE EXTERNAL VOLUME lake STORAGE_LOCATIONS = ((NAME = 'l' STORAGE_PROVIDER = 'S3' STORAGE_BASE_URL = 's3://b/'
  STORAGE_AWS_ROLE_ARN = 'r'));
CREATE ICEBERG TABLE raw.events.ice (meta VARIANT) EXTERNAL_VOLUME = lake BASE_LOCATION = 'i' ICEBERG_VERSION = 3;
CREATE INTERACTIVE TABLE raw.events.fast (id VARCHAR) CLUSTER BY (id);
CREATE INTERACTIVE WAREHOUSE w TABLES (raw.events.fast);
GRANT USAGE ON DATABASE raw TO ROLE ingest; GRANT USAGE ON SCHEMA raw.events TO ROLE ingest;
GRANT INSERT, EVOLVE SCHEMA ON TABLE raw.events.orders TO ROLE ingest; GRANT OPERATE ON PIPE raw.events.p TO ROLE ingest;
GRANT INSERT ON ICEBERG TABLE raw.events.ice TO ROLE ingest; GRANT USAGE ON EXTERNAL VOLUME lake TO ROLE ingest;
GRANT USAGE ON WAREHOUSE w TO ROLE reader
"""


@pytest.fixture
def account(sql, catalog):
    catalog.volume_access = lambda _location, _principal: []
    sql.run("CREATE ROLE deploy", "CREATE ROLE people")
    sql(f"GRANT {', '.join(ON_THE_ACCOUNT)} ON ACCOUNT TO ROLE deploy")
    return sql


def build(deploy) -> SqlError | None:
    try:
        deploy.run(*LANDING.split(";"))
    except SqlError as error:
        return error
    return None


def test_six_privileges_on_the_account_are_enough(account) -> None:
    assert build(account.as_role("DEPLOY")) is None


@pytest.mark.parametrize("privilege", ON_THE_ACCOUNT)
def test_without_any_one_of_them_a_statement_is_refused(account, privilege: str) -> None:
    account(f"REVOKE {privilege} ON ACCOUNT FROM ROLE deploy")
    refused = build(account.as_role("DEPLOY"))
    assert refused is not None
    assert (refused.code, "Insufficient privileges to operate on" in refused.message) == ("003001", True)


def test_what_was_built_can_be_taken_down_again(account) -> None:
    deploy = account.as_role("DEPLOY")
    assert build(deploy) is None
    deploy.run(
        "DROP WAREHOUSE w",
        "DROP USER engine",
        "DROP DATABASE raw",
        "DROP NETWORK POLICY engine",
        "DROP EXTERNAL VOLUME lake",
        "DROP ROLE ingest",
        "DROP ROLE reader",
    )


def test_the_objects_of_others_are_none_of_its_business(account) -> None:
    account.run("CREATE TABLE t (a INT)", "CREATE USER somebody")
    deploy = account.as_role("DEPLOY")
    for statement in (
        "GRANT USAGE ON DATABASE db TO ROLE people",
        "DROP USER somebody",
        "GRANT SELECT ON TABLE db.public.t TO ROLE people",
    ):
        assert deploy.refusal(statement).code in ("002003", "003001")


def test_whoever_manages_grants_may_grant_what_they_see_nothing_of(account) -> None:
    account("CREATE TABLE t (a INT)")
    account("GRANT MANAGE GRANTS ON ACCOUNT TO ROLE deploy")
    deploy = account.as_role("DEPLOY")
    deploy("GRANT SELECT ON TABLE db.public.t TO ROLE people")
    assert [row["privilege"] for row in deploy.table("SHOW GRANTS ON TABLE db.public.t")] == ["OWNERSHIP", "SELECT"]
    assert deploy.refusal("DROP TABLE db.public.t").code == "002003"


def test_in_a_schema_with_managed_access_the_schema_s_owner_grants(account) -> None:
    account.run(
        "CREATE SCHEMA s WITH MANAGED ACCESS", "CREATE TABLE s.t (a INT)", "GRANT USAGE ON DATABASE db TO ROLE deploy"
    )
    account.run("GRANT USAGE ON SCHEMA s TO ROLE deploy", "GRANT OWNERSHIP ON TABLE s.t TO ROLE deploy")
    deploy = account.as_role("DEPLOY")
    assert deploy.refusal("GRANT SELECT ON TABLE db.s.t TO ROLE people").code == "003001"
    account("GRANT OWNERSHIP ON SCHEMA s TO ROLE deploy REVOKE CURRENT GRANTS")
    deploy("GRANT SELECT ON TABLE db.s.t TO ROLE people")


def test_a_new_owner_has_all_and_the_old_one_has_nothing_left(account) -> None:
    deploy = account.as_role("DEPLOY")
    assert build(deploy) is None
    deploy("GRANT OWNERSHIP ON TABLE raw.events.orders TO ROLE ingest COPY CURRENT GRANTS")
    assert deploy.refusal("ALTER TABLE raw.events.orders SET COMMENT = 'x'").code in ("002003", "003001")
    (grant,) = [row for row in account.table("SHOW GRANTS ON TABLE raw.events.orders") if row["privilege"] == "INSERT"]
    assert grant["granted_by"] == "INGEST"
    account.as_role("INGEST")("ALTER TABLE raw.events.orders SET COMMENT = 'x'")
