"""The embedded environment with other people's Kinesis, DynamoDB and S3 in the place of ours; Snowflake stays."""

import json
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.blueprint.spark_s3 import PROVIDERS, S3A, s3a_endpoint
from firnline_infra.specification.runtime import Trust
from firnline_ingest.aws.client import aws_client
from firnline_ingest.config.model import AwsConfig
from firnline_local.running import RunningEnvironment
from tests.foreign.servers import KEY_ID, KINESALITE, KINESIS_MOCK, SECRET, ForeignServer, running
from tests.spark.conftest import Lane


class ForeignEnvironment(RunningEnvironment):
    """An environment whose servers of these three services are the foreign ones, for the engine and every client in it."""

    def __init__(self, ours: RunningEnvironment, *, kinesis: str, dynamodb: str, s3: str) -> None:
        document = ours.engine_config(aws={})
        foreign = {"kinesis": kinesis, "dynamodb": dynamodb, "s3": s3}
        document["aws"]["endpoints"] = {**document["aws"]["endpoints"], **foreign}
        endpoints = replace(ours.endpoints, kinesis=kinesis)
        super().__init__(
            ours.folder.path, ours.state.model_copy(update={"endpoints": endpoints, "engine_config": document})
        )
        self._foreign = foreign

    @property
    def variables(self) -> dict[str, str]:
        """With the credentials of the S3, which is the only one that looks at them."""
        urls = {f"AWS_ENDPOINT_URL_{service.upper()}": url for service, url in self._foreign.items()}
        return {**super().variables, **urls, "AWS_ACCESS_KEY_ID": KEY_ID, "AWS_SECRET_ACCESS_KEY": SECRET}

    def client(self, service: str) -> Any:
        if service in self._foreign:
            return aws_client(AwsConfig(region=self.endpoints.region, endpoints=self._foreign), service)
        return super().client(service)

    def checkpoint_at(self, url: str, jars: Path) -> dict[str, Any]:
        """The part `spark` of a configuration, with a checkpoint in this S3."""
        s3a = {
            **s3a_endpoint(self._foreign["s3"]),
            f"{S3A}endpoint.region": self.endpoints.region,
            f"{S3A}performance.flags": "mkdir",
            f"{S3A}aws.credentials.provider": PROVIDERS[Trust.NOBODY],
        }
        return {"checkpoint": url, "conf": {**s3a, "spark.driver.extraClassPath": f"{jars}/*"}}


class ForeignLane(Lane):
    """A stream that becomes ACTIVE, and is resharded, in its own time; a bucket for what the engine writes into S3."""

    environment: ForeignEnvironment

    def create_stream(self) -> None:
        super().create_stream()
        self.until_active()
        self.environment.client("s3").create_bucket(Bucket=self.name)

    def document(self) -> dict[str, Any]:
        document = super().document()
        return {**document, "dead_letters": {"s3": f"s3://{self.name}/dead-letters/"}}

    def object_names(self) -> list[str]:
        listed = self.environment.client("s3").list_objects_v2(Bucket=self.name)
        return [each["Key"] for each in listed["Contents"]]

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
    versitygw: str,
    local_environment: RunningEnvironment,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[ForeignEnvironment]:
    server: ForeignServer = request.param
    with running(server, tmp_path_factory.mktemp(server.name)) as url:
        yield ForeignEnvironment(local_environment, kinesis=url, dynamodb=dynalite, s3=versitygw)


@pytest.fixture
def new_lane(
    foreign_environment: ForeignEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., ForeignLane]]:
    for name, value in foreign_environment.variables.items():
        monkeypatch.setenv(name, value)
    with ExitStack() as ends:

        def make(*, s3a_jars: Path | None = None) -> ForeignLane:
            """With the jars of S3A its checkpoint is in S3."""
            name = f"s{uuid.uuid4().hex[:8]}"
            changes: dict[str, Any] = {"ledger": {"create": True}}
            if s3a_jars is not None:
                changes["spark"] = foreign_environment.checkpoint_at(f"s3a://{name}/checkpoint/", s3a_jars)
            lane = ForeignLane(foreign_environment, tmp_path, name, changes=changes)
            ends.callback(lane.close)
            return lane

        yield make
