"""A customer who has a database LAKE already, with a schema and a table of somebody else's: the whole life beside them.

The program is applied in this process, by the role that deploys, with its rights enforced.
"""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import pytest
from snowflake.connector import SnowflakeConnection

from firnline_infra.accounts.accounts import rows, rows_if_there
from firnline_infra.blueprint import Blueprint, blueprint_of
from firnline_infra.observe.absent import absent
from firnline_infra.observe.adopted import check_adopted
from firnline_infra.observe.existing import already_there
from firnline_infra.observe.readback import read_back
from firnline_infra.render.bootstrap.snowflake import required_grant_statements, role_statements
from firnline_infra.specification import EnvironmentSpec, parse_spec
from firnline_local.accounts import EmbeddedAccounts
from firnline_local.provisioning import program_of
from firnline_local.pulumi.in_process.application import ProgramApplication
from firnline_local.running import RunningEnvironment

pytestmark = pytest.mark.contract
SPEC = """
version: 1
name: dev
application: beside
durability: EPHEMERAL
aws:
  region: us-east-1
  account: "000000000000"
  key: {origin: skip}
  runtime: {role_arn: "arn:aws:iam::000000000000:role/beside-engine"}
snowflake:
  account: FIRNLINE-LOCAL
  warehouse: COMPUTE_WH
  databases:
    - name: THEIR_LAKE
      origin: adopt
      schemas: [{name: RAW, origin: adopt}, {name: PUBLIC, origin: adopt}]
  network_policy: {origin: adopt, name: THEIR_NETWORK}
streams: [{name: beside-orders, shards: 1}, {name: beside-clicks, shards: 1}, {name: beside-views, shards: 1}]
pipelines:
  - {stream: beside-orders, database: THEIR_LAKE, schema: RAW, table: ORDERS, table_origin: adopt}
  - {stream: beside-clicks, database: THEIR_LAKE, schema: PUBLIC, table: CLICKS}
  - {stream: beside-views, database: THEIR_LAKE, schema: OURS, table: VIEWS}
"""
THEIRS = (
    "CREATE ROLE THEIR_OWNERS",
    "GRANT CREATE DATABASE ON ACCOUNT TO ROLE THEIR_OWNERS",
    "CREATE NETWORK POLICY THEIR_NETWORK ALLOWED_IP_LIST = ('127.0.0.0/8')",
    "GRANT ROLE THEIR_OWNERS TO ROLE ACCOUNTADMIN",
    "USE ROLE THEIR_OWNERS",
    "CREATE DATABASE THEIR_LAKE COMMENT = 'the platform team'",
    "CREATE SCHEMA THEIR_LAKE.RAW",
    "CREATE TABLE THEIR_LAKE.RAW.ORDERS (KINESISMETADATA OBJECT, ID NUMBER)",
    "ALTER TABLE THEIR_LAKE.RAW.ORDERS SET ENABLE_SCHEMA_EVOLUTION = TRUE",
    "ALTER TABLE THEIR_LAKE.RAW.ORDERS SET ERROR_LOGGING = TRUE",
    "ALTER TABLE THEIR_LAKE.RAW.ORDERS SET ROW_TIMESTAMP = TRUE",
    "USE ROLE ACCOUNTADMIN",
)


@dataclass
class World:
    spec: EnvironmentSpec
    environment: RunningEnvironment
    session: SnowflakeConnection
    """Of the administrator, who may be anybody."""
    application: ProgramApplication

    @property
    def blueprint(self) -> Blueprint:
        return blueprint_of(self.spec)

    def run(self, *statements: str) -> None:
        for statement in statements:
            rows(self.session, statement)

    def bootstrap(self, *, owners: bool = True) -> None:
        administrator = self.environment.logins["admin"].user
        role = self.blueprint.names.deploy_role.sql
        self.run(*role_statements(self.blueprint), f"GRANT ROLE {role} TO USER {administrator}")
        if owners:
            self.run(*required_grant_statements(self.blueprint))

    def up(self) -> dict[str, Any]:
        program = program_of(self.spec, role=str(self.blueprint.names.deploy_role))
        return self.application.up(program, stack="dev", project="firnline")

    def theirs(self) -> list[tuple[str, str, str]]:
        """Returns who owns what in the lake, and what is said of it."""
        shown = ["DATABASES LIKE 'THEIR_LAKE'", "SCHEMAS IN DATABASE THEIR_LAKE", "TABLES IN SCHEMA THEIR_LAKE.RAW"]
        found = [row for each in shown for row in rows(self.session, f"SHOW {each}")]
        return sorted((row["name"], row["owner"], row["comment"] or "") for row in found)


@pytest.fixture
def world(local_environment: RunningEnvironment) -> Iterator[World]:
    """With the lake of somebody else in it."""
    application = ProgramApplication(local_environment)
    with closing(local_environment.connect("admin")) as session:
        world = World(parse_spec(SPEC, "dev.yaml"), local_environment, session, application)
        world.run(*THEIRS)
        yield world
        application.destroy()
        for each in (
            "DATABASE THEIR_LAKE",
            "NETWORK POLICY THEIR_NETWORK",
            "ROLE THEIR_OWNERS",
            "ROLE BESIDE_DEV_DEPLOY",
        ):
            rows_if_there(session, f"DROP {each}")


def problems(world: World) -> list[str]:
    return [str(each) for each in check_adopted(world.blueprint, world.session)]


