"""Tests of which runs are over: what they have left is swept, and what a run that lives is using is not."""

import subprocess
import sys
import time
from pathlib import Path

from tests.live.names import Run
from tests.live.whole import OVER_AFTER_S, Whole


def begun(work: Path) -> Whole:
    return Whole.begun(work, {"AWS_REGION": "eu-west-1"}, minutes=1, record=None, say=lambda _: None)


def test_a_run_of_this_machine_is_over_when_its_process_is(tmp_path: Path) -> None:
    first = begun(tmp_path)
    looking = Whole(**{**vars(first), "run": Run(first.run.began_s + 1)})
    assert not looking._is_over(first.run)
    first.lock.close()
    assert looking._is_over(first.run)


def test_what_is_over_is_forgotten_and_what_lives_is_not(tmp_path: Path) -> None:
    first = begun(tmp_path)
    looking = Whole(**{**vars(first), "run": Run(first.run.began_s + 1)})
    looking._forget_what_is_over()
    assert (tmp_path / first.run.environment).exists()
    first.lock.close()
    looking._forget_what_is_over()
    assert not (tmp_path / first.run.environment).exists()


def test_a_run_is_not_over_while_a_command_of_it_lives_on(tmp_path: Path) -> None:
    first = begun(tmp_path)
    looking = Whole(**{**vars(first), "run": Run(first.run.began_s + 1)})
    held = first.lock.fileno()
    orphan = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=(held,))
    first.lock.close()
    assert not looking._is_over(first.run)
    orphan.communicate(b"\n")
    assert looking._is_over(first.run)


def test_a_run_of_another_machine_is_over_after_hours(tmp_path: Path) -> None:
    looking, now = begun(tmp_path), int(time.time())
    assert not looking._is_over(Run(now - 60))
    assert looking._is_over(Run(now - OVER_AFTER_S - 60))
    looking.lock.close()
