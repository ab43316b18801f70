"""`firnline up` itself is killed, as a process: first it alone, then with all that it has started."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.pulumi.pause import VARIABLE
from tests.pulumi.trial_project import LOOK_EVERY_S, TrialProject

from .environments import Trial, survey, trial_of

pytestmark = [pytest.mark.pulumi, pytest.mark.usefixtures("pulumi_binary"), pytest.mark.timeout(1800)]
FIRNLINE = [sys.executable, "-m", "tests.pulumi.pausing_firnline"]
ROOT = Path(__file__).parents[2]
LOCK = re.compile(r"Stack local was locked by process (\d+) of .+, which is gone: its lock is removed\.")
WITHIN_S = 300  # until the pause: how long an `up` takes to get there is no promise


def test_a_killed_command_is_completed_by_the_next_one_and_a_preview_names_what_changed_since(tmp_path: Path) -> None:
    with trial_of("local", tmp_path) as trial:
        before, project = survey(trial.environment), TrialProject(trial.cli)
        killed(trial, project, tmp_path / "alone", skip=6, kill=os.kill)
        assert creating(trial)
        killed(trial, project, tmp_path / "together", skip=12, kill=os.killpg)

        begun = creating(trial)
        said = firnline(trial, "up")
        assert LOCK.search(said)
        assert begun
        for urn in begun:
            assert f"{urn} was being made" in said
        assert "local is up in the EMBEDDED environment" in said
        assert trial.differences(trial.cli.outputs(trial.stack), before=before) == {}

        lengthened = {"StreamName": "orders", "RetentionPeriodHours": 200}
        trial.environment.client("kinesis").increase_stream_retention_period(**lengthened)
        said = firnline(trial, "preview", "--expect-no-changes", status=3)
        assert re.search(r"retentionPeriod *: 200 => ", said), said
        counts = said.partition("By kind of object:")[2].split("\n\n")[0].strip()
        assert [line.split() for line in counts.splitlines()[2:]] == [["kinesis", "stream", *"0100"]], said


def killed(trial: Trial, project: TrialProject, marker: Path, *, skip: int, kill: Callable[[int, int], None]) -> None:
    """An `up` that ends while it makes something, and all that it has started soon after: an engine that nobody reads ends
    at its next line, and it writes one every second.
    """
    pause = {"when": "*", "call": "create", "type": "*", "marker": str(marker), "skip": skip}
    with marker.with_suffix(".output").open("wb") as output:
        command = start(trial, "up", output=output, **project.mark, **{VARIABLE: json.dumps(pause)})
        deadline = time.monotonic() + WITHIN_S
        while not marker.exists():
            assert command.poll() is None, Path(output.name).read_text()
            assert time.monotonic() < deadline, Path(output.name).read_text()
            time.sleep(LOOK_EVERY_S)
        kill(command.pid, signal.SIGKILL)
        command.wait()
    project.wait_until_all_have_ended(within_s=5)


def firnline(trial: Trial, *arguments: str, status: int = 0) -> str:
    """Returns what it says, once it has ended with this status."""
    command = start(trial, *arguments, output=subprocess.PIPE)
    said, _ = command.communicate()
    assert command.returncode == status, said.decode()
    return said.decode()


def start(trial: Trial, command: str, *options: str, output: Any, **variables: str) -> "subprocess.Popen[bytes]":
    """In a group of processes of its own."""
    folder = {"FIRNLINE_LOCAL_FOLDER": str(trial.environment.folder.path)}
    return subprocess.Popen(
        [*FIRNLINE, command, str(trial.spec_file), *options],
        cwd=ROOT,
        env={**os.environ, **folder, **variables},
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def creating(trial: Trial) -> set[str]:
    """Returns what the state says was being made."""
    state = trial.cli.export(trial.stack)["deployment"]
    return {each["resource"]["urn"] for each in state.get("pending_operations") or () if each["type"] == "creating"}
