"""Children are small modules written on the spot; each is a real process."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from firnline_local.errors import PortInUse, ProcessEnded, ProcessNotReady
from firnline_local.process import ChildProcess

SERVER = """
import socket, time
from firnline_local.exit_with_parent import exit_when_stdin_ends
from firnline_local.process import announce_ready
exit_when_stdin_ends()
listener = socket.create_server(("127.0.0.1", 0))
announce_ready(endpoint=str(listener.getsockname()[1]))
time.sleep(600)
"""
DEADLINE_S = 120.0

Start = Callable[..., ChildProcess]


@pytest.fixture
def start(tmp_path: Path, request: pytest.FixtureRequest) -> Start:
    """Starts a module with the given text; it is gone when the test ends."""

    def start(text: str, *arguments: str) -> ChildProcess:
        (tmp_path / "child.py").write_text(text)
        child = ChildProcess.start(
            "child",
            arguments,
            name="child",
            log_file=tmp_path / "child.log",
            environment={**os.environ, "PYTHONPATH": str(tmp_path)},
        )
        request.addfinalizer(child.stop)
        return child

    return start


def accepts_connections(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def gone(port: int) -> bool:
    deadline = time.monotonic() + DEADLINE_S
    while accepts_connections(port):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def test_the_ready_line_is_handed_over_and_stop_ends_the_child(start: Start) -> None:
    child = start(SERVER)
    port = int(child.wait_until_ready(timeout_s=DEADLINE_S)["endpoint"])
    assert accepts_connections(port)
    child.check()

    child.stop()
    assert not accepts_connections(port)
    assert not child.is_running
    child.stop()  # twice is fine


def test_a_child_that_goes_on_printing_is_not_blocked(start: Start) -> None:
    child = start(
        "import sys, json\n"
        "print(json.dumps({}), flush=True)\n"
        "print('x' * 1_000_000, flush=True)\n"
        "print('past the pipe', file=sys.stderr, flush=True)\n"
        "sys.stdin.read()\n"
    )
    child.wait_until_ready(timeout_s=DEADLINE_S)
    deadline = time.monotonic() + DEADLINE_S
    while "past the pipe" not in child.log_file.read_text() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert "past the pipe" in child.log_file.read_text()


def test_a_child_that_ends_before_it_is_ready_is_quoted_with_its_status(start: Start) -> None:
    child = start("import sys; print('no such table: ORDERS', file=sys.stderr); sys.exit(3)")
    with pytest.raises(ProcessEnded, match=r"child process .* status 3(.|\n)*no such table: ORDERS"):
        child.wait_until_ready(timeout_s=DEADLINE_S)


def test_a_child_that_ends_later_is_noticed_by_check(start: Start) -> None:
    child = start(SERVER)
    child.wait_until_ready(timeout_s=DEADLINE_S)
    os.kill(child.pid, signal.SIGKILL)
    deadline = time.monotonic() + DEADLINE_S
    while child.is_running and time.monotonic() < deadline:
        time.sleep(0.01)
    with pytest.raises(ProcessEnded, match="status -9"):
        child.check()


def test_a_child_that_is_not_ready_in_time_is_killed(start: Start) -> None:
    child = start("import sys; print('thinking', file=sys.stderr, flush=True); sys.stdin.read()")
    with pytest.raises(ProcessNotReady, match=r"after 0\.2 s"):
        child.wait_until_ready(timeout_s=0.2)
    assert not child.is_running


def test_something_else_than_json_is_no_ready_line(start: Start) -> None:
    child = start("print('hello', flush=True); import sys; sys.stdin.read()")
    with pytest.raises(ProcessNotReady, match="said 'hello' where"):
        child.wait_until_ready(timeout_s=DEADLINE_S)
    assert not child.is_running


def test_a_port_that_is_in_use_is_named(start: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        child = start("import socket, sys; socket.create_server(('127.0.0.1', int(sys.argv[2])))", "--port", port)
        with pytest.raises(PortInUse, match=f"Port {port} of 127.0.0.1") as refused:
            child.wait_until_ready(timeout_s=DEADLINE_S)
    assert "Traceback" not in str(refused.value)


def test_a_child_that_ignores_the_end_of_its_stdin_is_killed(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firnline_local.process.GRACE_S", 0.2)
    child = start("import time; print('{}', flush=True); time.sleep(600)")
    child.wait_until_ready(timeout_s=DEADLINE_S)
    child.stop()
    assert not child.is_running


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
def test_a_child_does_not_outlive_its_parent(tmp_path: Path, ending: signal.Signals) -> None:
    (tmp_path / "child.py").write_text(SERVER)
    (tmp_path / "parent.py").write_text(
        "from pathlib import Path\n"
        "from firnline_local.process import ChildProcess\n"
        "child = ChildProcess.start('child', name='child', log_file=Path('child.log'))\n"
        "print(child.wait_until_ready(timeout_s=20)['endpoint'], flush=True)\n"
        "import time; time.sleep(600)\n"
    )
    with subprocess.Popen(
        [sys.executable, "parent.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        assert parent.stdout is not None
        port = int(parent.stdout.readline())
        assert accepts_connections(port)
        parent.send_signal(ending)
        parent.wait(DEADLINE_S)
    assert gone(port)


def test_the_grandchild_of_a_killed_parent_never_holds_its_sibling(start: Start, tmp_path: Path) -> None:
    """The writing end of one child's stdin must not leak into the next child."""
    first, second = start(SERVER), start(SERVER)
    port = int(first.wait_until_ready(timeout_s=DEADLINE_S)["endpoint"])
    second.wait_until_ready(timeout_s=DEADLINE_S)
    first.request_stop()
    assert gone(port)
