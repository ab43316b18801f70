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
from tests.tiers import seeds

pytestmark = pytest.mark.chaos

SCHEDULES, PARTS = len(STRIKES) + 8, 3
FURTHER = range(10 * len(STRIKES), 100 * len(STRIKES), 10 * len(STRIKES))
"""Where schedules begin that strike what the ones before missed: a busy machine may not come to a point in time. A part is
struck less by chance than the whole is, and so has more of them.
"""
SABOTAGED = 16


@pytest.mark.timeout(900)
@pytest.mark.parametrize("part", seeds(range(PARTS)))
def test_every_record_is_in_its_place_once_whatever_is_killed_or_frozen(part: int) -> None:
    first = range(part, SCHEDULES, PARTS)
    points = {STRIKES[seed % len(STRIKES)] for seed in first}
    outcomes: list[Outcome] = []
    for seeds_of_round in (first, *(range(begin, begin + len(STRIKES)) for begin in FURTHER)):
        missed = points - {strike for outcome in outcomes for strike in outcome.strikes}
        if not missed:
            break
        wanted = [seed for seed in seeds_of_round if not outcomes or STRIKES[seed % len(STRIKES)] in missed]
        outcomes += run_schedules(wanted, without=ON_DEMAND)
    failed = {outcome.seed: outcome.problems for outcome in outcomes if outcome.problems}
    assert failed == {}, "run one again with: scripts/chaos --runs 1 --seed SEED"
    assert len(outcomes) >= len(first)
    struck: Counter[tuple[Step, Blow]] = sum((outcome.strikes for outcome in outcomes), Counter())
    assert points <= set(struck), "every numbered point of the part was struck, with its blow"
    assert sum(outcome.zombies for outcome in outcomes) > 0
    assert sum(outcome.fault_hits for outcome in outcomes) > 0


def test_the_parts_strike_every_point_with_every_blow_and_each_part_with_both_blows() -> None:
    parts = [{STRIKES[seed % len(STRIKES)] for seed in range(part, SCHEDULES, PARTS)} for part in range(PARTS)]
    assert set().union(*parts) == set(STRIKES)
    assert all({blow for _, blow in part} == {*Blow} for part in parts)


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("sabotage", "found"), [("append-again", "doubled"), ("ledger-before-proof", "missing")])
def test_an_engine_with_a_rule_taken_away_is_found_out(sabotage: str, found: str) -> None:
    with closing(run_schedules(range(SABOTAGED), without=ON_DEMAND, sabotage=sabotage)) as outcomes:
        assert any(found in problem for outcome in outcomes for problem in outcome.problems)


def test_each_rule_that_can_be_taken_away_has_its_test() -> None:
    assert sorted(SABOTAGES) == ["append-again", "ledger-before-proof"]