def test_a_whole_life_leaves_what_is_adopted_as_it_was(world: World) -> None:
    before = world.theirs()
    world.bootstrap()
    assert problems(world) == []
    assert list(already_there(world.blueprint, EmbeddedAccounts(world.environment), world.session, {})) == []

    outputs = world.up()
    made = [record.id for record in world.application.resources]
    assert not any("THEIR_LAKE" in str(record.inputs.get("name")) for record in world.application.resources)
    assert outputs["engine_role_arn"] == "arn:aws:iam::000000000000:role/beside-engine"
    assert "kinesis:GetRecords" in outputs["engine_policy"]
    assert "emr-serverless.amazonaws.com" in outputs["engine_trust"]
    assert [each.path for each in read_back(world.blueprint, world.session)] == ["NETWORK_POLICY", "NETWORK_POLICY"]
    world.run(*(f"ALTER USER BESIDE_DEV_{who} SET NETWORK_POLICY = THEIR_NETWORK" for who in ("INGEST", "READER")))

    world.up()  # nothing is left to change
    assert [record.id for record in world.application.resources] == made
    assert read_back(world.blueprint, world.session) == []
    world.run(
        "USE ROLE THEIR_OWNERS", "ALTER TABLE THEIR_LAKE.RAW.ORDERS SET ERROR_LOGGING = FALSE", "USE ROLE ACCOUNTADMIN"
    )
    (drift,) = read_back(world.blueprint, world.session)
    assert (drift.object, drift.path, drift.repair) == ("table THEIR_LAKE.RAW.ORDERS", "ERROR_LOGGING", "")

    world.application.destroy()
    assert world.theirs() == before
    assert rows_if_there(world.session, "DESCRIBE USER BESIDE_DEV_INGEST") is None


def test_what_owners_have_not_granted_is_told_with_the_statements_that_grant_it(world: World) -> None:
    world.bootstrap(owners=False)
    unusable = list(check_adopted(world.blueprint, world.session))
    assert [each.object for each in unusable] == [
        *("warehouse COMPUTE_WH", "database THEIR_LAKE", "database THEIR_LAKE"),
        *(
            "schema THEIR_LAKE.RAW",
            "schema THEIR_LAKE.PUBLIC",
            "schema THEIR_LAKE.PUBLIC",
            "table THEIR_LAKE.RAW.ORDERS",
        ),
    ]
    world.run(*(each.repair for each in unusable))
    assert problems(world) == []


def test_each_of_the_owners_grants_is_needed(world: World) -> None:
    for statement in required_grant_statements(world.blueprint):
        world.bootstrap()
        revoked = statement.replace("GRANT ", "REVOKE ", 1).replace(" TO ROLE ", " FROM ROLE ")
        world.run(revoked.replace(" WITH GRANT OPTION", ""))
        assert problems(world), statement


def test_what_is_not_there_or_not_as_it_is_said_to_be_is_told(world: World) -> None:
    world.bootstrap()
    world.run("USE ROLE THEIR_OWNERS", "ALTER TABLE THEIR_LAKE.RAW.ORDERS DROP COLUMN KINESISMETADATA")
    world.run("ALTER TABLE THEIR_LAKE.RAW.ORDERS SET ROW_TIMESTAMP = FALSE", "USE ROLE ACCOUNTADMIN")
    unusable = list(check_adopted(world.blueprint, world.session))
    assert [str(each) for each in unusable] == [
        "table THEIR_LAKE.RAW.ORDERS: ROW_TIMESTAMP is FALSE, expected TRUE",
        "table THEIR_LAKE.RAW.ORDERS: column KINESISMETADATA is nothing, expected OBJECT",
    ]
    alter = 'ALTER TABLE "THEIR_LAKE"."RAW"."ORDERS"'
    repairs = [f"{alter} SET ROW_TIMESTAMP = TRUE", f'{alter} ADD COLUMN "KINESISMETADATA" OBJECT']
    assert [each.repair for each in unusable] == repairs
    world.run("DROP TABLE THEIR_LAKE.RAW.ORDERS", "DROP SCHEMA THEIR_LAKE.PUBLIC")
    told = problems(world)
    assert any(each.startswith("schema THEIR_LAKE.PUBLIC") and "is it there?" in each for each in told)
    assert "table THEIR_LAKE.RAW.ORDERS: exists is nothing, expected yes" in told


def test_in_a_schema_with_managed_access_nobody_else_could_grant(world: World) -> None:
    world.bootstrap()
    world.run("ALTER SCHEMA THEIR_LAKE.RAW ENABLE MANAGED ACCESS")
    (problem,) = problems(world)
    assert "only its owner THEIR_OWNERS may grant there" in problem


def test_without_the_role_that_deploys_there_is_one_thing_to_say(world: World) -> None:
    (problem,) = problems(world)
    assert problem.startswith("role BESIDE_DEV_DEPLOY: is not there")


def test_what_is_adopted_in_aws_has_to_be_there(world: World) -> None:
    text = SPEC.replace("{name: beside-orders, shards: 1}", "{name: beside-orders, origin: adopt}").replace(
        "key: {origin: skip}",
        "key: {origin: adopt, arn: 'arn:aws:kms:us-east-1:000000000000:key/1a2b3c4d-0000-1111-2222-333344445555'}, \n"
        "  bucket: {origin: adopt, name: nobodys-bucket}".replace(", \n", "\n"),
    )
    spec = parse_spec(text, "dev.yaml")
    accounts = EmbeddedAccounts(world.environment)
    assert [each.partition(":")[0] for each in absent(spec, blueprint_of(spec), accounts)] == [
        *("streams[0]", "aws.key", "aws.bucket", "aws.runtime.role_arn"),
    ]
