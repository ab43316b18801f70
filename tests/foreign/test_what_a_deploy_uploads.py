"""Tests of what a deploy keeps in the environment's bucket, in another people's S3: the artefact in parts, and what is
made once.
"""

import os
import threading
import uuid
from pathlib import Path
from typing import Any

import boto3
import pytest

from firnline_infra.artefact.artefact import ENTRY, MANIFEST, BuiltArtefact, Manifest
from firnline_infra.rollout.bucket import BucketObjects
from firnline_infra.rollout.uploads import put_once, uploaded
from firnline_infra.runtimes.preflight import missing_objects

pytestmark = [pytest.mark.foreign, pytest.mark.contract]

PARTS_FROM = 8 * 1024 * 1024
"""boto3 sends a larger file in parts (TransferConfig)."""


@pytest.fixture
def s3(versitygw: str) -> Any:
    return boto3.client("s3", region_name="us-east-1", endpoint_url=versitygw)


@pytest.fixture
def bucket(s3: Any) -> str:
    name = f"deploys-{uuid.uuid4().hex[:8]}"
    s3.create_bucket(Bucket=name)
    return name


def built(folder: Path) -> BuiltArtefact:
    manifest = Manifest(
        hash="a" * 64,
        version="0.1.0",
        python="3.11",
        architecture="x86_64",
        spark="4.1.1",
        archive="environment.tar.gz",
        unpacked_bytes=1,
        files={ENTRY: "-", "environment.tar.gz": "-"},
        packages=[],
        content={},
    )
    (folder / ENTRY).write_text("print()")
    (folder / "environment.tar.gz").write_bytes(os.urandom(PARTS_FROM + 1))
    (folder / MANIFEST).write_text(manifest.model_dump_json())
    return BuiltArtefact(folder, manifest)


def test_an_artefact_is_uploaded_once_and_whole(s3: Any, bucket: str, tmp_path: Path) -> None:
    artefact = built(tmp_path)
    asked: list[str] = []
    s3.meta.events.register("before-call.s3", lambda model, **_: asked.append(model.name))
    found = uploaded(s3, bucket, "artefacts/", artefact)
    assert {"CreateMultipartUpload", "UploadPart", "CompleteMultipartUpload"} <= set(asked)
    key = found.archive.removeprefix(f"s3://{bucket}/")
    assert s3.get_object(Bucket=bucket, Key=key)["Body"].read() == artefact.archive.read_bytes()
    assert list(missing_objects(s3, (found.entry, found.archive))) == []
    assert list(missing_objects(s3, (f"{found.entry}-of-nobody",))) != []
    asked.clear()
    assert uploaded(s3, bucket, "artefacts/", artefact) == found
    assert asked == ["HeadObject"]


def test_a_configuration_that_is_there_is_left_as_it_is(s3: Any, bucket: str) -> None:
    uri = put_once(s3, bucket, "configurations/1.json", "{}")
    assert put_once(s3, bucket, "configurations/1.json", "{ }") == uri
    assert s3.get_object(Bucket=bucket, Key="configurations/1.json")["Body"].read() == b"{}"


def test_of_several_deploys_at_once_one_makes_the_record(s3: Any, bucket: str) -> None:
    objects, made = BucketObjects(s3, bucket, "deployments/"), []
    assert (objects.names(), objects.read("1.json")) == ([], None)

    def begin(number: int) -> None:
        if objects.create("1.json", f"deploy {number}"):
            made.append(f"deploy {number}")

    threads = [threading.Thread(target=begin, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [objects.read("1.json")]
    objects.overwrite("1.json", "ended")
    assert (objects.names(), objects.read("1.json")) == (["1.json"], "ended")
