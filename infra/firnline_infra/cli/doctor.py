"""`firnline doctor`"""

from pathlib import Path

import click

from firnline_infra.cli.accounts_option import ChosenAccounts, accounts_options
from firnline_infra.cli.environment_argument import environment_argument
from firnline_infra.cli.output import output_option, show

AREAS = ("tools", "network", "accounts", "clock", "rights", "limits", "ci", "names")


@click.command()
@environment_argument
@accounts_options
@click.option("--only", "areas", type=click.Choice(AREAS), multiple=True, help="This part alone; repeatable.")
@output_option()
def doctor(environment: Path, accounts: ChosenAccounts, *, areas: tuple[str, ...], output: str) -> None:
    """Run the preflight checks.

    Before the first `up` and after: tools, every host of `firnline hosts`, accounts, the clock, your rights, service limits,
    who approves what CI does, names that are taken. Changes nothing. Exit status: 0 all is good, 3 something is wrong, 2 a
    check could not be completed.
    """
    from firnline_infra.cli.deployment import deployment
    from firnline_infra.doctor import examine
    from firnline_infra.observe.text import report_table
    from firnline_infra.specification import load_spec

    chosen = accounts.of(load_spec(environment))
    spec = load_spec(chosen.specification(environment))

    def state() -> dict[str, object]:
        return deployment(environment, accounts, quiet=True).stack.state() or {}

    found = examine(spec, chosen, state=state, areas=areas)
    show(output, found.as_document, lambda: report_table(found))
    raise SystemExit(found.exit_status)
