"""Tests of what a run would do is told without meeting anything, and is refused where it costs more than was allowed."""

import re
from pathlib import Path

from tests.live import plan
from tests.live.accounts import missing
from tests.live.verdicts import asked_about

BELIEFS = Path(__file__).parents[2] / "docs" / "design" / "beliefs.md"


def test_a_budget_below_the_estimate_is_refused() -> None:
    cost, minutes = plan.cost(), plan.minutes()
    assert plan.Budget(cost, minutes).refusal() is None
    assert "would cost" in str(plan.Budget(cost - 0.01, minutes).refusal())
    assert "may take" in str(plan.Budget(cost, minutes - 1).refusal())


def test_each_step_is_told_with_what_it_settles() -> None:
    told = plan.told()
    for step in plan.STEPS:
        assert step.does in told
        assert step.settles in told


def test_every_belief_that_is_asked_about_is_one_that_is_held() -> None:
    held = set(re.findall(r"^\| (B\d+) \|", BELIEFS.read_text(encoding="utf-8"), re.MULTILINE))
    told = {belief for step in plan.STEPS for belief in step.settles.split()}
    assert told == asked_about()
    assert told <= held


def test_what_is_missing_of_credentials_is_named() -> None:
    assert "SNOWFLAKE_USER" in missing({})
    assert not [name for name in missing(dict.fromkeys(["SNOWFLAKE_USER"], "U")) if name == "SNOWFLAKE_USER"]
