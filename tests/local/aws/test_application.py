"""Faults between the real boto3 and moto."""

import json
import socket
import time
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit

import pytest
from botocore.exceptions import ClientError, ConnectionClosedError

from firnline_local.aws.server import AwsServer
from firnline_local.kinesis import Fault, FaultKind

pytestmark = pytest.mark.contract

ClientOf = Callable[[str], Any]


@pytest.fixture
def table(client_of: ClientOf, request: pytest.FixtureRequest) -> Any:
    """A table of the test's own, with the partition key `id`."""
    name = f"table-{abs(hash(request.node.nodeid))}"
    client_of("dynamodb").create_table(
        TableName=name,
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    return Table(client_of("dynamodb"), name)


class Table:
    """One counter under the key "a"."""

    def __init__(self, client: Any, name: str) -> None:
        self.client = client
        self.name = name

    def take(self, held: int) -> None:
        """Raises its generation by one if it is the one that is held; 0 is none."""
        condition = "generation = :held" if held else "attribute_not_exists(id)"
        self.client.update_item(
            TableName=self.name,
            Key={"id": {"S": "a"}},
            UpdateExpression="SET generation = :next",
            ConditionExpression=condition,
            ExpressionAttributeValues={":next": {"N": str(held + 1)}, **({":held": {"N": str(held)}} if held else {})},
        )

    @property
    def generation(self) -> int:
        item = self.client.get_item(TableName=self.name, Key={"id": {"S": "a"}}, ConsistentRead=True).get("Item")
        return int(item["generation"]["N"]) if item else 0


def test_a_client_that_stops_in_the_middle_of_a_request_holds_nobody_up(aws: AwsServer, table: Table) -> None:
    head = (
        b"POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: DynamoDB_20120810.GetItem\r\nContent-Length: 100\r\n\r\n{"
    )
    with socket.create_connection(("127.0.0.1", urlsplit(aws.endpoint).port or 0)) as stopped:
        stopped.sendall(head)
        assert table.generation == 0


def test_conditional_writes_hold(table: Table) -> None:
    table.take(0)
    table.take(1)
    with pytest.raises(table.client.exceptions.ConditionalCheckFailedException):
        table.take(1)
    with pytest.raises(table.client.exceptions.ConditionalCheckFailedException):
        table.client.put_item(
            TableName=table.name, Item={"id": {"S": "a"}}, ConditionExpression="attribute_not_exists(id)"
        )
    assert table.generation == 2


def test_of_many_that_take_the_same_generation_one_succeeds(table: Table) -> None:
    def take(held: int) -> bool:
        try:
            table.take(held)
        except ClientError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        for held in range(5):
            assert sum(pool.map(take, [held] * 8)) == 1


def test_an_error_fault_has_no_effect_and_is_the_exception_of_its_code(aws: AwsServer, table: Table) -> None:
    code = "ProvisionedThroughputExceededException"
    aws.faults.replace([Fault(endpoint="dynamodb:UpdateItem", kind=FaultKind.ERROR, status=400, code=code, times=1)])
    with pytest.raises(table.client.exceptions.ProvisionedThroughputExceededException):
        table.take(0)
    assert table.generation == 0
    table.take(0)


def test_a_body_that_is_no_answer_has_no_effect(aws: AwsServer, table: Table) -> None:
    aws.faults.replace([Fault(endpoint="dynamodb:UpdateItem", kind=FaultKind.BODY, times=1)])
    table.take(0)
    assert table.generation == 0


@pytest.mark.parametrize(("kind", "generation"), [(FaultKind.CUT, 0), (FaultKind.LOST, 1)])
def test_a_connection_that_is_cut_leaves_the_client_without_an_answer(
    aws: AwsServer, table: Table, kind: FaultKind, generation: int
) -> None:
    aws.faults.replace([Fault(endpoint="dynamodb:UpdateItem", kind=kind)])
    with pytest.raises(ConnectionClosedError):
        table.take(0)
    assert table.generation == generation


def test_a_slow_answer_comes_late_and_others_do_not_wait_for_it(aws: AwsServer, table: Table) -> None:
    aws.faults.replace([Fault(endpoint="dynamodb:UpdateItem", kind=FaultKind.SLOW, delay_s=0.5)])
    began = time.monotonic()
    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(table.take, 0)
        table.generation  # noqa: B018 - another call, while the first one waits
        assert not late.done()
        late.result()
    assert time.monotonic() - began >= 0.5
    assert table.generation == 1


CALLS: list[tuple[str, Callable[[Any], Any], str]] = [
    ("dynamodb", lambda client: client.list_tables(), "InternalServerError"),
    ("iam", lambda client: client.list_roles(), "InternalFailure"),
    ("kms", lambda client: client.list_keys(), "InternalFailure"),
    ("s3", lambda client: client.list_buckets(), "InternalError"),
    ("secretsmanager", lambda client: client.list_secrets(), "InternalFailure"),
    ("sts", lambda client: client.get_caller_identity(), "InternalFailure"),
]


@pytest.mark.parametrize(("service", "call", "internal_failure"), CALLS, ids=[service for service, _, _ in CALLS])
def test_each_service_answers_and_fails_in_its_own_spelling(
    aws: AwsServer, client_of: ClientOf, service: str, call: Callable[[Any], Any], internal_failure: str
) -> None:
    client = client_of(service)
    call(client)
    fault = Fault(endpoint=f"{service}:*", kind=FaultKind.ERROR, status=400, code="AccessDenied", message="a < b & c")
    aws.faults.replace([fault])
    with pytest.raises(ClientError) as denied:
        call(client)
    assert denied.value.response["Error"]["Code"] == "AccessDenied"
    assert denied.value.response["Error"]["Message"] == "a < b & c"
    aws.faults.replace([Fault(endpoint=f"{service}:*", kind=FaultKind.ERROR)])
    with pytest.raises(ClientError) as failed:
        call(client)
    assert failed.value.response["Error"]["Code"] == internal_failure
    assert failed.value.response["ResponseMetadata"]["HTTPStatusCode"] == 500


def test_an_upload_that_is_cut_leaves_no_object_and_no_broken_connection(aws: AwsServer, client_of: ClientOf) -> None:
    s3 = client_of("s3")
    s3.create_bucket(Bucket="uploads")
    aws.faults.replace([Fault(endpoint="s3:PUT", kind=FaultKind.CUT, times=1)])
    with pytest.raises(ConnectionClosedError):
        s3.put_object(Bucket="uploads", Key="a", Body=b"x" * 300_000)
    assert "Contents" not in s3.list_objects_v2(Bucket="uploads")
    s3.put_object(Bucket="uploads", Key="a", Body=b"y")
    assert s3.get_object(Bucket="uploads", Key="a")["Body"].read() == b"y"


@pytest.mark.parametrize(
    ("service", "reason"), [("kinesis", "endpoint of its own"), ("firehose", "it has cloudwatch, dynamodb")]
)
def test_a_service_that_is_not_here_is_refused_by_name(client_of: ClientOf, service: str, reason: str) -> None:
    client = client_of(service)
    with pytest.raises(ClientError, match=rf"no {service} .*{reason}"):
        client.list_streams() if service == "kinesis" else client.list_delivery_streams()


def test_faults_are_set_and_looked_at_over_http(aws: AwsServer, client_of: ClientOf) -> None:
    plan = [{"endpoint": "sts:*", "kind": "ERROR", "every": 2}]
    set_faults(aws, json.dumps(plan))
    sts = client_of("sts")
    sts.get_caller_identity()
    with pytest.raises(ClientError):
        sts.get_caller_identity()
    with urllib.request.urlopen(f"{aws.endpoint}/__firnline__/faults") as answer:
        (shown,) = json.load(answer)
    assert (shown["calls"], shown["hits"]) == (2, 1)


def test_a_plan_that_cannot_be_carried_out_is_refused_with_the_reason(aws: AwsServer) -> None:
    with pytest.raises(HTTPError) as refusal:
        set_faults(aws, '[{"endpoint": "sts:*", "kind": "SULK"}]')
    with refusal.value as answer:
        assert (answer.code, b"SULK" in answer.read()) == (400, True)


def set_faults(aws: AwsServer, plan: str) -> None:
    with urllib.request.urlopen(f"{aws.endpoint}/__firnline__/faults", data=plan.encode()) as answer:
        answer.read()


def test_a_request_that_breaks_its_services_model_is_refused(client_of: ClientOf) -> None:
    """boto3 looks at no enumeration, and moto at few: the model of the service has them all."""
    asked = {
        "TableName": "of-a-class",
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
        "BillingMode": "PAY_PER_REQUEST",
        "TableClass": "SOMETIMES",
    }
    with pytest.raises(ClientError, match=r"ValidationException.*satisfy enum value set: \[STANDARD"):
        client_of("dynamodb").create_table(**asked)
