"""Other people's servers: where scripts/foreign-servers put them, and each as a process on a free port of loopback."""

import hashlib
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.ports import free_ports

PINS = Path(__file__).parent / "servers"
STARTS_WITHIN_S = 120
PROVIDED_BY = "scripts/foreign-servers provides the foreign servers"
KEY_ID, SECRET = "tests", "tests"
"""Of a server that has a user of its own: the credentials that tests/conftest.py gives to every client."""


@dataclass(frozen=True)
class Provision:
    """A folder of the cache, named by what the pins beside this file say."""

    folder: str
    pins: str
    runtime: str
    """The program that it needs; empty where it brings all that it needs."""

    def path(self, cache: Path) -> Path:
        return cache / f"{self.folder}-{hashlib.sha256((PINS / self.pins).read_bytes()).hexdigest()[:12]}"


PACKAGES = Provision("foreign-servers", "package-lock.json", "node")
KCL = Provision("kcl", "kcl/SHA256SUMS", "javac")
REGISTRY = Provision("apicurio", "apicurio/SHA256SUMS", "java")
GATEWAY = Provision("versitygw", "versitygw/go.sum", "")


@dataclass(frozen=True)
class ForeignServer:
    """A program of a provision, by its path there. {port}, {tls_port} and {folder} in what it is given stand for its own."""

    name: str
    provision: Provision
    program: str
    options: Sequence[str] = field(default=(), kw_only=True)
    """Of the program that runs it."""
    arguments: Sequence[str] = ()
    variables: Mapping[str, str] = field(default_factory=dict)


KINESIS_MOCK = ForeignServer(
    "kinesis-mock",
    PACKAGES,
    "node_modules/kinesis-local/main.js",
    variables={"KINESIS_MOCK_PLAIN_PORT": "{port}", "KINESIS_MOCK_TLS_PORT": "{tls_port}", "LOG_LEVEL": "ERROR"},
)
OUTLIVES_ITS_CLIENTS = ("--require", str(PINS / "aborted.js"))
KINESALITE = ForeignServer(
    "kinesalite",
    PACKAGES,
    "node_modules/kinesalite/cli.js",
    ("--port", "{port}", "--shardLimit", "100"),
    options=OUTLIVES_ITS_CLIENTS,
)
DYNALITE = ForeignServer(
    "dynalite", PACKAGES, "node_modules/dynalite/cli.js", ("--port", "{port}"), options=OUTLIVES_ITS_CLIENTS
)
VERSITYGW = ForeignServer(
    "versitygw",
    GATEWAY,
    "versitygw",
    (
        "--port",
        "127.0.0.1:{port}",
        "--keep-alive",
        "--quiet",
        "posix",
        "--sidecar",
        "{folder}/attributes",
        "{folder}/buckets",
    ),
    {"ROOT_ACCESS_KEY_ID": KEY_ID, "ROOT_SECRET_ACCESS_KEY": SECRET},
)
"""Buckets are folders. What S3 knows of an object besides is in a folder too: not every file system has attributes."""

APICURIO = ForeignServer(
    "apicurio",
    REGISTRY,
    "apicurio-registry-app-3.0.9-runner.jar",
    options=("-Xmx384m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-jar"),
    variables={"QUARKUS_HTTP_HOST": "127.0.0.1", "QUARKUS_HTTP_PORT": "{port}"},
)
"""It keeps its schemas in memory."""


def installed(provision: Provision, environment: Mapping[str, str] | None = None) -> Path:
    """The provision's folder. Skips the test where there is none, but for CI, where one that is missing is a failure."""
    environment = os.environ if environment is None else environment
    cache = Path(environment.get("XDG_CACHE_HOME") or Path(environment.get("HOME") or Path.home()) / ".cache")
    folder = provision.path(cache / "firnline")
    runtime, path = provision.runtime, environment.get("PATH", os.defpath)
    missing = runtime if runtime and shutil.which(runtime, path=path) is None else None
    missing = missing or (None if folder.is_dir() else str(folder))
    if missing and environment.get("CI") == "true":
        pytest.fail(f"{missing} is missing: {PROVIDED_BY}")
    if missing:
        pytest.skip(f"{missing} is missing: {PROVIDED_BY}")
    return folder


@contextmanager
def running(server: ForeignServer, folder: Path) -> Iterator[str]:
    """The URL of a server that answers; it ends with the block, and its log and what it keeps are in the folder."""
    program = installed(server.provision) / server.program
    port, tls_port = free_ports(2)
    own = {"port": str(port), "tls_port": str(tls_port), "folder": str(folder)}
    for each in re.findall(r"{folder}/(\w+)", " ".join(server.arguments)):
        (folder / each).mkdir()
    runtime = [server.provision.runtime, *server.options] if server.provision.runtime else []
    log_file = folder / f"{server.name}.log"
    command = [*runtime, str(program), *(each.format(**own) for each in server.arguments)]
    variables = {**os.environ, **{name: value.format(**own) for name, value in server.variables.items()}}
    with (
        log_file.open("ab") as log,
        subprocess.Popen(
            command,
            cwd=program.parent,  # kinesis-mock reads its certificate beside itself
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        ) as process,
    ):
        try:
            _wait_until_it_listens(process, port, log_file)
            yield f"http://127.0.0.1:{port}"
            assert process.poll() is None, f"ended with {process.poll()}: {log_file.read_text(errors='replace')}"
        finally:
            process.kill()


def _wait_until_it_listens(process: "subprocess.Popen[bytes]", port: int, log_file: Path) -> None:
    give_up_s = time.monotonic() + STARTS_WITHIN_S
    while True:
        assert process.poll() is None, log_file.read_text(errors="replace")
        assert time.monotonic() < give_up_s, f"nothing listens: {log_file.read_text(errors='replace')}"
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
