"""Other people's servers: where scripts/foreign-servers put them, and each as a process on a free port of loopback."""

import hashlib
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

PINS = Path(__file__).parent / "servers" / "package-lock.json"
STARTS_WITHIN_S = 120
PROVIDED_BY = "scripts/foreign-servers provides the foreign servers"


@dataclass(frozen=True)
class NodeServer:
    """A program of one of the packages. `port` in its arguments and variables stands for the port."""

    name: str
    program: str
    arguments: Sequence[str] = ()
    variables: Mapping[str, str] = field(default_factory=dict)


KINESIS_MOCK = NodeServer(
    "kinesis-mock",
    "kinesis-local/main.js",
    variables={"KINESIS_MOCK_PLAIN_PORT": "{port}", "KINESIS_MOCK_TLS_PORT": "{tls_port}", "LOG_LEVEL": "ERROR"},
)
KINESALITE = NodeServer("kinesalite", "kinesalite/cli.js", ("--port", "{port}", "--shardLimit", "100"))
DYNALITE = NodeServer("dynalite", "dynalite/cli.js", ("--port", "{port}"))


def installed(environment: Mapping[str, str] | None = None) -> Path:
    """The folder of the packages. Skips the test where there is none, but for CI, where one that is missing is a failure."""
    environment = os.environ if environment is None else environment
    cache = environment.get("XDG_CACHE_HOME") or Path(environment.get("HOME") or Path.home()) / ".cache"
    folder = Path(cache) / "firnline" / f"foreign-servers-{hashlib.sha256(PINS.read_bytes()).hexdigest()[:12]}"
    missing = "Node" if shutil.which("node", path=environment.get("PATH", os.defpath)) is None else None
    missing = missing or (None if folder.is_dir() else str(folder))
    if missing and environment.get("CI") == "true":
        pytest.fail(f"{missing} is missing: {PROVIDED_BY}")
    if missing:
        pytest.skip(f"{missing} is missing: {PROVIDED_BY}")
    return folder / "node_modules"


@contextmanager
def running(server: NodeServer, folder: Path) -> Iterator[str]:
    """The URL of a server that answers; it ends with the block, and its log is in the folder."""
    program = installed() / server.program
    port, tls_port = free_ports(2)
    ports = {"port": str(port), "tls_port": str(tls_port)}
    variables = {name: value.format(**ports) for name, value in server.variables.items()}
    log_file = folder / f"{server.name}.log"
    with log_file.open("wb") as log:
        process = subprocess.Popen(
            ["node", str(program), *(argument.format(**ports) for argument in server.arguments)],
            cwd=program.parent,  # kinesis-mock reads its certificate there
            env={**os.environ, **variables},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        _wait_until_it_listens(process, port, log_file)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def free_ports(number: int) -> list[int]:
    """Different ones: all are held until the last is found."""
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    try:
        return [each.getsockname()[1] for each in held]
    finally:
        for each in held:
            each.close()


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
