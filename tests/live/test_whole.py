"""Which runs are over: what they have left is swept, and what a run that lives is using is not."""

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


def test_a_run_of_another_machine_is_over_after_hours(tmp_path: Path) -> None:
    looking, now = begun(tmp_path), int(time.time())
    assert not looking._is_over(Run(now - 60))
    assert looking._is_over(Run(now - OVER_AFTER_S - 60))
    looking.lock.close()
