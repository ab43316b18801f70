import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from firnline_infra.pulumi_cli.lock import Lock

REFUSAL = """error: the stack is currently locked by 2 lock(s). Either wait for the other process(es) to end or delete \
the lock file with `pulumi cancel`.
  s3://states/.pulumi/locks/organization/firnline/dev/1.json: created by ann@build-7 (pid 4711) at 2026-11-21T15:57:42Z
  s3://states/.pulumi/locks/organization/firnline/dev/2.json: created by DOMAIN\\bob@pc (pid 12) at 2026-11-21T16:00:00+01:00
"""


def lock(*, pid: int, host: str | None = None) -> Lock:
    return Lock(user="ann", host=host or socket.gethostname(), pid=pid, since="2026-11-21T15:57:42Z")


def test_the_locks_are_read_from_the_refusal_whatever_the_backend() -> None:
    first, second = Lock.all_of(REFUSAL)
    assert str(first) == "process 4711 of ann on build-7 (since 2026-11-21T15:57:42Z)"
    assert (second.user, second.pid) == ("DOMAIN\\bob", 12)


def test_another_failure_names_no_lock() -> None:
    assert Lock.all_of("error: no stack named 'dev' found") == ()


def test_the_lock_of_a_process_that_runs_counts() -> None:
    assert lock(pid=os.getpid()).why_it_counts() == "it is still running"


def test_the_lock_of_a_process_that_has_ended_does_not_count() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    assert lock(pid=process.pid).why_it_counts() is None


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="tells such processes by /proc")
def test_the_lock_of_one_that_nobody_waited_for_does_not_count() -> None:
    with subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.read()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert lock(pid=process.pid).why_it_counts() is None


def test_the_lock_of_another_machine_counts_because_nobody_here_can_tell() -> None:
    why = lock(pid=1, host="build-7").why_it_counts(this_host="pc")
    assert why is not None
    assert "another machine" in why
