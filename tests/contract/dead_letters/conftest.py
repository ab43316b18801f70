"""Buckets of the embedded AWS and of another people's S3, and stores in them."""

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

BUCKETS = ["embedded", pytest.param("versitygw", marks=pytest.mark.foreign)]


@dataclass
class Bucket:
    """The client is the engine's own, with few attempts."""

    endpoint: str
    client: Any
    name: str

    def folder(self, folder: str = "letters/", **options: Any) -> S3Folder:
        return S3Folder(self.client, self.name, folder, **options)

    def contents(self) -> dict[str, bytes]:
        names = [each["Key"] for each in self.client.list_objects_v2(Bucket=self.name).get("Contents", ())]
        return {name: self.client.get_object(Bucket=self.name, Key=name)["Body"].read() for name in names}


@dataclass
class EmbeddedBucket(Bucket):
    server: AwsServer

    def fail(self, *faults: Fault) -> None:
        self.server.faults.replace(faults)


@pytest.fixture(scope="module")
def server() -> Iterator[AwsServer]:
    with AwsServer() as server:
        yield server


@pytest.fixture
def embedded_bucket(server: AwsServer) -> Iterator[EmbeddedBucket]:
    """Yields where faults are asked for, or what the other S3 lacks."""
    server.faults.replace([])
    yield EmbeddedBucket(server.endpoint, *_made(server.endpoint), server)
    server.faults.replace([])


@pytest.fixture(params=BUCKETS)
def bucket(request: pytest.FixtureRequest) -> Bucket:
    return bucket_of(request.param, request)


def bucket_of(place: str, request: pytest.FixtureRequest) -> Bucket:
    """One of BUCKETS, with nothing in it."""
    if place == "embedded":
        found: Bucket = request.getfixturevalue("embedded_bucket")
        return found
    endpoint = request.getfixturevalue(place)
    return Bucket(endpoint, *_made(endpoint))


def _made(endpoint: str) -> tuple[Any, str]:
    client = aws_client(AwsConfig(region="us-east-1", endpoints={"s3": endpoint}), "s3", attempts=2)
    name = f"letters-{uuid.uuid4().hex[:8]}"
    client.create_bucket(Bucket=name)
    return client, name
