"""Seeded schedules at the level of an epoch: real SDK, real protocols, processes killed and frozen.

Each of the numbered points is struck with each blow, and more by chance; `scripts/chaos` plays any number of others.
"""

from collections import Counter
from contextlib import closing

import pytest

from tests.chaos.drill import Outcome
from tests.chaos.on_demand import ON_DEMAND
from tests.chaos.sabotage import SABOTAGES
from tests.chaos.schedule import STRIKES, Blow, Step
from tests.chaos.suite import run_schedules

pytestmark = pytest.mark.chaos

SCHEDULES = len(STRIKES) + 8
FURTHER = (10 * len(STRIKES), 20 * len(STRIKES))
"""Where schedules begin that strike what the first ones missed: a busy machine may not come to a point in time."""
SABOTAGED = 16


@pytest.mark.timeout(900)
def test_every_record_is_in_its_place_once_whatever_is_killed_or_frozen() -> None:
    outcomes: list[Outcome] = []
    for seeds in (range(SCHEDULES), *(range(first, first + len(STRIKES)) for first in FURTHER)):
        missed = set(STRIKES) - {strike for outcome in outcomes for strike in outcome.strikes}
        wanted = [seed for seed in seeds if seeds[0] == 0 or STRIKES[seed % len(STRIKES)] in missed]
        outcomes += run_schedules(wanted, without=ON_DEMAND)
    failed = {outcome.seed: outcome.problems for outcome in outcomes if outcome.problems}
    assert failed == {}, "run one again with: scripts/chaos --runs 1 --seed SEED"
    assert len(outcomes) >= SCHEDULES
    struck: Counter[tuple[Step, Blow]] = sum((outcome.strikes for outcome in outcomes), Counter())
    assert set(STRIKES) <= set(struck), "every numbered point was struck, with every blow"
    assert sum(outcome.zombies for outcome in outcomes) > 0
    assert sum(outcome.fault_hits for outcome in outcomes) > 0


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("sabotage", "found"), [("append-again", "doubled"), ("ledger-before-proof", "missing")])
def test_an_engine_with_a_rule_taken_away_is_found_out(sabotage: str, found: str) -> None:
    with closing(run_schedules(range(SABOTAGED), without=ON_DEMAND, sabotage=sabotage)) as outcomes:
        assert any(found in problem for outcome in outcomes for problem in outcome.problems)


def test_each_rule_that_can_be_taken_away_has_its_test() -> None:
    assert sorted(SABOTAGES) == ["append-again", "ledger-before-proof"]
