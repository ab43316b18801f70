"""The whole dev environment, whose `up` is killed again and again, also while it repairs what the last kill has left.

FIRNLINE_SEED chooses other moments; test_kinds_of_resources kills around every effect of every kind. FIRNLINE_KILLS=all
(`scripts/chaos --stack`) kills before every step and after it, which takes about half an hour; FIRNLINE_KILLS=10..20 does
so from the 10th create to the 20th, so that several processes can share it.
"""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import pytest

from firnline_infra.pulumi_cli.errors import CommandFailed
from firnline_infra.pulumi_cli.recovery import recovered_up
from firnline_infra.pulumi_cli.recovery.lookups import aws_lookups
from tests.pulumi.pause import VARIABLE
from tests.pulumi.trial_project import LOOK_EVERY_S, TrialProject

from .environments import Trial, survey, trial_of
from .survey.in_aws import Facts

pytestmark = [pytest.mark.pulumi, pytest.mark.usefixtures("pulumi_binary")]
SEED = int(os.environ.get("FIRNLINE_SEED", "4"))
EVERY_STEP = os.environ.get("FIRNLINE_KILLS", "")
ONE_STEP_AT_A_TIME = {"PULUMI_PARALLEL": "1"}  # else the others are killed wherever they happen to be
KILLS, STEPS = 3, 32  # there are a few more: what is made, and what is changed after it was imported
Moment = dict[str, Any]


def seeded() -> Iterator[Moment]:
    """Sides of steps all over the environment, and how many steps since the last kill go on before."""
    random, done = Random(SEED), 0
    for step in sorted(random.sample(range(STEPS), KILLS)):
        when = random.choice(["before", "after"])
        yield {"when": when, "skip": step - done}
        done = step + (when == "after")


def every(first: int, last: float, seen: list[str]) -> Iterator[Moment]:
    """Before each step, and then after it, until so many creates have had both. Which is next is left to the engine."""
    skip = first
    while sum(where.startswith("create") for where in on_both_sides(seen)) < last - first:
        yield {"when": "before", "skip": skip, "seen": seen}
        skip = 0


def on_both_sides(seen: list[str]) -> set[str]:
    return {where for where, times in Counter(seen).items() if times == 2}


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(bool(EVERY_STEP), reason="FIRNLINE_KILLS asks for every step")
def test_whenever_an_up_is_killed_the_next_ones_lead_to_what_was_asked_for(tmp_path: Path) -> None:
    with trial_of("dev", tmp_path) as trial:
        killed = kill_and_complete(trial, seeded(), tmp_path, _ignore)
        assert killed == KILLS, f"seed {SEED}"


@pytest.mark.slow
@pytest.mark.timeout(0)
@pytest.mark.skipif(not EVERY_STEP, reason="takes about half an hour; scripts/chaos --stack runs it")
def test_a_kill_at_any_step_is_repaired_by_the_next_up(tmp_path: Path) -> None:
    first, _, last = EVERY_STEP.replace("all", "..").partition("..")
    seen: list[str] = []

    def note(where: str) -> None:
        seen.append(where)
        print(f"kill {len(seen)} at {where}", flush=True)

    with trial_of("dev", tmp_path) as trial:
        moments = every(int(first or 0), float(last or "inf"), seen)
        assert kill_and_complete(trial, moments, tmp_path, note)
    assert last or set(seen) == on_both_sides(seen)


def kill_and_complete(trial: Trial, moments: Iterator[Moment], folder: Path, killed_at: Callable[[str], None]) -> int:
    """Returns how often it was killed. In the end it is all there, once, and can be removed without a trace."""
    before, killed = survey(trial.environment), 0
    trial.cli.init(trial.stack)
    for number, moment in enumerate(moments):
        marker = folder / f"marker-{number}"
        if not up_and_kill(trial, moment, marker):
            break  # it was through before that moment
        killed += 1
        killed_at(marker.read_text().strip())
    up(trial, TrialProject(trial.cli))
    trial.cli.preview(trial.stack, refresh=True, expect_no_changes=True)
    assert trial.differences(trial.cli.outputs(trial.stack), before=before) == {}, f"seed {SEED}"
    trial.cli.destroy(trial.stack)
    assert without_secrets(survey(trial.environment)) == without_secrets(before)
    return killed


def without_secrets(there: Facts) -> set[str]:
    return {name for name in there if "secret" not in name}


def up_and_kill(trial: Trial, moment: Moment, marker: Path) -> bool:
    """Returns whether it came to that moment."""
    project = TrialProject(trial.cli)
    pause = {"call": "*", "type": "*", "marker": str(marker), **moment}
    failures: list[Exception] = []

    def run() -> None:
        try:
            up(trial, project, **{VARIABLE: json.dumps(pause), **ONE_STEP_AT_A_TIME})
        except Exception as failed:
            failures.append(failed)

    command = Thread(target=run)
    command.start()
    while command.is_alive() and not marker.exists():
        command.join(LOOK_EVERY_S)
    if command.is_alive():
        project.kill_engine()
    command.join()
    project.wait_until_all_have_ended(within_s=5)
    for failure in failures:
        if not isinstance(failure, CommandFailed) or not marker.exists():
            raise failure
    return marker.exists()


def up(trial: Trial, project: TrialProject, **variables: str) -> None:
    """Runs `up` as `firnline up` does."""
    cli = project.watched(**variables)
    recovered_up(cli, trial.stack, say=_ignore, lookups=aws_lookups(trial.environment.client))


def _ignore(line: str) -> None:
    """Nobody listens."""
