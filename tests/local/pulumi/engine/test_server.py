"""The plugin as a process of its own, as the engine starts it."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from google.protobuf import empty_pb2
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc

from firnline_local.pulumi.admission import variables
from firnline_local.pulumi.properties import encode
from tests.local.pulumi.conftest import Engine

if TYPE_CHECKING:
    from firnline_local.running import RunningEnvironment

pytestmark = pytest.mark.contract
PLUGIN = [sys.executable, "-m", "firnline_local.pulumi.engine"]
ENDS_WITHIN_S = 5.0
# Stands for the engine: starts the plugin, hands on its port, and waits to be killed.
ENGINE = """
import subprocess, sys
plugin = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True)
print(plugin.pid, plugin.stdout.readline(), flush=True)
sys.stdin.read()
"""


def environ_of(environment: "RunningEnvironment") -> dict[str, str]:
    return {**os.environ, **variables(environment)}


@contextmanager
def plugin(environment: "RunningEnvironment", *arguments: str) -> Iterator[tuple[Any, int]]:
    process = subprocess.Popen([*PLUGIN, *arguments], stdout=subprocess.PIPE, env=environ_of(environment), text=True)
    try:
        assert process.stdout is not None
        yield process, int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_it_says_its_port_and_warns_the_engine_that_started_it(
    local_environment: "RunningEnvironment", engine: Engine
) -> None:
    with plugin(local_environment, "aws", engine.address) as (process, port):
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            stub = provider_pb2_grpc.ResourceProviderStub(channel)
            stub.Configure(provider_pb2.ConfigureRequest(args=encode({"region": "us-east-1"})))
        assert [message.partition(":")[0] for message in engine.messages] == ["EMBEDDED"]
        process.send_signal(signal.SIGINT)  # how the engine ends it
        assert process.wait(ENDS_WITHIN_S) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_no_thread_but_the_one_that_waits_for_it_would_take_the_interrupt(
    local_environment: "RunningEnvironment",
) -> None:
    with plugin(local_environment, "aws") as (process, port), grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        provider_pb2_grpc.ResourceProviderStub(channel).GetPluginInfo(empty_pb2.Empty())  # a pool thread answers
        others = [task for task in Path(f"/proc/{process.pid}/task").iterdir() if task.name != str(process.pid)]
        assert len(others) > 1
        blocked = [int(re.search(r"SigBlk:\s*(\w+)", (task / "status").read_text())[1], 16) for task in others]
        assert all(mask >> (signal.SIGINT - 1) & 1 for mask in blocked)


def test_without_a_running_environment_it_refuses_to_be_a_provider() -> None:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("FIRNLINE_")}
    refused = subprocess.run([*PLUGIN, "aws"], env=environ, capture_output=True, text=True, check=False, timeout=60)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "[FL-6051]" in refused.stderr
    assert "firnline local up" in refused.stderr


def test_it_ends_soon_after_an_engine_that_was_killed(local_environment: "RunningEnvironment") -> None:
    with subprocess.Popen(
        [sys.executable, "-c", ENGINE, *PLUGIN, "snowflake"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environ_of(local_environment),
        text=True,
    ) as engine:
        assert engine.stdout is not None
        pid = int(engine.stdout.readline().split()[0])
        assert is_running(pid)
        engine.kill()
    until = time.monotonic() + ENDS_WITHIN_S
    while is_running(pid) and time.monotonic() < until:
        time.sleep(0.05)
    assert not is_running(pid)


def test_another_name_than_a_providers_is_a_mistake_of_the_caller() -> None:
    refused = subprocess.run([*PLUGIN, "azure"], capture_output=True, text=True, check=False, timeout=60)
    assert refused.returncode == 2
    assert "usage" in refused.stderr
