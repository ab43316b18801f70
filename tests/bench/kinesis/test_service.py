import json
from typing import Any

import pytest

from bench.kinesis.service import COUNTS, CannedKinesis
from bench.kinesis.shard import CannedShard
from firnline_local.kinesis.http import HttpRequest


class Client:
    """Asks a canned service whose clock is moved by hand."""

    def __init__(self) -> None:
        self.now_s = 1000.0
        shards = [
            CannedShard.of([b"{}"], index=n, first_arrival_s=0.0, records_per_s=10.0, is_trickle=True) for n in range(2)
        ]
        self.service = CannedKinesis(shards, clock=lambda: self.now_s)

    def ask(self, operation: str, **request: Any) -> dict[str, Any]:
        headers = {"x-amz-target": f"Kinesis_20131202.{operation}"}
        reply = self.service.reply(HttpRequest("POST", "/", headers, json.dumps(request).encode()))
        answer: dict[str, Any] = json.loads(reply.body)
        assert reply.status == (400 if "__type" in answer else 200)
        return answer

    def read(self, shard: int = 0, first: int = 0) -> dict[str, Any]:
        return self.ask("GetRecords", ShardIterator=f"{shard}:{first}", Limit=10)

    def iterator(self, kind: str, **request: str) -> str:
        answer = self.ask("GetShardIterator", ShardId="shardId-000000000001", ShardIteratorType=kind, **request)
        return str(answer["ShardIterator"])


@pytest.fixture
def client() -> Client:
    return Client()


def test_the_sixth_read_of_a_shard_within_a_second_is_refused_and_counted(client: Client) -> None:
    answers = [client.read() for _ in range(6)]
    assert [answer.get("__type") for answer in answers] == [None] * 5 + ["ProvisionedThroughputExceededException"]
    assert "Records" in client.read(shard=1)
    client.now_s += 1.0
    assert "Records" in client.read()
    counts = json.loads(client.service.reply(HttpRequest("GET", COUNTS, {}, b"")).body)
    assert (counts["reads"], counts["refused"]) == (7, 1)


def test_reading_begins_at_the_horizon_at_a_record_or_after_it(client: Client) -> None:
    record = client.read(shard=1, first=5)["Records"][0]["SequenceNumber"]
    assert client.iterator("TRIM_HORIZON") == "1:0"
    assert client.iterator("AT_SEQUENCE_NUMBER", StartingSequenceNumber=record) == "1:5"
    assert client.iterator("AFTER_SEQUENCE_NUMBER", StartingSequenceNumber=record) == "1:6"


def test_all_shards_are_listed_open(client: Client) -> None:
    listed = client.ask("ListShards", StreamName="orders")["Shards"]
    assert [shard["ShardId"][-1] for shard in listed] == ["0", "1"]
    assert all("EndingSequenceNumber" not in shard["SequenceNumberRange"] for shard in listed)
    assert client.ask("DescribeStreamSummary", StreamName="orders")["StreamDescriptionSummary"]["OpenShardCount"] == 2


def test_an_operation_that_the_engine_does_not_need_is_refused_by_name(client: Client) -> None:
    assert client.ask("PutRecords")["message"] == "PutRecords"
