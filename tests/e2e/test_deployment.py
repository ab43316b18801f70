"""The commands of a platform engineer, from the first key to the end, through the real engine into the embedded clouds."""

import base64
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from firnline_infra.pulumi_cli import find_cli
from firnline_infra.pulumi_cli.errors import PulumiError
from firnline_infra.specification import load_spec
from firnline_local.running import RunningEnvironment

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]  # half a minute each for up, preview and destroy

ROOT = Path(__file__).parents[2]
SPEC = """
version: 1
name: traced
durability: EPHEMERAL
aws: {region: us-east-1, account: "000000000000", key: {origin: skip}}
snowflake: {account: FIRNLINE-LOCAL}
streams: [{name: traced, shards: 1}]
pipelines: [{stream: traced, database: TRACED, schema: RAW, table: EVENTS}]
"""
FIRNLINE = [sys.executable, "-c", "from firnline_infra.cli import main; main()"]
DEPLOY_ROLE, PREVIEW_ROLE = "FIRNLINE_TRACED_DEPLOY", "FIRNLINE_TRACED_PREVIEW"  # as the bootstrap makes them


@pytest.fixture(autouse=True)
def _with_a_cli() -> None:
    try:
        find_cli()
    except PulumiError as error:
        pytest.skip(error.what)


class Commands:
    """Runs `firnline` as a process of its own, and keeps all that it and its children show to others."""

    def __init__(self, environment: RunningEnvironment, spec_file: Path) -> None:
        self.environment, self.spec_file = environment, spec_file
        self.said: list[str] = []
        self.seen_of_processes: set[bytes] = set()

    def __call__(self, *arguments: str, expect: int = 0) -> str:
        command, *rest = arguments
        words = command.split()
        process = subprocess.Popen(
            [*FIRNLINE, *words, str(self.spec_file), *rest],
            cwd=ROOT,
            env={**os.environ, "FIRNLINE_LOCAL_FOLDER": str(self.environment.folder.path)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        over = threading.Event()
        watcher = threading.Thread(target=self._watch, args=(process.pid, over))
        watcher.start()
        try:
            output, _ = process.communicate()
        finally:
            over.set()
            watcher.join()
        self.said.append(output)
        assert process.returncode == expect, output
        return output

    def _watch(self, pid: int, over: threading.Event) -> None:
        """Arguments and environment of every process below, as anybody of this user could read them."""
        while not over.wait(0.05):
            for descendant in _descendants(pid):
                for name in ("cmdline", "environ"):
                    try:
                        self.seen_of_processes.add(Path(f"/proc/{descendant}/{name}").read_bytes())
                    except OSError:
                        continue


def _descendants(pid: int) -> set[int]:
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found


@pytest.fixture
def firnline(local_environment: RunningEnvironment, tmp_path: Path) -> Iterator[Commands]:
    for statement in (
        f"CREATE ROLE IF NOT EXISTS {DEPLOY_ROLE}",
        f"GRANT ROLE ACCOUNTADMIN TO ROLE {DEPLOY_ROLE}",
        f"GRANT ROLE {DEPLOY_ROLE} TO USER FIRNLINE_ADMIN",
        f"CREATE ROLE IF NOT EXISTS {PREVIEW_ROLE}",
    ):
        local_environment.query(statement, login="admin")
    spec_file = tmp_path / "traced.yaml"
    spec_file.write_text(SPEC)
    yield Commands(local_environment, spec_file)
    for role in (DEPLOY_ROLE, PREVIEW_ROLE):
        local_environment.query(f"DROP ROLE {role}", login="admin")


def pieces_of(private_pem: str) -> list[bytes]:
    """Returns what of a key would betray it: its lines, and its DER in every form that it could have been put into."""
    lines = [line.encode() for line in private_pem.splitlines() if not line.startswith("-----")]
    der = base64.b64decode(b"".join(lines))
    middle = der[len(der) // 3 : len(der) // 3 + 96]
    coded = [base64.b64encode(der[offset:])[40:100] for offset in range(3)]
    return [*(line for line in lines if len(line) > 40), middle, middle.hex().encode(), *coded]


def traces_in(folder: Path, pieces: list[bytes]) -> list[str]:
    found = []
    for file in folder.rglob("*"):
        if file.is_file() and not file.is_symlink():
            content = file.read_bytes()
            found += [str(file) for piece in pieces if piece in content][:1]
    return found


@pytest.mark.slow
def test_an_environment_from_its_first_key_to_its_end_and_no_trace_of_the_key(firnline: Commands) -> None:
    environment, spec_file = firnline.environment, firnline.spec_file
    refused = firnline("up", expect=2)
    assert "FL-7001" in refused
    assert "firnline keys create" in refused

    firnline("keys create")
    firnline("keys create", "reader")
    up = firnline("up")
    assert "traced is up in the EMBEDDED environment" in up
    document = json.loads(firnline("outputs", "--engine-config"))
    assert document["snowflake"]["private_key"] == {"secret_arn": load_spec(spec_file).snowflake.ingest.secret_arn}
    assert "engine_config_hash" in firnline("outputs")

    firnline("preview", "--expect-no-changes")
    environment.query("ALTER TABLE TRACED.RAW.EVENTS SET ERROR_LOGGING = FALSE", login="admin")
    drifted = firnline("preview", expect=3)
    assert re.search(r"TRACED\.RAW\.EVENTS +ERROR_LOGGING +TRUE +FALSE", drifted)
    environment.query("DROP TABLE TRACED.RAW.EVENTS", login="admin")
    again = firnline("up")
    for name in ("ENABLE_SCHEMA_EVOLUTION", "ERROR_LOGGING", "ROW_TIMESTAMP"):  # a new table has none of its properties
        assert f"table TRACED.RAW.EVENTS: {name} is FALSE, expected TRUE: set back." in again
    assert "rows" not in firnline("preview", "--expect-no-changes")

    secrets = [
        environment.client("secretsmanager").get_secret_value(SecretId=f"firnline-traced/snowflake/{user}")
        for user in ("ingest", "reader")
    ]
    pieces = [piece for secret in secrets for piece in pieces_of(secret["SecretString"])]
    assert traces_in(environment.folder.path, pieces) == []
    assert traces_in(spec_file.parent, pieces) == []
    assert firnline.seen_of_processes
    shown = [*firnline.seen_of_processes, *(text.encode() for text in firnline.said)]
    assert [piece for piece in pieces if any(piece in text for text in shown)] == []

    assert "resources of traced" in firnline("destroy", "--yes")
    with pytest.raises(Exception, match="traced"):
        environment.client("kinesis").describe_stream_summary(StreamName="traced")


def test_the_search_would_find_a_key(tmp_path: Path) -> None:
    from firnline_infra.keys.pair import new_pair

    pem = new_pair().private_pem
    pieces = pieces_of(pem)
    der = base64.b64decode("".join(line for line in pem.splitlines() if not line.startswith("-----")))
    for name, content in (
        ("pem", pem.encode()),
        ("escaped", json.dumps(pem).encode()),
        ("der", der),
        ("hex", der.hex().encode()),
        ("base64", base64.b64encode(b"xy" + der)),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_bytes(content)
        assert traces_in(tmp_path / name, pieces), name
