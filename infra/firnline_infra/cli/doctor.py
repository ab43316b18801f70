"""`firnline doctor`"""

from pathlib import Path

import click

from firnline_infra.cli.accounts_option import ChosenAccounts, accounts_options
from firnline_infra.cli.environment_argument import environment_argument

AREAS = ("tools", "network", "accounts", "clock", "rights", "limits", "ci", "names")


@click.command()
@environment_argument
@accounts_options
@click.option("--only", "areas", type=click.Choice(AREAS), multiple=True, help="This part alone; repeatable.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document instead of a table.")
def doctor(environment: Path, accounts: ChosenAccounts, *, areas: tuple[str, ...], as_json: bool) -> None:
    """Examine what an environment needs.

    Before the first `up` and after: tools, every host of `firnline egress`, accounts, the clock, the rights of whoever runs
    this, service limits, who approves what CI does, names that are taken. Changes nothing. Exit status: 0 all is good,
    3 something is wrong, 2 something could not be told.
    """
    from firnline_infra.cli.deployment import deployment
    from firnline_infra.doctor import examine
    from firnline_infra.specification import load_spec
    from firnline_infra.terminal import text_table

    spec = load_spec(environment)

    def state() -> dict[str, object]:
        return deployment(environment, accounts, quiet=True).stack.state() or {}

    found = examine(spec, accounts.of(spec), state=state, areas=areas)
    if as_json:
        click.echo(found.to_json())
    else:
        rows = [(each.verdict.value.upper(), area, each.about, each.said) for area, each in found.findings]
        click.echo(text_table(("", "area", "about", "said"), rows))
        steps = [(each.about, each.next_step) for _, each in found.findings if each.next_step]
        if steps:
            click.echo("\nNext:\n" + "\n".join(f"  {about}: {step}." for about, step in steps))
    raise SystemExit(found.exit_status)
