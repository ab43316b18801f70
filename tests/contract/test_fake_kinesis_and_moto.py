"""Tests of what FakeKinesis and moto's Kinesis both answer to the real boto3. moto says who else believes it.

Left out is what moto does otherwise than the service: puts after a split, iterators that end or expire, limits, and
listing tokens that go alone.
"""

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import boto3
import pytest
from moto import mock_aws

from firnline_local.kinesis import FakeKinesis, KinesisServer

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

pytestmark = pytest.mark.contract

FIRST = "shardId-000000000000"


def client_of(endpoint: str | None = None) -> "KinesisClient":
    return boto3.client(
        "kinesis",
        region_name="us-east-1",
        endpoint_url=endpoint,
        aws_access_key_id="a",
        aws_secret_access_key="b",
    )


@pytest.fixture(params=["FakeKinesis", "moto"])
def kinesis(request: pytest.FixtureRequest) -> Iterator["KinesisClient"]:
    """With a stream of two shards, orders."""
    if request.param == "moto":
        with mock_aws():
            yield with_orders(client_of())
    else:
        with KinesisServer(FakeKinesis(read_limits=False)) as server:
            yield with_orders(client_of(server.endpoint))


def with_orders(client: "KinesisClient") -> "KinesisClient":
    client.create_stream(StreamName="orders", ShardCount=2)
    return client


def data_from(client: "KinesisClient", kind: str, shard_id: str = FIRST, number: str | None = None) -> list[bytes]:
    place = {"StartingSequenceNumber": number} if number else {}
    iterator = client.get_shard_iterator(
        StreamName="orders",
        ShardId=shard_id,
        ShardIteratorType=kind,
        **place,
    )
    return [record["Data"] for record in client.get_records(ShardIterator=iterator["ShardIterator"])["Records"]]


def put(client: "KinesisClient", data: bytes, hash_key: str = "0") -> str:
    return client.put_record(StreamName="orders", Data=data, PartitionKey="k", ExplicitHashKey=hash_key)[
        "SequenceNumber"
    ]


def test_a_new_stream_becomes_active_with_its_shards(kinesis: "KinesisClient") -> None:
    kinesis.get_waiter("stream_exists").wait(StreamName="orders", WaiterConfig={"Delay": 1, "MaxAttempts": 3})
    summary = kinesis.describe_stream_summary(StreamName="orders")["StreamDescriptionSummary"]
    assert summary["StreamStatus"] == "ACTIVE"
    assert summary["StreamARN"] == "arn:aws:kinesis:us-east-1:123456789012:stream/orders"
    assert (summary["OpenShardCount"], summary["RetentionPeriodHours"]) == (2, 24)


def test_the_shards_of_a_new_stream_cover_every_hash_key(kinesis: "KinesisClient") -> None:
    shards = kinesis.list_shards(StreamName="orders")["Shards"]
    ranges = [(int(s["HashKeyRange"]["StartingHashKey"]), int(s["HashKeyRange"]["EndingHashKey"])) for s in shards]
    assert ranges == [(0, 2**127 - 1), (2**127, 2**128 - 1)]
    assert [shard["ShardId"] for shard in shards] == [FIRST, "shardId-000000000001"]


def test_a_record_goes_where_the_md5_of_its_key_leads(kinesis: "KinesisClient") -> None:
    for key in ("a", "b", "customer-7", "Zoë"):
        upper_half = hashlib.md5(key.encode(), usedforsecurity=False).digest()[0] >> 7
        answer = kinesis.put_record(StreamName="orders", Data=b"x", PartitionKey=key)
        assert answer["ShardId"] == f"shardId-{upper_half:012d}"


def test_what_was_put_is_read_in_order_with_growing_numbers(kinesis: "KinesisClient") -> None:
    numbers = [int(put(kinesis, data)) for data in (b"a", b"\x00\xff", b"")]
    assert numbers == sorted(set(numbers))
    assert data_from(kinesis, "TRIM_HORIZON") == [b"a", b"\x00\xff", b""]


