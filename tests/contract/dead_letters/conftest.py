"""The embedded AWS with a bucket, and stores in it."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from firnline_ingest.aws.client import aws_client
from firnline_ingest.config.model import AwsConfig
from firnline_ingest.dead_letters.s3 import S3Folder
from firnline_local.aws.server import AwsServer
from firnline_local.faults import Fault


@dataclass
class Bucket:
    """The client is the engine's own, with few attempts."""

    server: AwsServer
    client: Any
    name: str

    def folder(self, folder: str = "letters/", **options: Any) -> S3Folder:
        return S3Folder(self.client, self.name, folder, **options)

    def contents(self) -> dict[str, bytes]:
        names = [each["Key"] for each in self.client.list_objects_v2(Bucket=self.name).get("Contents", ())]
        return {name: self.client.get_object(Bucket=self.name, Key=name)["Body"].read() for name in names}

    def fail(self, *faults: Fault) -> None:
        self.server.faults.replace(faults)


@pytest.fixture(scope="module")
def server() -> Iterator[AwsServer]:
    with AwsServer() as server:
        yield server


@pytest.fixture
def bucket(server: AwsServer) -> Iterator[Bucket]:
    server.faults.replace([])
    client = aws_client(AwsConfig(region="us-east-1", endpoints={"s3": server.endpoint}), "s3", attempts=2)
    name = f"letters-{uuid.uuid4().hex[:8]}"
    client.create_bucket(Bucket=name)
    yield Bucket(server, client, name)
    server.faults.replace([])
