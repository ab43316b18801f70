"""The embedded Kinesis with one stream, and its client as tests watch it."""

import random
import threading
from collections import defaultdict
from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from firnline_local.kinesis import FakeKinesis


@pytest.fixture
def kinesis() -> FakeKinesis:
    kinesis = FakeKinesis()
    kinesis.create_stream("orders", shards=4)
    return kinesis


def stored(kinesis: FakeKinesis) -> list[bytes]:
    return sorted(record.data for shard in kinesis.stream("orders").shards for record in shard.records)


def by_key(kinesis: FakeKinesis) -> dict[str, list[bytes]]:
    found = defaultdict(list)
    for shard in kinesis.stream("orders").shards:
        for record in shard.records:
            found[record.partition_key].append(record.data)
    return found


def no_pause(_: float) -> None:
    return None


class Watched:
    """The embedded service's client, that notes each request and can fail as the service and a network do."""

    def __init__(self, kinesis: FakeKinesis, seed: int | None = None) -> None:
        self.client = kinesis.client()
        self.exceptions = self.client.exceptions
        self.requests: list[list[dict[str, Any]]] = []
        self.is_losing = False
        self._chance = None if seed is None else random.Random(seed)
        self._lock = threading.Lock()

    def list_streams(self) -> Any:
        return self.client.list_streams()

    def put_records(self, *, StreamName: str, Records: list[dict[str, Any]]) -> Any:  # noqa: N803 - the API's names
        with self._lock:
            self.requests.append(Records)
            fate = self._chance.random() if self._chance else 1.0
            refused = {n for n in range(len(Records)) if self._chance and fate < 0.5 and self._chance.random() < 0.3}
        if 0.5 < fate < 0.6:
            raise ClientError(
                {"Error": {"Code": "ProvisionedThroughputExceededException", "Message": "slow"}}, "PutRecords"
            )
        if 0.6 < fate < 0.65:
            raise ClientError({"Error": {"Code": "InternalFailureException", "Message": "oops"}}, "PutRecords")
        taken = [each for n, each in enumerate(Records) if n not in refused]
        answers = iter(self.client.put_records(StreamName=StreamName, Records=taken)["Records"]) if taken else iter(())
        if self.is_losing and 0.65 < fate < 0.75:
            raise ReadTimeoutError(endpoint_url="http://kinesis")
        no = {"ErrorCode": "InternalFailure", "ErrorMessage": "this one not"}
        return {"Records": [no if n in refused else next(answers) for n in range(len(Records))]}


def records(count: int) -> list[bytes]:
    return [b"%d" % number for number in range(count)]
