"""`firnline local`, each command in a process of its own, as a person runs it."""

import gzip
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "stacks" / "environments" / "local.yaml"
FIRNLINE = [sys.executable, "-c", "from firnline_infra.cli import main; main()"]
DEADLINE_S = 120.0


def firnline(*arguments: str | Path, folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*FIRNLINE, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, "FIRNLINE_LOCAL_FOLDER": str(folder)},
    )


@contextmanager
def up_empty(folder: Path, spec: Path) -> Iterator[list[str]]:
    """The lines that a person sees of an environment in which nothing is made."""
    command = [*FIRNLINE, "local", "up", "--spec", str(spec), "--folder", str(folder), "--empty"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = []
        try:
            for line in process.stdout:
                lines.append(line.rstrip())
                if line.startswith("  firnline up "):
                    break
            yield lines
        finally:
            process.kill()


@contextmanager
def up(folder: Path, *options: str) -> "Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]":
    """A running `local up`, and what it printed."""
    command = [*FIRNLINE, "local", "up", "--spec", str(SPEC), "--folder", str(folder), "--output", "json", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        try:
            assert line, process.stderr and process.stderr.read()
            yield process, json.loads(line)
        finally:
            process.kill()


def endpoints_of(report: dict[str, Any]) -> list[str]:
    return [report["endpoints"][server] for server in ("kinesis", "aws", "snowflake")]


def wait_until_nothing_listens(endpoints: list[str]) -> None:
    deadline = time.monotonic() + DEADLINE_S
    for endpoint in endpoints:
        address = urlsplit(endpoint)
        while True:
            try:
                socket.create_connection((str(address.hostname), address.port or 0), timeout=1).close()
            except OSError:
                break
            assert time.monotonic() < deadline, f"{endpoint} still listens"
            time.sleep(0.02)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An environment for the commands that only talk to one."""
    folder = tmp_path_factory.mktemp("up") / "environment"
    with up(folder):
        yield folder


def test_put_loads_the_lines_of_files_as_they_are(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_bytes(b'{"id": 1, "customer": "ada"}\nno json\n')
    (tmp_path / "b.ndjson.gz").write_bytes(gzip.compress(b'{"id": 2, "customer": "bob"}\n'))
    files = (tmp_path / "a.ndjson", tmp_path / "b.ndjson.gz")

    said = firnline("local", "put", "orders", *files, "--key", "customer", folder=folder)
    assert said.returncode == 0, said.stderr
    assert said.stdout.startswith("orders: 3 records, 0.0 MB in ")

    as_json = json.loads(firnline("local", "put", "orders", *files, "--output", "json", folder=folder).stdout)
    assert (as_json["records"], as_json["size_bytes"]) == (3, 63)


def test_put_into_a_stream_that_is_not_there_says_which_is(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").write_bytes(b"{}")
    said = firnline("local", "put", "oders", tmp_path / "a.ndjson", folder=folder)
    assert said.returncode == 2
    assert "FL-2406" in said.stderr
    assert "did you mean 'orders'?" in said.stderr
    assert "Traceback" not in said.stderr


def test_sql_prints_a_table_or_json(folder: Path) -> None:
    said = firnline("local", "sql", "SELECT 1 AS A, 'x' AS B", folder=folder)
    assert said.returncode == 0, said.stderr
    assert said.stdout == "A  B\n-  -\n1  x\n(1 row)\n"

    as_json = firnline("local", "sql", "SELECT 1 AS A, 'x' AS B", "--output", "json", folder=folder)
    assert json.loads(as_json.stdout) == [{"A": 1, "B": "x"}]


def test_sql_runs_with_the_eyes_of_the_reader_unless_told_otherwise(folder: Path) -> None:
    refused = firnline("local", "sql", "CREATE DATABASE MINE", folder=folder)
    assert (refused.returncode, "FL-6038" in refused.stderr) == (2, True)
    assert firnline("local", "sql", "CREATE DATABASE MINE", "--role", "admin", folder=folder).returncode == 0


def test_fault_adds_shows_and_clears(folder: Path) -> None:
    added = firnline(
        "local", "fault", "kinesis:GetRecords", "--kind", "slow", "--every", "3", "--times", "2", folder=folder
    )
    assert added.returncode == 0, added.stderr
    assert added.stdout.splitlines()[2].split() == ["kinesis:GetRecords", "SLOW", "500", "3", "2", "0", "0", "0"]
    assert firnline("local", "fault", folder=folder).stdout == added.stdout
    assert firnline("local", "fault", "--clear", folder=folder).stdout == "No faults.\n"


def test_a_second_environment_in_the_same_folder_is_refused(folder: Path) -> None:
    said = firnline("local", "up", "--spec", SPEC, folder=folder)
    assert said.returncode == 2
    assert "FL-6030" in said.stderr


@pytest.mark.parametrize("name", ["local", pytest.param("dev", marks=pytest.mark.slow)])
def test_an_empty_environment_tells_what_is_there_and_what_comes_next(tmp_path: Path, name: str) -> None:
    """Only where the engine has its machine's key does the environment bring keys of its own."""
    spec, folder = SPEC.with_name(f"{name}.yaml"), tmp_path / "environment"
    with up_empty(folder, spec) as lines:
        text = "\n".join(lines)
        assert "up and empty" in lines[0]
        assert "user admin" in text
        assert not re.search(r"user ingest|user reader|pipeline|engine\.json", text)
        named = [line.strip() for line in lines if line.startswith("  firnline ")]
        keys = [f"firnline keys create {spec} --folder {folder} {user}" for user in ("ingest", "reader")]
        assert named == [*(keys if name == "dev" else []), f"firnline up {spec} --folder {folder}"]


@pytest.mark.slow
def test_keys_of_an_earlier_empty_environment_are_to_be_made_again(tmp_path: Path) -> None:
    spec, folder = tmp_path / "again.yaml", tmp_path / "environment"
    spec.write_text((ROOT / "stacks" / "environments" / "dev.yaml").read_text())
    for _ in range(2):
        with up_empty(folder, spec) as lines:
            keys = [f"keys create {spec} --folder {folder} {user}" for user in ("ingest", "reader")]
            assert [line.strip() for line in lines if "keys create" in line] == [f"firnline {each}" for each in keys]
            for command in keys:
                said = firnline(*command.split(), folder=folder)
                assert said.returncode == 0, said.stderr


def test_an_empty_environment_gives_programs_the_administrator_alone(tmp_path: Path) -> None:
    with up(tmp_path / "environment", "--empty") as (_, report):
        assert report["logins"].keys() == {"admin"}
        assert "engine_config" not in report


@pytest.mark.parametrize("ending", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_nothing_is_left_when_it_is_asked_to_end(tmp_path: Path, ending: signal.Signals) -> None:
    folder = tmp_path / "environment"
    with up(folder) as (process, report):
        process.send_signal(ending)
        _, errors = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 0
    assert errors == "The embedded environment has ended.\n"
    wait_until_nothing_listens(endpoints_of(report))
    assert not (folder / "state.json").exists()
    assert "FL-6031" in firnline("local", "sql", "SELECT 1", folder=folder).stderr


def test_nothing_runs_on_when_it_is_killed_and_a_new_one_takes_its_place(tmp_path: Path) -> None:
    folder = tmp_path / "environment"
    with up(folder) as (process, report):
        process.kill()
        process.communicate(timeout=DEADLINE_S)
    wait_until_nothing_listens(endpoints_of(report))
    assert "FL-6032" in firnline("local", "sql", "SELECT 1", folder=folder).stderr

    with up(folder):
        said = firnline("local", "sql", "SELECT 1 AS A", folder=folder)
        assert said.returncode == 0, said.stderr


def test_a_port_that_another_program_has_is_named_and_nothing_is_left(tmp_path: Path) -> None:
    folder = tmp_path / "environment"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = firnline("local", "up", "--spec", SPEC, "--aws-port", str(port), folder=folder)
    assert said.returncode == 2
    assert "FL-6003" in said.stderr
    assert f"Port {port} of 127.0.0.1" in said.stderr
    assert not (folder / "state.json").exists()


def test_a_specification_that_is_wrong_is_told_before_anything_starts(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("version: 1\nname: local\n")
    said = firnline("local", "up", "--spec", tmp_path / "bad.yaml", folder=tmp_path / "environment")
    assert said.returncode == 2
    assert "FL-1001" in said.stderr
    assert not (tmp_path / "environment").exists()


@pytest.mark.parametrize(
    ("endpoint", "said"),
    [
        ("kinesis:GetRecord", "kinesis has no operation 'GetRecord'; did you mean 'GetRecords'?"),
        ("GetRecords", "'GetRecords' must be service:Operation"),
    ],
)
def test_a_fault_that_could_hit_nothing_is_refused(folder: Path, endpoint: str, said: str) -> None:
    refused = firnline("local", "fault", endpoint, folder=folder)
    assert refused.returncode == 2
    assert said in refused.stderr
