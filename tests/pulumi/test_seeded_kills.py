"""The whole dev environment, whose `up` is killed again and again, also while it repairs what the last kill has left.

FIRNLINE_SEED chooses other moments. FIRNLINE_KILLS=all kills at every step in turn, before its effect or after it; that
takes about ten minutes.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import pytest

from firnline_infra.local.pulumi.plugin.pause import VARIABLE
from firnline_infra.pulumi_cli.errors import CommandFailed
from firnline_infra.pulumi_cli.recovery import recovered_up
from firnline_infra.pulumi_cli.recovery.aws import aws_lookups
from firnline_infra.pulumi_cli.testing import LOOK_EVERY_S, TrialProject

from .environments import Trial, survey, trial_of

pytestmark = [pytest.mark.pulumi, pytest.mark.usefixtures("pulumi_binary"), pytest.mark.timeout(1800)]
SEED = int(os.environ.get("FIRNLINE_SEED", "4"))
EVERY_STEP = os.environ.get("FIRNLINE_KILLS") == "all"
ONE_STEP_AT_A_TIME = {"PULUMI_PARALLEL": "1"}  # else the others are killed wherever they happen to be
KILLS, LATEST = 8, 8  # of about fifty points in each provider


def moments() -> Iterator[dict[str, Any]]:
    """Points of providers, and how many calls reach theirs before."""
    random = Random(SEED)
    if EVERY_STEP:
        while True:
            yield {"when": random.choice(["before", "after"]), "skip": 0}
    for _ in range(KILLS):
        yield {"when": random.choice(["before", "after"]), "skip": random.randrange(LATEST)}


def test_whenever_an_up_is_killed_the_next_ones_lead_to_what_was_asked_for(tmp_path: Path) -> None:
    with trial_of("dev", tmp_path) as trial:
        before, killed = survey(trial.environment), 0
        trial.cli.init(trial.stack)
        for number, moment in enumerate(moments()):
            if not up_and_kill(trial, moment, tmp_path / f"marker-{number}"):
                break  # it was through before that moment
            killed += 1
        assert killed >= KILLS // 2, f"seed {SEED}"
        up(trial, TrialProject(trial.cli))
        trial.cli.preview(trial.stack, refresh=True, expect_no_changes=True)
        assert trial.differences(trial.cli.outputs(trial.stack), before=before) == {}, f"seed {SEED}"
        trial.cli.destroy(trial.stack)
        there = survey(trial.environment)
        assert {name for name in there if "secret" not in name} == {name for name in before if "secret" not in name}


def up_and_kill(trial: Trial, moment: dict[str, Any], marker: Path) -> bool:
    """Whether it came to that moment."""
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
    """As `firnline up` does it."""
    cli = project.watched(**variables)
    recovered_up(cli, trial.stack, say=_ignore, lookups=aws_lookups(trial.environment.client))


def _ignore(line: str) -> None:
    """Nobody listens."""
