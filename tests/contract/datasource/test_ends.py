"""The places where batches keep their ends: what was put first stays, in a folder and in S3."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from firnline_ingest.aws.client import aws_client
from firnline_ingest.datasource.ends import FolderStore, S3Store, Store
from firnline_ingest.datasource.errors import MetadataUnusable
from firnline_ingest.datasource.options import SourceOptions
from firnline_local.aws.server import AwsServer

pytestmark = pytest.mark.contract


@pytest.fixture(scope="module")
def aws() -> Iterator[AwsServer]:
    with AwsServer() as server:
        yield server


def in_s3(aws: AwsServer, bucket: str, folder: str = "/spark/") -> S3Store:
    options = {
        "stream": "orders",
        "region": "us-east-1",
        "s3Endpoint": aws.endpoint,
        "metadataPath": f"s3://{bucket}{folder}",
    }
    return S3Store(SourceOptions.parse(options))


@pytest.fixture(params=["folder", "s3", "the bucket itself"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    if request.param == "folder":
        return FolderStore(tmp_path / "not" / "there")
    aws: AwsServer = request.getfixturevalue("aws")
    bucket = f"ends-{uuid.uuid4().hex[:8]}"
    made = in_s3(aws, bucket, "/spark/" if request.param == "s3" else "")
    aws_client(
        SourceOptions.parse({"stream": "o", "region": "us-east-1", "s3Endpoint": aws.endpoint}).aws, "s3"
    ).create_bucket(Bucket=bucket)
    return made


def test_what_was_put_first_stays(store: Store) -> None:
    assert store.get("q/1/shard.json") is None
    assert store.list("q/1/") == []
    assert store.put_new("q/1/shard.json", "first")
    assert not store.put_new("q/1/shard.json", "second")
    assert store.get("q/1/shard.json") == "first"
    assert store.put_new("q/11/shard.json", "another batch")
    assert store.list("q/1/") == ["q/1/shard.json"]
    store.remove("q/1/shard.json")
    store.remove("q/1/shard.json")
    assert store.list("q/1/") == []
    assert store.get("q/11/shard.json") == "another batch"


def test_a_place_that_is_not_there_is_named(aws: AwsServer, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(MetadataUnusable, match=r"file/q/1/shard\.json can't be used"):
        FolderStore(tmp_path / "file").put_new("q/1/shard.json", "end")
    absent = in_s3(aws, "no-such-bucket-of-ends")
    for use in (lambda: absent.put_new("q", "end"), lambda: absent.list("q")):
        with pytest.raises(MetadataUnusable, match="s3://no-such-bucket-of-ends/spark/q"):
            use()
