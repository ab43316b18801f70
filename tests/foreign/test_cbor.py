"""Pages in CBOR from servers that others wrote: the same records as in JSON, with the same times."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from firnline_ingest.config.model import AwsConfig
from firnline_ingest.kinesis import client as module
from firnline_ingest.kinesis.client import kinesis_client
from firnline_ingest.native import SWITCH, find_native
from tests.foreign.servers import KINESALITE, KINESIS_MOCK, ForeignServer, running

pytestmark = [
    pytest.mark.foreign,
    pytest.mark.skipif(find_native({}).module is None, reason=f"{find_native({})}: scripts/native builds it"),
]


@pytest.fixture(scope="module", params=[KINESIS_MOCK, KINESALITE], ids=lambda each: each.name)
def endpoint(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    server: ForeignServer = request.param
    with running(server, tmp_path_factory.mktemp(server.name)) as endpoint:
        yield endpoint


def wait_until_active(client: Any) -> None:
    give_up_s = time.monotonic() + 60
    while True:
        try:
            status = client.describe_stream(StreamName="orders")["StreamDescription"]["StreamStatus"]
        except client.exceptions.ResourceNotFoundException:
            status = "not there yet"
        if status == "ACTIVE":
            return
        assert time.monotonic() < give_up_s, status
        time.sleep(0.1)


def read(client: Any, shard: str) -> Any:
    iterator = client.get_shard_iterator(StreamName="orders", ShardId=shard, ShardIteratorType="TRIM_HORIZON")
    return client.get_records(ShardIterator=iterator["ShardIterator"], Limit=100)


def test_a_page_says_the_same_in_both_forms(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    aws = AwsConfig(region="us-east-1", endpoints={"kinesis": endpoint})
    in_cbor: Any = kinesis_client(aws)
    monkeypatch.setattr(module, "native", lambda: find_native({SWITCH: "off"}))
    in_json: Any = kinesis_client(aws)
    in_json.create_stream(StreamName="orders", ShardCount=1)
    wait_until_active(in_json)
    for number in range(5):
        in_json.put_record(StreamName="orders", PartitionKey=f"ключ-{number}", Data=bytes([number, 0xFF]))
    shard = in_json.list_shards(StreamName="orders")["Shards"][0]["ShardId"]
    expected, found = read(in_json, shard), read(in_cbor, shard)
    pages = in_cbor.get_records.__self__._pages
    assert pages.why_not == "", "it was asked in CBOR, and answered so"
    assert len(found["Records"]) == 5
    assert found["Records"] == expected["Records"]
    assert found["MillisBehindLatest"] == expected["MillisBehindLatest"]
    assert ("NextShardIterator" in found) == ("NextShardIterator" in expected)
    in_cbor.close(), in_json.close()
