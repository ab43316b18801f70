"""The process that the environment starts."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import urllib3

from tests.contract.snowpipe_streaming.conftest import KeyPair

pytestmark = pytest.mark.contract


@pytest.fixture
def admin_key(tmp_path: Path, other_key_pair: KeyPair) -> Path:
    file = tmp_path / "admin.pub"
    file.write_text(other_key_pair.public_pem)
    return file


def start(admin_key: Path, folder: Path, *more: str) -> "subprocess.Popen[str]":
    arguments = ["--account", "acct", "--admin-public-key", str(admin_key), "--state", str(folder), *more]
    return subprocess.Popen(
        [sys.executable, "-m", "firnline_local.snowflake", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_it_says_where_it_listens_and_ends_with_its_stdin(admin_key: Path, tmp_path: Path) -> None:
    with start(admin_key, tmp_path / "state", "--commit-lag-ms", "7") as process:
        facts = json.loads(process.stdout.readline())
        with urllib3.PoolManager(ca_certs=facts["ca_file"]) as http:
            settings = http.request("GET", f"{facts['endpoint']}/__firnline__/settings").json()
        _, log = process.communicate(timeout=20)  # closes its stdin

    assert facts["account"] == "acct"
    assert Path(facts["ca_file"]).parent == tmp_path / "state"
    assert settings["commit_lag_ms"] == 7
    assert process.returncode == 0
    assert log == ""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_with_a_signal_though_a_client_keeps_its_connection(
    admin_key: Path, tmp_path: Path, number: signal.Signals
) -> None:
    with start(admin_key, tmp_path) as process:
        facts = json.loads(process.stdout.readline())
        with urllib3.PoolManager(ca_certs=facts["ca_file"]) as http:
            http.request("GET", f"{facts['endpoint']}/__firnline__/settings")
            process.send_signal(number)
            assert process.wait(20) == 0


def test_a_port_that_is_taken_is_said_on_stderr(admin_key: Path, tmp_path: Path) -> None:
    with start(admin_key, tmp_path) as first:
        port = json.loads(first.stdout.readline())["endpoint"].rpartition(":")[2]
        with start(admin_key, tmp_path, "--port", port) as second:
            log = second.stderr.read()  # to its end: nothing but the taken port ends it
            assert second.wait(20) != 0
        first.communicate(timeout=20)

    assert "address already in use" in log.lower()
