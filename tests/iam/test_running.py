"""The calls of both servers of a running environment, and a caller whose policies both enforce."""

import json
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from firnline_local.running import RunningEnvironment
from tests.fakes.kinesis import made_active
from tests.iam.running import calls_of, enforce, release

pytestmark = pytest.mark.contract

KEY, STREAM = "test-calls", "test-calls"


@pytest.fixture
def role(local_environment: RunningEnvironment) -> Iterator[str]:
    iam, kinesis = local_environment.client("iam"), local_environment.client("kinesis")
    made_active(kinesis, STREAM)
    trust = {"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
    arn = iam.create_role(RoleName="test-calls", AssumeRolePolicyDocument=document)["Role"]["Arn"]
    yield arn
    release(local_environment, KEY, arn)
    for policy in iam.list_role_policies(RoleName="test-calls")["PolicyNames"]:
        iam.delete_role_policy(RoleName="test-calls", PolicyName=policy)
    iam.delete_role(RoleName="test-calls")
    kinesis.delete_stream(StreamName=STREAM)


def client(environment: RunningEnvironment, service: str) -> Any:
    """Signs with the key of this test."""
    session: Any = boto3.session.Session()
    return session.client(
        service,
        region_name=environment.endpoints.region,
        endpoint_url=environment.endpoints.of_service(service),
        aws_access_key_id=KEY,
        aws_secret_access_key=KEY,
        config=Config(retries={"total_max_attempts": 1}),
    )


def allow(environment: RunningEnvironment, role: str, *actions: str) -> None:
    statement = {"Effect": "Allow", "Action": list(actions), "Resource": "*"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    environment.client("iam").put_role_policy(RoleName="test-calls", PolicyName="calls", PolicyDocument=document)
    enforce(environment, KEY, role)


def test_calls_of_both_servers_are_seen_with_their_caller(local_environment: RunningEnvironment, role: str) -> None:
    mark = calls_of(local_environment).mark
    client(local_environment, "kinesis").list_shards(StreamName=STREAM)
    client(local_environment, "sts").get_caller_identity()
    seen = calls_of(local_environment, mark)
    arn = f"arn:aws:kinesis:us-east-1:{local_environment.endpoints.aws_account}:stream/{STREAM}"
    assert seen.accesses(access_key=KEY) == {("kinesis:ListShards", arn), ("sts:GetCallerIdentity", "*")}
    assert seen.dropped == 0
    assert calls_of(local_environment, seen.mark).accesses(access_key=KEY) == frozenset()


def test_both_servers_enforce_what_a_roles_policies_allow(local_environment: RunningEnvironment, role: str) -> None:
    kinesis, dynamodb = client(local_environment, "kinesis"), client(local_environment, "dynamodb")
    allow(local_environment, role, "kinesis:*")
    kinesis.list_shards(StreamName=STREAM)
    with pytest.raises(ClientError, match=rf"{role} is not authorized to perform: dynamodb:ListTables"):
        dynamodb.list_tables()
    allow(local_environment, role, "dynamodb:*")
    dynamodb.list_tables()
    with pytest.raises(ClientError, match=rf"{role} is not authorized to perform: kinesis:ListShards"):
        kinesis.list_shards(StreamName=STREAM)
    release(local_environment, KEY, role)
    kinesis.list_shards(StreamName=STREAM)
