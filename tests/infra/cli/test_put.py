"""`firnline put` as a command, against the embedded Kinesis over HTTP."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from firnline_infra.cli.put import put
from firnline_ingest.sink.client import RegionUnknown
from firnline_ingest.sink.errors import SinkFailed
from firnline_local.faults import Fault, FaultKind
from firnline_local.kinesis import FakeKinesis, KinesisServer

pytestmark = pytest.mark.contract
FIRNLINE = [sys.executable, "-c", "from firnline_infra.cli import main; main()"]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[KinesisServer]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "b")
    monkeypatch.delenv("AWS_REGION", raising=False)
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")
    with KinesisServer(FakeKinesis()) as server:
        server.kinesis.create_stream("orders", shards=2)
        yield server


def run(server: KinesisServer, *arguments: str, lines: str | None = None) -> Result:
    options = [*arguments, "--endpoint", server.endpoint]
    return CliRunner().invoke(put, options, input=lines, catch_exceptions=True)


def test_lines_of_files_and_of_standard_input_are_records(server: KinesisServer, tmp_path: Path) -> None:
    file = tmp_path / "orders.ndjson"
    file.write_bytes(b'{"c": "ada", "n": 1}\n\n{"c": "bob", "n": 2}\nno json')
    done = run(
        server, "orders", str(file), "-", "--key", "c", "--region", "us-east-1", "--ordered", "--output", "json",
        lines='{"c": "ada", "n": 3}\n',
    )  # fmt: skip # a command line
    assert done.exit_code == 0, done.output
    assert json.loads(done.output) | {"seconds": 0} == {
        "stream": "orders", "records": 4, "size_bytes": 67, "retried": 0, "seconds": 0,
    }  # fmt: skip # a line
    records = [record for shard in server.kinesis.stream("orders").shards for record in shard.records]
    assert [record.data[-3:-1] for record in records if record.partition_key == "ada"] == [b" 1", b" 3"]
    assert {record.partition_key for record in records} == {"ada", "bob", "2"}


def test_a_stream_that_is_not_there_ends_the_command_with_what_there_is(server: KinesisServer, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x\n")
    failed = run(server, "oders", str(tmp_path / "file"), "--region", "us-east-1")
    assert isinstance(failed.exception, SinkFailed)
    assert "did you mean 'orders'?" in failed.exception.what


def test_a_region_that_nobody_says_is_asked_for(server: KinesisServer) -> None:
    assert isinstance(run(server, "orders", "-", lines="x").exception, RegionUnknown)


def test_two_ways_to_say_the_key_are_one_too_many(server: KinesisServer) -> None:
    refused = run(server, "orders", "-", "--key", "c", "--fixed-key", "k", "--region", "us-east-1", lines="x")
    assert refused.exit_code == 2
    assert "give one of --key and --fixed-key" in refused.output


def test_an_endpoint_that_is_none_is_said_to_be_none() -> None:
    failed = CliRunner().invoke(put, ["orders", "-", "--region", "us-east-1", "--endpoint", "localhost:1"], input="x")
    assert failed.exit_code == 2
    assert "Invalid endpoint: localhost:1; an endpoint begins with https://" in failed.output


@pytest.mark.parametrize("option", ["--linger", "--read-timeout"])
def test_a_time_that_is_no_number_is_refused(option: str) -> None:
    refused = CliRunner().invoke(put, ["orders", "-", "--region", "us-east-1", option, "nan"], input="x")
    assert refused.exit_code == 2
    assert f"Invalid value for '{option}': nan is not a number" in refused.output


@pytest.mark.parametrize("package", ["click", "botocore"])
def test_ctrl_c_while_a_package_is_imported_ends_the_command_in_one_line(package: str, tmp_path: Path) -> None:
    """click comes before there is a command, botocore when put runs."""
    (tmp_path / f"{package}.py").write_text("import time; print('here', flush=True); time.sleep(60)")
    command = [*FIRNLINE, "put", "orders", "-", "--region", "us-east-1"]
    with subprocess.Popen(
        command, env={**os.environ, "PYTHONPATH": str(tmp_path)}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip # a command line
        assert process.stdout is not None
        assert process.stdout.readline() == "here\n"
        assert interrupted(process) == "Interrupted.\n"
    assert process.returncode == 130


def test_ctrl_c_while_lines_are_put_ends_the_process_with_what_is_in(server: KinesisServer) -> None:
    """The signal comes while put waits for further lines, and the stream refuses a hundred earlier ones."""
    command = [*FIRNLINE, "put", "orders", "-", "--region", "us-east-1", "--endpoint", server.endpoint, "--linger", "0"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        put_lines(process, 200)
        wait_until(lambda: len(server.kinesis.stream("orders").records) == 200)
        server.kinesis.faults.replace([Fault(endpoint="kinesis:PutRecords", kind=FaultKind.ERROR, status=503)])
        put_lines(process, 100)
        wait_until(lambda: server.kinesis.faults.hits["kinesis:PutRecords"] > 1)
        said = interrupted(process)
    counted = re.match(r"\[FL-2406\] (\d+) records are in 'orders'; of (\d+) more it is not known. It was inter", said)
    assert counted, said
    assert (int(counted[1]), int(counted[2])) == (200, 100)
    assert (process.returncode, "Traceback" in said) == (2, False)


def interrupted(process: "subprocess.Popen[str]") -> str:
    process.send_signal(signal.SIGINT)
    return process.communicate(timeout=30)[1]


def put_lines(process: "subprocess.Popen[str]", count: int) -> None:
    assert process.stdin is not None
    process.stdin.write("x\n" * count)
    process.stdin.flush()


def wait_until(is_so: Callable[[], bool]) -> None:
    until_s = time.monotonic() + 120
    while not is_so():
        assert time.monotonic() < until_s
        time.sleep(0.01)


def test_whole_files_are_a_record_each(server: KinesisServer, tmp_path: Path) -> None:
    container = b"Obj\x01\n\n\x00"
    (tmp_path / "a.avro").write_bytes(container)
    done = run(server, "orders", str(tmp_path / "a.avro"), "--whole-files", "--region", "us-east-1")
    assert done.exit_code == 0, done.output
    assert [record.data for shard in server.kinesis.stream("orders").shards for record in shard.records] == [container]


def test_the_embedded_environment_has_a_command_of_its_own(server: KinesisServer, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x\n")
    refused = run(server, "orders", str(tmp_path / "file"), "--local")
    assert refused.exit_code == 2
    assert "firnline local put STREAM FILE..." in refused.output
