"""`firnline logs`"""

from pathlib import Path

import click

from firnline_infra.cli.accounts_option import ChosenAccounts, accounts_options
from firnline_infra.cli.environment_argument import environment_argument


@click.command()
@environment_argument
@accounts_options
@click.option(
    "--run", "run_id", metavar="RUN", help="Another run than the current one, or the last one that was started."
)
@click.option("--lines", type=click.IntRange(min=1), metavar="N", help="Only the last ones.")
def logs(environment: Path, accounts: ChosenAccounts, run_id: str | None, lines: int | None) -> None:
    """Show the driver's log.

    From where its runtime keeps logs, as far as they have arrived there: EMR brings them every minute or so.
    """
    from collections import deque

    from firnline_infra.cli.rollout import engine_of

    found = engine_of(environment, accounts).log_lines(run_id)
    is_any = False
    for line in found if lines is None else deque(found, maxlen=lines):
        click.echo(line)
        is_any = True
    if not is_any:
        click.echo("No log has arrived yet, or no engine was ever started.", err=True)
