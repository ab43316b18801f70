"""The real botocore in front of the fake, in this process."""

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError, ConnectionClosedError

from firnline_local.kinesis import FakeKinesis, Fault, FaultKind


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
