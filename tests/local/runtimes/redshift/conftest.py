"""A workgroup of the embedded Redshift in this process, beside an embedded AWS and Kinesis, with a role that may read streams."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3
import pytest

from firnline_local.aws.server import AwsServer
from firnline_local.faults import FaultPlan
from firnline_local.kinesis import FakeKinesis, KinesisServer
from firnline_local.runtimes.redshift import database
from firnline_local.runtimes.server import RuntimesApplication
from firnline_local.wsgi import WsgiServer

ACCOUNT, REGION = "123456789012", "us-east-1"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/redshift"
STREAM = "my_stream_name"
TRUST = {"Effect": "Allow", "Principal": {"Service": "redshift.amazonaws.com"}, "Action": "sts:AssumeRole"}
READ = {
    "Effect": "Allow",
    "Action": [
        f"kinesis:{each}" for each in ("DescribeStreamSummary", "GetShardIterator", "GetRecords", "DescribeStream")
    ],
    "Resource": f"arn:aws:kinesis:*:{ACCOUNT}:stream/*",
}
LIST = {"Effect": "Allow", "Action": ["kinesis:ListStreams", "kinesis:ListShards"], "Resource": "*"}


class StatementFailed(Exception):
    pass


@dataclass
class Account:
    aws: str
    kinesis: str
    runtimes: str
    clients: dict[str, Any] = field(default_factory=dict)

    def client(self, service: str) -> Any:
        return self.clients.get(service) or self.clients.setdefault(service, self._client(service))

    def _client(self, service: str) -> Any:
        own = {"kinesis": self.kinesis, "redshift-data": self.runtimes, "redshift-serverless": self.runtimes}
        factory: Any = boto3.client
        return factory(
            service,
            region_name=REGION,
            endpoint_url=own.get(service, self.aws),
            aws_access_key_id="a",
            aws_secret_access_key="b",
        )

    def run(self, sql: str, database: str = "dev") -> list[tuple[Any, ...]]:
        data = self.client("redshift-data")
        sent = data.execute_statement(Sql=sql, Database=database, WorkgroupName="analytics")["Id"]
        while (found := data.describe_statement(Id=sent))["Status"] == "STARTED":
            pass
        if found["Status"] == "FAILED":
            raise StatementFailed(found["Error"])
        if not found["HasResultSet"]:
            return []
        records = data.get_statement_result(Id=sent)["Records"]
        return [
            tuple(next(iter(value.values())) if "isNull" not in value else None for value in row) for row in records
        ]

    def put(self, *records: bytes, stream: str = STREAM) -> None:
        kinesis = self.client("kinesis")
        for number, data in enumerate(records):
            kinesis.put_record(StreamName=stream, Data=data, PartitionKey=f"key-{number}")

    def policy(self, *statements: dict[str, Any]) -> None:
        document = json.dumps({"Version": "2012-10-17", "Statement": list(statements)})
        self.client("iam").put_role_policy(RoleName="redshift", PolicyName="streams", PolicyDocument=document)


def rows(account: Account, select: str, count: int) -> list[tuple[object, ...]]:
    """Once there are as many: a view refreshes itself after a statement, so the first answer may be an older one."""
    for _ in range(5):
        if len(found := account.run(select)) == count:
            return found
    raise AssertionError(found)


@pytest.fixture
def account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Account]:
    monkeypatch.setenv("MOTO_ACCOUNT_ID", ACCOUNT)
    monkeypatch.setattr(database, "AUTO_REFRESH_S", 0.0)
    application = RuntimesApplication(tmp_path, account=ACCOUNT, region=REGION, faults=FaultPlan())
    with (
        AwsServer() as aws,
        KinesisServer(FakeKinesis(account_id=ACCOUNT, region=REGION, read_limits=False)) as kinesis,
        WsgiServer(application, name="runtimes") as runtimes,
    ):
        application.places = type(application.places)(
            aws=aws.endpoint, kinesis=kinesis.endpoint, region=REGION, account=ACCOUNT
        )
        made = Account(aws.endpoint, kinesis.endpoint, runtimes.endpoint)
        made.client("kinesis").create_stream(StreamName=STREAM, ShardCount=2)
        document = json.dumps({"Version": "2012-10-17", "Statement": [TRUST]})
        made.client("iam").create_role(RoleName="redshift", AssumeRolePolicyDocument=document)
        made.policy(READ, LIST)
        serverless = made.client("redshift-serverless")
        serverless.create_namespace(namespaceName="analytics", iamRoles=[ROLE], defaultIamRoleArn=ROLE)
        serverless.create_workgroup(workgroupName="analytics", namespaceName="analytics")
        yield made
        made.client("iam").delete_role_policy(RoleName="redshift", PolicyName="streams")
        made.client("iam").delete_role(RoleName="redshift")
    application.stop()
