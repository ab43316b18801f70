"""The configuration as a cluster has it; moto answers in this process."""

import json
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest
from moto import mock_aws

from firnline_ingest.aws.configuration import read_config
from firnline_ingest.errors import ConfigError

GOLDEN = next((Path(__file__).parents[2] / "contract" / "golden").glob("*engine*.json"))


@pytest.fixture(autouse=True)
def bucket() -> Iterator[str]:
    with mock_aws():
        boto3.client("s3", region_name="us-east-1").create_bucket(Bucket="landing")
        yield "landing"


def put(content: bytes) -> str:
    boto3.client("s3", region_name="us-east-1").put_object(
        Bucket="landing", Key="configuration/c0ffee.json", Body=content
    )
    return "s3://landing/configuration/c0ffee.json"


def test_an_object_is_read_as_a_file_is() -> None:
    assert read_config(put(GOLDEN.read_bytes())) == read_config(str(GOLDEN))


@pytest.mark.parametrize(
    ("place", "cause"),
    [
        ("s3://landing/configuration/none.json", "s3:GetObject: NoSuchKey"),
        ("s3://elsewhere/configuration/c0ffee.json", "s3:GetObject: NoSuchBucket"),
        ("engine-that-is-not.json", "FL-1005"),
    ],
)
def test_what_is_not_there_is_said_with_its_place(place: str, cause: str) -> None:
    with pytest.raises(ConfigError, match=cause) as raised:
        read_config(place)
    assert place in str(raised.value)


def test_an_object_that_describes_no_engine_is_refused_by_its_place() -> None:
    with pytest.raises(ConfigError, match=r"s3://landing/configuration/c0ffee\.json has"):
        read_config(put(json.dumps({"applicaton": "orders"}).encode()))
