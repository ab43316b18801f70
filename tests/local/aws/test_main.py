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
    process = ChildProcess.start("firnline_local.aws", name="aws", log_file=tmp_path / "aws.log")
    yield process
    process.stop()


def test_it_serves_and_ends_when_its_parent_lets_go(process: ChildProcess, tmp_path: Path) -> None:
    endpoint = process.wait_until_ready(timeout_s=60)["endpoint"]
    sts = boto3.client(
        "sts", region_name="us-east-1", endpoint_url=endpoint, aws_access_key_id="a", aws_secret_access_key="b"
    )
    assert sts.get_caller_identity()["Account"] == "123456789012"
    process.stop()
    assert not process.is_running
    assert (tmp_path / "aws.log").read_text() == ""


def test_it_ends_on_a_signal(process: ChildProcess) -> None:
    process.wait_until_ready(timeout_s=60)
    os.kill(process.pid, signal.SIGTERM)
    _, status = os.waitpid(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
