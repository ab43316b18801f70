"""`scripts/chaos`: any number of schedules, or one seed again. Exit status 3 where a record is not where it belongs.

Both tiers have one row of seeds: every tenth is a drill with real processes, the others are stories in simulated time.
"""

import logging
import os
import sys
from collections import Counter
from collections.abc import Iterator

import click

from tests.chaos.sabotage import SABOTAGES
from tests.chaos.simulated.story import THEMES, play_story
from tests.chaos.suite import run_schedules

NOT_ONCE = 3
DRILL_EVERY = 10


@click.command()
@click.option("--runs", type=click.IntRange(1), default=20, show_default=True, help="How many schedules.")
@click.option("--seed", type=int, default=0, show_default=True, help="The first one's; the others follow it.")
@click.option("--tier", type=click.Choice(["both", "drills", "stories"]), default="both", show_default=True)
@click.option("--lanes", type=click.IntRange(1, 4), default=2, show_default=True, help="Drills at a time.")
@click.option("--themes", help=f"Stories about these alone, with + between: {', '.join(THEMES)}.")
@click.option("--sabotage", type=click.Choice(sorted(SABOTAGES)), help="Take a rule away, to see the drills fail.")
def chaos(runs: int, seed: int, tier: str, lanes: int, themes: str | None, sabotage: str | None) -> None:
    """Kill, freeze and mislead the engine, with faults around it; then count every record."""
    seeds = range(seed, seed + runs)
    drills = [one for one in seeds if tier == "drills" or (tier == "both" and one % DRILL_EVERY == 0)]
    failed = sum(_played_drills(drills, lanes, sabotage)) if drills else 0
    failed += sum(_played_stories([one for one in seeds if one not in set(drills)], themes))
    click.echo(f"{runs} schedules, {failed} failed")
    sys.exit(NOT_ONCE if failed else 0)


def _played_drills(seeds: list[int], lanes: int, sabotage: str | None) -> Iterator[bool]:
    for outcome in run_schedules(seeds, lanes=lanes, sabotage=sabotage):
        blows = ", ".join(f"{step} {blow}" for step, blow in outcome.strikes) or "nothing struck"
        yield _told(outcome.seed, outcome.seconds, outcome.records, blows, outcome.problems)


def _played_stories(seeds: list[int], themes: str | None) -> Iterator[bool]:
    os.environ |= {"AWS_ACCESS_KEY_ID": "chaos", "AWS_SECRET_ACCESS_KEY": "chaos"}
    logging.disable(logging.CRITICAL)
    for seed in seeds:
        outcome = play_story(seed, only=themes)
        acts = ", ".join(f"{name} {count}" for name, count in Counter(outcome.acts).most_common(4))
        said = f"{' and '.join(outcome.themes)}: {acts}"
        if outcome.stops or outcome.losses:
            said += f"; {outcome.losses} incidents, stopped: {', '.join(outcome.stops) or 'nobody'}"
        yield _told(outcome.seed, outcome.seconds, outcome.records, said, outcome.problems)


def _told(seed: int, seconds: float, records: int, what: str, problems: list[str]) -> bool:
    """Returns whether it failed."""
    verdict = "; ".join(problems) or "every record once, or accounted for"
    click.echo(f"seed {seed:>6}  {seconds:5.1f} s  {records:>3} records  {what}: {verdict}")
    return bool(problems)


if __name__ == "__main__":
    chaos()
