"""`firnline logs`"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from firnline_infra.cli.accounts_option import ChosenAccounts, accounts_options
from firnline_infra.cli.environment_argument import environment_argument
from firnline_infra.cli.output import output_option, show

if TYPE_CHECKING:
    from firnline_infra.status.log_lines import LogLine

NO_LOG, FOLLOW_S = 3, 10.0


@click.command()
@environment_argument
@accounts_options
@click.option(
    "--run", "run_id", metavar="RUN", help="Another run than the current one, or the last one that was started."
)
@click.option("--lines", type=click.IntRange(min=1), metavar="N", help="Only the last ones.")
@click.option(
    "--level", type=click.Choice(("debug", "info", "warning", "error")), default="debug", help="This level and above."
)
@click.option("--errors", is_flag=True, help="The same as --level error.")
@click.option("--follow", is_flag=True, help="Go on with what arrives, until Ctrl-C.")
@output_option(text="JSON and YAML have the engine's own lines alone, a document each.")
def logs(
    environment: Path,
    accounts: ChosenAccounts,
    *,
    run_id: str | None,
    lines: int | None,
    level: str,
    errors: bool,
    follow: bool,
    output: str,
) -> None:
    """Show the driver's log, of all its attempts.

    From where its runtime keeps logs, as far as they have arrived there: EMR brings them every minute or so. On a terminal the
    engine's lines are for people; in a pipe every line is as it was written. Exit status: 0, or 3 where there is no log.
    """
    import sys

    from firnline_infra.cli.rollout import engine_of
    from firnline_infra.status.log_lines import at_least, log_lines

    engine = engine_of(environment, accounts)
    for_people = sys.stdout.isatty() and output == "table"
    form = "yaml" if output == "yaml" else "table"  # in JSON a line is as the engine wrote it

    def wanted() -> "Iterator[LogLine]":
        found = at_least(log_lines(engine.log_lines(run_id)), "error" if errors else level)
        return (line for line in found if line.fields or output == "table")

    def print_line(line: "LogLine") -> None:
        text = line.for_a_person() if for_people else line.raw
        show(form, lambda: line.fields, lambda: text, is_one_of_many=True)

    shown = _shown(wanted(), lines, print_line)
    if not shown and not follow:
        click.echo("No such line has arrived yet, or no engine was ever started.", err=True)
        raise SystemExit(NO_LOG)
    while follow:
        shown = _follow(wanted, shown, print_line)


def _shown(found: "Iterator[LogLine]", last: int | None, show: "Callable[[LogLine], None]") -> int:
    """Shows the lines and returns their number."""
    from collections import deque

    count = 0

    def counted() -> "Iterator[LogLine]":
        nonlocal count
        for line in found:
            count += 1
            yield line

    for line in counted() if last is None else deque(counted(), maxlen=last):
        show(line)
    return count


def _follow(wanted: "Callable[[], Iterator[LogLine]]", shown: int, show: "Callable[[LogLine], None]") -> int:
    import time
    from itertools import islice

    try:
        time.sleep(FOLLOW_S)
        return shown + _shown(islice(wanted(), shown, None), None, show)
    except KeyboardInterrupt:
        raise SystemExit(0) from None
