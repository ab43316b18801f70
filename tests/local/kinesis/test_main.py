"""The process: it says where it is, works, and does not outlive its parent."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest

from firnline_local.process import ChildProcess

pytestmark = pytest.mark.contract


@pytest.fixture
def process(tmp_path: Path) -> Iterator[ChildProcess]:
    options = ["--region", "eu-west-1", "--account-id", "000000000042"]
    process = ChildProcess.start("firnline_local.kinesis", options, name="kinesis", log_file=tmp_path / "kinesis.log")
    yield process
    process.stop()


def test_it_serves_the_account_and_region_that_it_was_told(process: ChildProcess) -> None:
    endpoint = process.wait_until_ready(timeout_s=30)["endpoint"]
    client = boto3.client(
        "kinesis", region_name="eu-west-1", endpoint_url=endpoint, aws_access_key_id="a", aws_secret_access_key="b"
    )
    client.create_stream(StreamName="orders", ShardCount=1)
    summary = client.describe_stream_summary(StreamName="orders")["StreamDescriptionSummary"]
    assert summary["StreamARN"] == "arn:aws:kinesis:eu-west-1:000000000042:stream/orders"


def test_it_ends_when_its_parent_lets_go(process: ChildProcess, tmp_path: Path) -> None:
    process.wait_until_ready(timeout_s=30)
    process.stop()
    assert not process.is_running
    assert (tmp_path / "kinesis.log").read_text() == ""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_on_a_signal(process: ChildProcess, number: signal.Signals, tmp_path: Path) -> None:
    process.wait_until_ready(timeout_s=30)
    os.kill(process.pid, number)
    _, status = os.waitpid(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert (tmp_path / "kinesis.log").read_text() == ""
