"""The embedded environment with other people's Kinesis and DynamoDB in the place of ours; Snowflake stays."""

import json
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firnline_local.endpoints import aws_client
from firnline_local.running import RunningEnvironment
from tests.foreign.servers import KINESALITE, KINESIS_MOCK, ForeignServer, running
from tests.spark.conftest import Lane


class ForeignEnvironment(RunningEnvironment):
    """What the engine and every client find in it is the foreign servers', for these two services."""

    def __init__(self, ours: RunningEnvironment, *, kinesis: str, dynamodb: str) -> None:
        document = ours.engine_config(aws={})
        document["aws"]["endpoints"] = {**document["aws"]["endpoints"], "kinesis": kinesis, "dynamodb": dynamodb}
        endpoints = replace(ours.endpoints, kinesis=kinesis)
        super().__init__(
            ours.folder.path, ours.state.model_copy(update={"endpoints": endpoints, "engine_config": document})
        )
        self._dynamodb = dynamodb

    @property
    def variables(self) -> dict[str, str]:
        return {**super().variables, "AWS_ENDPOINT_URL_DYNAMODB": self._dynamodb}

    def client(self, service: str) -> Any:
        if service == "dynamodb":
            return aws_client(replace(self.endpoints, aws=self._dynamodb), service)
        return super().client(service)


class ForeignLane(Lane):
    """A stream that becomes ACTIVE, and is resharded, in its own time."""

    def create_stream(self) -> None:
        super().create_stream()
        self.until_active()

    def until_active(self) -> None:
        kinesis, give_up_s = self.environment.client("kinesis"), time.monotonic() + 60
        while (
            status := kinesis.describe_stream_summary(StreamName=self.name)["StreamDescriptionSummary"]["StreamStatus"]
        ) != "ACTIVE":
            assert time.monotonic() < give_up_s, f"{self.name} is still {status}"
            time.sleep(0.05)

    def open_shards(self) -> list[dict[str, Any]]:
        """In the order of their hash keys."""
        shards = self.environment.client("kinesis").list_shards(StreamName=self.name)["Shards"]
        still = [shard for shard in shards if "EndingSequenceNumber" not in shard["SequenceNumberRange"]]
        return sorted(still, key=lambda shard: int(shard["HashKeyRange"]["StartingHashKey"]))

    def put_into(self, shard: dict[str, Any], *events: Any) -> list[str]:
        """One after the other, into one shard; their sequence numbers."""
        put, key = self.environment.client("kinesis").put_record, shard["HashKeyRange"]["StartingHashKey"]
        return [
            put(StreamName=self.name, Data=json.dumps(event), PartitionKey="k", ExplicitHashKey=key)["SequenceNumber"]
            for event in events
        ]

    def split(self, shard: dict[str, Any]) -> None:
        first, last = (int(shard["HashKeyRange"][name]) for name in ("StartingHashKey", "EndingHashKey"))
        self.environment.client("kinesis").split_shard(
            StreamName=self.name, ShardToSplit=shard["ShardId"], NewStartingHashKey=str((first + last) // 2)
        )
        self.until_active()

    def merge(self, left: dict[str, Any], right: dict[str, Any]) -> None:
        self.environment.client("kinesis").merge_shards(
            StreamName=self.name, ShardToMerge=left["ShardId"], AdjacentShardToMerge=right["ShardId"]
        )
        self.until_active()


@pytest.fixture(scope="module", params=[KINESIS_MOCK, KINESALITE], ids=lambda server: server.name)
def foreign_environment(
    request: pytest.FixtureRequest,
    dynalite: str,
    local_environment: RunningEnvironment,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[ForeignEnvironment]:
    server: ForeignServer = request.param
    with running(server, tmp_path_factory.mktemp(server.name)) as url:
        yield ForeignEnvironment(local_environment, kinesis=url, dynamodb=dynalite)


@pytest.fixture
def new_lane(
    foreign_environment: ForeignEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., ForeignLane]]:
    for name, value in foreign_environment.variables.items():
        monkeypatch.setenv(name, value)
    with ExitStack() as ends:

        def make(columns: str = "", **changes: Any) -> ForeignLane:
            changes = {"ledger": {"create": True}, **changes}
            lane = ForeignLane(foreign_environment, tmp_path, f"s{uuid.uuid4().hex[:8]}", columns, changes)
            ends.callback(lane.close)
            return lane

        yield make
