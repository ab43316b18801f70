"""The service on its wire, and the real botocore in front of the fake, in this process."""

import json
from email.utils import parsedate_to_datetime

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError, ConnectionClosedError

from firnline_local.kinesis import FakeKinesis, Fault, FaultKind
from firnline_local.kinesis.wire import CONTENT_TYPE, TARGET_PREFIX, Reply, respond


def ask(kinesis: FakeKinesis, operation: str = "ListStreams", content_type: str = CONTENT_TYPE) -> Reply:
    return respond(kinesis, target=f"{TARGET_PREFIX}{operation}", content_type=content_type, body=b"{}")


def test_an_answer_is_json(kinesis: FakeKinesis) -> None:
    reply = ask(kinesis)
    assert (reply.status, reply.is_cut, reply.delay_s) == (200, False, 0)
    assert json.loads(reply.body)["StreamNames"] == []


def test_another_content_type_is_refused_with_the_way_out(kinesis: FakeKinesis) -> None:
    reply = ask(kinesis, content_type="text/plain")
    assert reply.status == 400
    assert json.loads(reply.body)["message"].endswith(f"send {CONTENT_TYPE}.")


@pytest.mark.parametrize("target", ["", "DynamoDB_20120810.GetItem"])
def test_another_services_target_is_refused(kinesis: FakeKinesis, target: str) -> None:
    reply = respond(kinesis, target=target, content_type=CONTENT_TYPE, body=b"{}")
    assert json.loads(reply.body)["__type"] == "UnknownOperationException"


def test_a_fault_without_a_code_is_an_internal_failure(kinesis: FakeKinesis) -> None:
    kinesis.faults.replace([Fault(endpoint="kinesis:*", kind=FaultKind.ERROR)])
    reply = ask(kinesis)
    assert (reply.status, json.loads(reply.body)["__type"]) == (500, "InternalFailureException")


def test_a_fault_answers_with_its_own_status_code_and_message(kinesis: FakeKinesis) -> None:
    fault = Fault(endpoint="kinesis:*", kind=FaultKind.ERROR, status=400, code="KMSThrottlingException", message="slow")
    kinesis.faults.replace([fault])
    reply = ask(kinesis)
    assert (reply.status, json.loads(reply.body)) == (400, {"__type": "KMSThrottlingException", "message": "slow"})


def test_a_slow_answer_is_the_right_one_and_late(kinesis: FakeKinesis) -> None:
    kinesis.faults.replace([Fault(endpoint="kinesis:*", kind=FaultKind.SLOW, delay_s=2.5, times=1)])
    slow, usual = ask(kinesis), ask(kinesis)
    assert (slow.delay_s, usual.delay_s) == (2.5, 0)
    assert slow.body == usual.body


def test_a_real_client_reads_what_was_put(kinesis: FakeKinesis) -> None:
    shard = kinesis.create_stream("orders").shard(records=2)
    client = kinesis.client()
    iterator = client.get_shard_iterator(StreamName="orders", ShardId=shard.id, ShardIteratorType="TRIM_HORIZON")
    page = client.get_records(ShardIterator=iterator["ShardIterator"])
    assert [record["Data"] for record in page["Records"]] == [record.data for record in shard.records]


def test_a_refusal_is_the_exception_that_boto3_has_for_it(kinesis: FakeKinesis) -> None:
    client = kinesis.client()
    with pytest.raises(client.exceptions.ResourceNotFoundException) as refusal:
        client.describe_stream_summary(StreamName="orders")
    assert refusal.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400


@pytest.mark.parametrize(
    ("kind", "has_effect"), [(FaultKind.ERROR, False), (FaultKind.CUT, False), (FaultKind.LOST, True)]
)
def test_faults_reach_the_client_and_only_a_lost_answer_has_had_its_effect(
    kinesis: FakeKinesis, kind: FaultKind, has_effect: bool
) -> None:
    orders = kinesis.create_stream("orders")
    client = boto3.client(
        "kinesis",
        region_name="us-east-1",
        aws_access_key_id="a",
        aws_secret_access_key="b",
        config=Config(retries={"total_max_attempts": 1}),
    )
    kinesis.connect(client)
    kinesis.faults.replace([Fault(endpoint="kinesis:PutRecord", kind=kind)])
    with pytest.raises((ClientError, ConnectionClosedError)):
        client.put_record(StreamName="orders", Data=b"x", PartitionKey="k")
    assert len(orders.records) == int(has_effect)


def test_a_clients_own_retries_are_at_work(kinesis: FakeKinesis) -> None:
    orders = kinesis.create_stream("orders")
    kinesis.faults.replace([Fault(endpoint="kinesis:PutRecord", kind=FaultKind.LOST, times=1)])
    kinesis.client().put_record(StreamName="orders", Data=b"x", PartitionKey="k")
    assert len(orders.records) == 2  # a producer that retries puts twice


def test_a_body_that_is_no_answer_comes_with_a_good_status_and_no_effect(kinesis: FakeKinesis) -> None:
    orders = kinesis.create_stream("orders")
    kinesis.faults.replace([Fault(endpoint="kinesis:PutRecord", kind=FaultKind.BODY, body="<html>", times=1)])
    reply = ask(kinesis, "PutRecord")
    assert (reply.status, reply.body, orders.records) == (200, b"<html>", [])


def test_an_answer_carries_the_services_own_time(kinesis: FakeKinesis) -> None:
    answer = kinesis.client().list_streams()
    date = parsedate_to_datetime(answer["ResponseMetadata"]["HTTPHeaders"]["date"])
    assert date == kinesis.clock().replace(microsecond=0)
