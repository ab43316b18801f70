"""The real boto3 against the HTTP face: size, parallel clients, and faults without retries."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError, ConnectionClosedError, ReadTimeoutError

from firnline_local.kinesis import FakeKinesis, Fault, FaultKind, KinesisServer, StreamHandle

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

pytestmark = pytest.mark.contract


@pytest.fixture
def server() -> Iterator[KinesisServer]:
    with KinesisServer(FakeKinesis(read_limits=False)) as server:
        yield server


@pytest.fixture
def orders(server: KinesisServer) -> StreamHandle:
    return server.kinesis.create_stream("orders", shards=4)


def client_of(server: KinesisServer, *, read_timeout_s: float = 10) -> "KinesisClient":
    config = Config(retries={"total_max_attempts": 1}, read_timeout=read_timeout_s)
    return boto3.client(
        "kinesis",
        region_name="us-east-1",
        endpoint_url=server.endpoint,
        aws_access_key_id="a",
        aws_secret_access_key="b",
        config=config,
    )


def put(client: "KinesisClient") -> None:
    client.put_record(StreamName="orders", Data=b"x", PartitionKey="k")


def test_a_page_of_10_mib_arrives_whole(server: KinesisServer, orders: StreamHandle) -> None:
    shard = orders.shard(0)
    data = [bytes([number]) * (1024 * 1024 - 3) for number in range(10)]
    for each in data:
        shard.put(each, key="key")
    client = client_of(server)
    iterator = client.get_shard_iterator(StreamName="orders", ShardId=shard.id, ShardIteratorType="TRIM_HORIZON")
    page = client.get_records(ShardIterator=iterator["ShardIterator"])
    assert [record["Data"] for record in page["Records"]] == data


def test_shards_are_listed_page_by_page(server: KinesisServer, orders: StreamHandle) -> None:
    client = client_of(server)
    first = client.list_shards(StreamName="orders", MaxResults=3)
    rest = client.list_shards(NextToken=first["NextToken"])
    assert [shard["ShardId"] for shard in first["Shards"] + rest["Shards"]] == [shard.id for shard in orders.shards]


def test_parallel_producers_lose_and_double_nothing(server: KinesisServer, orders: StreamHandle) -> None:
    def produce(producer: int) -> None:
        client = client_of(server)
        for batch in range(5):
            texts = [f"{producer} {batch} {number}" for number in range(100)]
            entries = [{"Data": text.encode(), "PartitionKey": text} for text in texts]
            client.put_records(StreamName="orders", Records=entries)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(produce, range(4)))
    read = [record.data for record in orders.records]
    assert len(read) == len(set(read)) == 4 * 5 * 100
    assert all(shard.records for shard in orders.shards)


def test_every_answer_has_a_request_id_and_the_date_of_the_fakes_clock(server: KinesisServer) -> None:
    metadata = client_of(server).list_streams()["ResponseMetadata"]
    assert len(metadata["RequestId"]) == 36
    assert str(server.kinesis.clock().year) in metadata["HTTPHeaders"]["date"]


def test_an_error_fault_is_the_exception_of_its_code(server: KinesisServer, orders: StreamHandle) -> None:
    fault = Fault(
        endpoint="kinesis:PutRecord",
        kind=FaultKind.ERROR,
        status=400,
        code="ProvisionedThroughputExceededException",
        times=1,
    )
    server.kinesis.faults.replace([fault])
    client = client_of(server)
    with pytest.raises(client.exceptions.ProvisionedThroughputExceededException):
        put(client)
    put(client)
    assert len(orders.records) == 1


def test_a_server_error_has_its_status(server: KinesisServer, orders: StreamHandle) -> None:
    server.kinesis.faults.replace([Fault(endpoint="kinesis:PutRecord", kind=FaultKind.ERROR, status=503)])
    with pytest.raises(ClientError) as failure:
        put(client_of(server))
    assert failure.value.response["ResponseMetadata"]["HTTPStatusCode"] == 503
    assert orders.records == []


@pytest.mark.parametrize(("kind", "kept"), [(FaultKind.CUT, 0), (FaultKind.LOST, 1)])
def test_a_connection_that_is_cut_leaves_the_client_without_an_answer(
    server: KinesisServer, orders: StreamHandle, kind: FaultKind, kept: int
) -> None:
    client = client_of(server)
    put(client)  # opens the connection that the next call goes through
    server.kinesis.faults.replace([Fault(endpoint="kinesis:PutRecord", kind=kind, times=1)])
    with pytest.raises(ConnectionClosedError):
        put(client)
    assert len(orders.records) == 1 + kept
    put(client)
    assert len(orders.records) == 2 + kept


def test_a_slow_answer_comes_late_and_others_do_not_wait_for_it(server: KinesisServer, orders: StreamHandle) -> None:
    server.kinesis.faults.replace([Fault(endpoint="kinesis:PutRecord", kind=FaultKind.SLOW, delay_s=0.5)])
    slow, usual = client_of(server), client_of(server)
    with ThreadPoolExecutor(1) as pool:
        began = time.monotonic()
        late = pool.submit(put, slow)
        usual.list_streams()
        assert not late.done()
        late.result()
        assert time.monotonic() - began >= 0.5
    assert len(orders.records) == 1


def test_a_client_that_gave_up_waiting_has_put_all_the_same(server: KinesisServer, orders: StreamHandle) -> None:
    server.kinesis.faults.replace([Fault(endpoint="kinesis:PutRecord", kind=FaultKind.SLOW, delay_s=30)])
    with pytest.raises(ReadTimeoutError):
        put(client_of(server, read_timeout_s=0.2))
    assert len(orders.records) == 1