def test_many_records_are_answered_one_by_one(kinesis: "KinesisClient") -> None:
    records = [{"Data": str(n).encode(), "PartitionKey": str(n)} for n in range(20)]
    answer = kinesis.put_records(StreamName="orders", Records=records)
    assert answer["FailedRecordCount"] == 0
    read = data_from(kinesis, "TRIM_HORIZON") + data_from(kinesis, "TRIM_HORIZON", "shardId-000000000001")
    assert sorted(read) == sorted(str(n).encode() for n in range(20))
    assert [entry["ShardId"] == FIRST for entry in answer["Records"]].count(True) == len(
        data_from(kinesis, "TRIM_HORIZON")
    )


def test_reading_begins_at_or_after_a_number(kinesis: "KinesisClient") -> None:
    _, middle, _ = (put(kinesis, data) for data in (b"a", b"b", b"c"))
    assert data_from(kinesis, "AT_SEQUENCE_NUMBER", number=middle) == [b"b", b"c"]
    assert data_from(kinesis, "AFTER_SEQUENCE_NUMBER", number=middle) == [b"c"]
    assert data_from(kinesis, "LATEST") == []


def test_a_limited_page_is_followed_by_the_rest(kinesis: "KinesisClient") -> None:
    for data in (b"a", b"b", b"c"):
        put(kinesis, data)
    iterator = kinesis.get_shard_iterator(StreamName="orders", ShardId=FIRST, ShardIteratorType="TRIM_HORIZON")
    page = kinesis.get_records(ShardIterator=iterator["ShardIterator"], Limit=2)
    rest = kinesis.get_records(ShardIterator=page["NextShardIterator"])
    assert ([r["Data"] for r in page["Records"]], [r["Data"] for r in rest["Records"]]) == ([b"a", b"b"], [b"c"])
    assert rest["MillisBehindLatest"] == 0


def test_a_split_shows_in_the_lineage(kinesis: "KinesisClient") -> None:
    kinesis.split_shard(StreamName="orders", ShardToSplit=FIRST, NewStartingHashKey="1000")
    shards = {shard["ShardId"][-1]: shard for shard in kinesis.list_shards(StreamName="orders")["Shards"]}
    assert "EndingSequenceNumber" in shards["0"]["SequenceNumberRange"]
    assert [shards[child]["ParentShardId"] for child in "23"] == [FIRST, FIRST]
    assert [shards[child]["HashKeyRange"]["StartingHashKey"] for child in "23"] == ["0", "1000"]


def test_retention_and_tags_are_kept(kinesis: "KinesisClient") -> None:
    kinesis.increase_stream_retention_period(StreamName="orders", RetentionPeriodHours=48)
    kinesis.add_tags_to_stream(StreamName="orders", Tags={"a": "1", "b": "2"})
    kinesis.remove_tags_from_stream(StreamName="orders", TagKeys=["a"])
    summary = kinesis.describe_stream_summary(StreamName="orders")["StreamDescriptionSummary"]
    assert summary["RetentionPeriodHours"] == 48
    assert kinesis.list_tags_for_stream(StreamName="orders")["Tags"] == [{"Key": "b", "Value": "2"}]


def test_refusals_have_the_codes_of_the_service(kinesis: "KinesisClient") -> None:
    errors = kinesis.exceptions
    with pytest.raises(errors.ResourceInUseException):
        kinesis.create_stream(StreamName="orders", ShardCount=1)
    with pytest.raises(errors.ResourceNotFoundException):
        kinesis.put_record(StreamName="invoices", Data=b"x", PartitionKey="k")
    with pytest.raises(errors.ResourceNotFoundException):
        data_from(kinesis, "LATEST", "shardId-000000000009")
    with pytest.raises(errors.InvalidArgumentException):
        kinesis.increase_stream_retention_period(StreamName="orders", RetentionPeriodHours=9000)
    with pytest.raises(errors.InvalidArgumentException):
        kinesis.put_record(StreamName="orders", Data=b"x", PartitionKey="k", ExplicitHashKey=str(2**128))


def test_a_deleted_stream_is_gone(kinesis: "KinesisClient") -> None:
    kinesis.delete_stream(StreamName="orders")
    kinesis.get_waiter("stream_not_exists").wait(StreamName="orders", WaiterConfig={"Delay": 1, "MaxAttempts": 3})
    assert kinesis.list_streams()["StreamNames"] == []
