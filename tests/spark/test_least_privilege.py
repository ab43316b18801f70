"""The engine as a process, with an access key that may do exactly what the blueprint's policy of the engine says."""

import json
from collections.abc import Callable
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from firnline_infra.blueprint.iam import policy_document
from firnline_infra.blueprint.principals import engine_policy
from firnline_infra.specification import EnvironmentSpec, parse_spec
from firnline_infra.specification.names import Names
from firnline_ingest.ledger.dynamodb import KEY_SCHEMA
from firnline_local.aws.policy import is_allowed
from firnline_local.demo.engine_process import EngineProcess
from firnline_local.running import RunningEnvironment
from tests.iam.callers import UNGUARDED
from tests.iam.running import calls_of, enforce
from tests.spark.conftest import HANGS_S, Lane

pytestmark = [pytest.mark.spark, pytest.mark.timeout(HANGS_S)]

KEY_ID, TABLE = "AKIALEASTPRIVILEGE", "least-privilege"
SPEC = """
version: 1
name: least
aws:
  region: us-east-1
  account: "000000000000"
  key: {{origin: adopt, arn: "{key}"}}
snowflake: {{account: FIRNLINE-LOCAL, ingest: {{secret_arn: "{secret}"}}}}
streams: [{{name: {stream}}}]
pipelines: [{{stream: {stream}, database: FIRNLINE, schema: RAW}}]
ledger: {{table: least-privilege}}
"""


def made(environment: RunningEnvironment) -> tuple[str, str]:
    """Everything that an engine with a customer's key works with, but its stream: the key's ARN and the secret's."""
    key = environment.client("kms").create_key()["KeyMetadata"]["Arn"]
    environment.client("dynamodb").create_table(
        TableName=TABLE,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in KEY_SCHEMA],
        KeySchema=[{"AttributeName": name, "KeyType": kind} for name, kind in KEY_SCHEMA.items()],
        SSESpecification={"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": key},
    )
    pem = environment.logins["ingest"].private_key_file.read_text()
    secrets = environment.client("secretsmanager")
    return key, secrets.create_secret(Name=TABLE, SecretString=pem, KmsKeyId=key)["ARN"]


def engines_role(environment: RunningEnvironment, spec: EnvironmentSpec) -> str:
    document = policy_document(engine_policy(spec, Names.of(spec), spec.aws.key.arn))
    iam, name = environment.client("iam"), Names.of(spec).engine_role
    role = iam.create_role(RoleName=name, AssumeRolePolicyDocument='{"Version": "2012-10-17", "Statement": []}')
    iam.put_role_policy(RoleName=name, PolicyName="engine", PolicyDocument=json.dumps(document))
    arn: str = role["Role"]["Arn"]
    return arn


def test_the_engine_runs_under_exactly_its_policy_and_asks_for_nothing_else(
    local_environment: RunningEnvironment, new_lane: Callable[..., Lane]
) -> None:
    key, secret = made(local_environment)
    lane = new_lane(ledger={"table": TABLE, "create": False}, snowflake={"private_key": {"secret_arn": secret}})
    spec = parse_spec(SPEC.format(key=key, secret=secret, stream=lane.name), "least.yaml")
    local_environment.client("kinesis").start_stream_encryption(StreamName=lane.name, EncryptionType="KMS", KeyId=key)
    lane.put(*({"n": n} for n in range(20)))
    enforce(local_environment, KEY_ID, engines_role(local_environment, spec))
    with pytest.raises(ClientError, match="not authorized"):
        client_of_the_engine(local_environment).put_record(StreamName=lane.name, Data=b"{}", PartitionKey="a")
    mark = calls_of(local_environment).mark

    variables = {**local_environment.variables, "AWS_ACCESS_KEY_ID": KEY_ID}
    log = lane.folder / "engine.log"
    with EngineProcess(lane.config_file, variables, available_now=True, log_file=log) as engine:
        assert engine.wait(HANGS_S) == 0, list(engine.last_lines)

    assert lane.rows("COUNT(*), COUNT(DISTINCT N)") == [(20, 20)]
    seen = calls_of(local_environment, mark)
    calls = [call for call in seen.calls if call.access_key == KEY_ID]
    assert seen.dropped == 0
    assert {call.service for call in calls} >= {"kinesis", "dynamodb", "secretsmanager"}
    statements = policy_document(engine_policy(spec, Names.of(spec), key))["Statement"]
    outside = {
        f"{access.action} on {access.resource}"
        for call in calls
        for access in call.accesses
        if access.action not in UNGUARDED and not is_allowed(statements, access.action, access.resource, access.context)
    }
    assert outside == set()


def client_of_the_engine(environment: RunningEnvironment) -> Any:
    return boto3.client(
        "kinesis",
        endpoint_url=environment.endpoints.kinesis,
        region_name=environment.endpoints.region,
        aws_access_key_id=KEY_ID,
        aws_secret_access_key="x",
    )
