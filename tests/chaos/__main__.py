"""`scripts/chaos`: any number of schedules, or one seed again. Exit status 3 where a record is not where it belongs."""

import sys
from collections import Counter

import click

from tests.chaos.sabotage import SABOTAGES
from tests.chaos.suite import run_schedules

NOT_ONCE = 3


@click.command()
@click.option("--runs", type=click.IntRange(1), default=20, show_default=True, help="How many schedules.")
@click.option("--seed", type=int, default=0, show_default=True, help="The first one's; the others follow it.")
@click.option("--lanes", type=click.IntRange(1, 4), default=2, show_default=True, help="Schedules at a time.")
@click.option("--sabotage", type=click.Choice(sorted(SABOTAGES)), help="Take a rule away, to see the schedules fail.")
def chaos(runs: int, seed: int, lanes: int, sabotage: str | None) -> None:
    """Kill and freeze the engine at its numbered points, with faults around it; then count every record."""
    failed, strikes = 0, Counter[str]()
    for outcome in run_schedules(range(seed, seed + runs), lanes=lanes, sabotage=sabotage):
        blows = ", ".join(f"{step} {blow}" for step, blow in outcome.strikes) or "nothing struck"
        strikes.update(f"{step} {blow}" for step, blow in outcome.strikes.elements())
        verdict = "; ".join(outcome.problems) or "every record once"
        click.echo(
            f"seed {outcome.seed:>6}  {outcome.seconds:5.1f} s  {outcome.records:>3} records  {blows}: {verdict}"
        )
        failed += bool(outcome.problems)
    click.echo(f"{runs} schedules, {strikes.total()} blows at {len(strikes)} kinds of points, {failed} failed")
    sys.exit(NOT_ONCE if failed else 0)


if __name__ == "__main__":
    chaos()
