import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from snowflake.connector import SnowflakeConnection

from firnline_infra.accounts.accounts import rows
from firnline_infra.accounts.errors import AwsRefused
from firnline_infra.blueprint import Blueprint, blueprint_of
from firnline_infra.environment import Environment
from firnline_infra.kinds.buckets import BUCKET
from firnline_infra.kinds.kind import own_name
from firnline_infra.kinds.observability import DASHBOARD
from firnline_infra.observe.existing import StackResources, already_there
from firnline_infra.specification import load_spec, parse_spec
from firnline_infra.specification.identifier import QualifiedName
from firnline_infra.specification.origin import Origin
from firnline_local.accounts import EmbeddedAccounts
from firnline_local.running import RunningEnvironment

pytestmark = pytest.mark.contract
STREAM, TABLE = "aws:kinesis/stream:Stream", "snowflake:index/table:Table"
DATABASE, SCHEMA = "snowflake:index/database:Database", "snowflake:index/schema:Schema"
PLACE = ["database FIRNLINE in Snowflake", "schema FIRNLINE.RAW in Snowflake"]


def state_of(*resources: dict[str, Any], pending: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    operations = [{"type": "creating", "resource": resource} for resource in pending]
    return {"deployment": {"resources": list(resources), "pending_operations": operations}}


def resource(type_: str, **inputs: str) -> dict[str, Any]:
    return {"type": type_, "inputs": inputs, "outputs": {}}


@pytest.fixture
def session(local_environment: RunningEnvironment) -> Iterator[SnowflakeConnection]:
    with closing(local_environment.connect("admin")) as session:
        yield session


@pytest.fixture
def accounts(local_environment: RunningEnvironment) -> EmbeddedAccounts:
    return EmbeddedAccounts(local_environment)


@pytest.fixture
def blueprint(spec_file: Path) -> Blueprint:
    """Returns a blueprint of streams and tables that the shared environment has: orders, FIRNLINE.RAW.ORDERS."""
    spec_file.write_text(spec_file.read_text().replace("database: SHOP", "database: FIRNLINE"))
    return blueprint_of(load_spec(spec_file))


def test_what_exists_and_is_in_no_state_is_named(
    blueprint: Blueprint, accounts: EmbeddedAccounts, session: SnowflakeConnection
) -> None:
    assert list(already_there(blueprint, accounts, session, {})) == [
        "stream orders",
        *PLACE,
        "table FIRNLINE.RAW.ORDERS in Snowflake",
    ]


def test_what_the_state_knows_or_a_killed_up_was_making_is_its_own(
    blueprint: Blueprint, accounts: EmbeddedAccounts, session: SnowflakeConnection
) -> None:
    state = state_of(
        *(resource(STREAM, name="orders"), resource(DATABASE, name="FIRNLINE")),
        resource(SCHEMA, database="FIRNLINE", name="RAW"),
        pending=(resource(TABLE, database="FIRNLINE", schema="RAW", name="ORDERS"),),
    )
    assert list(already_there(blueprint, accounts, session, state)) == []


def test_what_is_adopted_may_be_there(
    blueprint: Blueprint, accounts: EmbeddedAccounts, session: SnowflakeConnection
) -> None:
    spec = blueprint.environment.spec
    streams = [each.model_copy(update={"origin": Origin.ADOPT}) for each in spec.streams]
    environment = Environment.of(spec.model_copy(update={"streams": streams}))
    adopted = replace(blueprint, environment=environment)
    found = list(already_there(adopted, accounts, session, {}))
    assert found == [*PLACE, "table FIRNLINE.RAW.ORDERS in Snowflake"]


def test_a_bucket_and_a_ledger_of_somebody_else_are_named(
    blueprint: Blueprint, accounts: EmbeddedAccounts, session: SnowflakeConnection
) -> None:
    bucket, environment = BUCKET.instance(blueprint), blueprint.environment
    named = replace(environment, names=replace(environment.names, ledger_table="firnline-local"))
    accounts.aws("s3").create_bucket(Bucket=own_name(bucket))
    try:
        found = list(already_there(replace(blueprint, environment=named), accounts, session, {}))
    finally:
        accounts.aws("s3").delete_bucket(Bucket=own_name(bucket))
    assert f"bucket {own_name(bucket)}" in found
    assert "DynamoDB table firnline-local" in found


def test_what_cant_be_asked_is_no_answer(
    blueprint: Blueprint,
    accounts: EmbeddedAccounts,
    session: SnowflakeConnection,
    local_environment: RunningEnvironment,
) -> None:
    local_environment.add_fault(
        endpoint="kinesis:DescribeStreamSummary", kind="ERROR", status=400, code="AccessDeniedException"
    )
    try:
        with pytest.raises(AwsRefused, match="AccessDenied"):
            list(already_there(blueprint, accounts, session, {}))
    finally:
        local_environment.set_faults([])


def test_a_table_that_a_statement_made_is_known_by_the_statement() -> None:
    made = resource(
        "snowflake:index/execute:Execute", execute='CREATE INTERACTIVE TABLE "DB"."RAW"."FAST" ("K" VARCHAR)'
    )
    known = StackResources.of(state_of(made))
    assert known.has_table(QualifiedName.of("DB", "RAW", "FAST"))
    assert not known.has_table(QualifiedName.of("OTHER", "RAW", "FAST"))


def test_a_table_that_a_statement_only_alters_is_not_known_by_it() -> None:
    """The statement stays in the state when the table goes to another owner and the refresh forgets the table itself."""
    altered = resource("snowflake:index/execute:Execute", execute='ALTER TABLE "DB"."RAW"."T" SET ERROR_LOGGING = TRUE')
    assert not StackResources.of(state_of(altered)).has_table(QualifiedName.of("DB", "RAW", "T"))


def test_the_name_of_another_kind_of_thing_is_not_known() -> None:
    known = StackResources.of(state_of(resource(STREAM, name="firnline-dev")))
    assert known.has(STREAM, "firnline-dev")
    assert not known.has("aws:dynamodb/table:Table", "firnline-dev")


def test_every_name_that_is_taken_is_told_in_one_report(
    spec_file: Path, accounts: EmbeddedAccounts, session: SnowflakeConnection
) -> None:
    blueprint = blueprint_of(parse_spec(EVERYTHING, "taken.yaml"))
    made = [
        *(
            "CREATE DATABASE TAKEN",
            "CREATE SCHEMA TAKEN.RAW",
            "CREATE ROLE TAKEN_DEV_INGEST",
            "CREATE USER TAKEN_DEV_READER",
        ),
        *("CREATE NETWORK POLICY TAKEN_DEV_NETWORK ALLOWED_IP_LIST = ('127.0.0.1')", "CREATE WAREHOUSE TAKEN_FAST"),
        "CREATE AUTHENTICATION POLICY TAKEN.RAW.TAKEN_DEV_KEY_PAIR_ONLY AUTHENTICATION_METHODS = ('KEYPAIR')",
        "CREATE TABLE TAKEN.RAW.T (META OBJECT)",
        "CREATE PIPE TAKEN.RAW.P AS COPY INTO TAKEN.RAW.T (META) FROM "
        "(SELECT $1:meta FROM TABLE(DATA_SOURCE(TYPE => 'STREAMING')))",
    ]
    for statement in made:
        rows(session, statement)
    iam, secrets = accounts.aws("iam"), accounts.aws("secretsmanager")
    iam.create_role(RoleName="taken-engine", AssumeRolePolicyDocument=json.dumps(TRUST))
    arn = secrets.create_secret(Name="taken/snowflake/ingest")["ARN"]
    accounts.aws("ssm").put_parameter(Name="/taken/ledger-table", Value="t", Type="String")
    accounts.aws("cloudwatch").put_metric_alarm(AlarmName="taken-taken-lag", **ALARM)
    try:
        found = list(already_there(blueprint, accounts, session, {}))
    finally:
        iam.delete_role(RoleName="taken-engine")
        secrets.delete_secret(SecretId=arn, ForceDeleteWithoutRecovery=True)
        accounts.aws("ssm").delete_parameter(Name="/taken/ledger-table")
        accounts.aws("cloudwatch").delete_alarms(AlarmNames=["taken-taken-lag"])
        for kind in ("DATABASE TAKEN", "ROLE TAKEN_DEV_INGEST", "USER TAKEN_DEV_READER", "WAREHOUSE TAKEN_FAST"):
            rows(session, f"DROP {kind}")
        rows(session, "DROP NETWORK POLICY TAKEN_DEV_NETWORK")
    assert found == [
        *("IAM role taken-engine", "secret taken/snowflake/ingest"),
        *("parameter /taken/ledger-table", "alarm taken-taken-lag"),
        *("database TAKEN in Snowflake", "schema TAKEN.RAW in Snowflake", "pipe TAKEN.RAW.P in Snowflake"),
        *("role TAKEN_DEV_INGEST in Snowflake", "user TAKEN_DEV_READER in Snowflake"),
        "network policy TAKEN_DEV_NETWORK in Snowflake",
        "authentication policy TAKEN.RAW.TAKEN_DEV_KEY_PAIR_ONLY in Snowflake",
        "warehouse TAKEN_FAST in Snowflake",
    ]


def test_a_dashboard_that_the_stack_made_is_known_by_its_name() -> None:
    known = StackResources.of(state_of(resource(DASHBOARD.token, dashboardName="firnline-prod", dashboardBody="{}")))
    assert known.has(DASHBOARD.token, "firnline-prod")
    assert not known.has(DASHBOARD.token, "firnline-dev")


TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"Service": "x.amazonaws.com"}, "Action": "sts:AssumeRole"}],
}
ALARM: dict[str, Any] = {
    "ComparisonOperator": "GreaterThanThreshold",
    "EvaluationPeriods": 1,
    "MetricName": "M",
    "Namespace": "N",
    "Period": 60,
    "Statistic": "Sum",
    "Threshold": 1.0,
}
EVERYTHING = """
version: 1
name: dev
application: taken
aws: {region: us-east-1, account: "000000000000"}
snowflake:
  account: FIRNLINE-LOCAL
  warehouse: COMPUTE_WH
  allowed_networks: [127.0.0.0/8]
  key_pair_only: true
  interactive_warehouse: {name: TAKEN_FAST}
streams: [{name: taken, shards: 1}, {name: fast, shards: 1}]
pipelines:
  - {stream: taken, database: TAKEN, schema: RAW, schema_evolution: false,
     pipe: {name: P, select: "$1:KINESISMETADATA"}}
  - {stream: fast, database: TAKEN, schema: RAW, table_kind: interactive, cluster_by: [ID],
     columns: [{name: ID, type: VARCHAR}, {name: V, type: FLOAT}]}
alarms: {topics: ["arn:aws:sns:us-east-1:000000000000:oncall"]}
publication: {ssm_prefix: /taken}
"""
