"""Tests of which store a configuration means, and what is refused before anything is read."""

import sys
from typing import Any

import pytest

from firnline_ingest.config.model import DeadLettersConfig, EngineConfig
from firnline_ingest.dead_letters import LocalFolder, check_place, open_store
from firnline_ingest.dead_letters.errors import DeadLettersOfOneMachine
from firnline_ingest.dead_letters.s3 import S3Folder
from firnline_ingest.dead_letters.stream import DeadLetterStream
from tests.fakes import configs


def config(letters: dict[str, Any], **spark: Any) -> EngineConfig:
    return configs.config(dead_letters=letters, spark={"checkpoint": "/checkpoint", **spark})


@pytest.mark.parametrize(
    ("letters", "store"),
    [
        ({"folder": "/letters"}, LocalFolder),
        ({"s3": "s3://lake/dead-letters/"}, S3Folder),
        ({"s3": "s3://lake/"}, S3Folder),
        ({"stream": "events-letters"}, DeadLetterStream),
    ],
)
def test_the_configuration_names_the_store(letters: dict[str, Any], store: type) -> None:
    assert type(open_store(config(letters))) is store


@pytest.mark.parametrize(
    ("letters", "words"),
    [
        ({}, "give exactly one of folder, s3, stream"),
        ({"folder": "/a", "s3": "s3://lake/b/"}, "give exactly one of folder, s3, stream"),
        ({"stream": "a", "kms_key_arn": "arn"}, "kms_key_arn belongs to s3"),
        ({"s3": "s3://lake/letters"}, "a folder that ends with a slash"),
        ({"s3": "/letters/"}, "has to be s3://"),
        ({"stream": "events"}, "dead_letters.stream: events is read by a pipeline"),
    ],
)
def test_what_is_no_place_is_refused(letters: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        config(letters)


@pytest.mark.parametrize("master", ["local", "local[4]", "local[*,8]"])
def test_a_folder_is_fine_where_spark_is_local(master: str) -> None:
    assert check_place(config({"folder": "/letters"}, master=master)) == "/letters"


@pytest.mark.parametrize("master", [None, "yarn", "k8s://https://cluster", "spark://host:7077"])
def test_a_folder_is_refused_where_workers_may_be_elsewhere(master: str | None) -> None:
    with pytest.raises(DeadLettersOfOneMachine, match="/letters") as raised:
        check_place(config({"folder": "/letters"}, master=master))
    assert "dead_letters.s3" in raised.value.next_step


def test_whoever_opens_a_folder_pays_for_no_aws_client() -> None:
    import subprocess

    program = (
        "import sys, firnline_ingest.dead_letters as d; from firnline_ingest.config.model import DeadLettersConfig;"
        "assert not {'botocore', 'boto3'} & set(sys.modules), 'loaded'"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_one_place_may_be_given_alone() -> None:
    assert DeadLettersConfig(stream="letters").stream == "letters"
