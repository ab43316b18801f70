"""`firnline destroy`"""

from pathlib import Path

import click

from firnline_infra.cli.accounts_option import ChosenAccounts, accounts_options
from firnline_infra.cli.environment_argument import environment_argument


@click.command()
@environment_argument
@accounts_options
@click.option("--yes", is_flag=True, help="Don't ask for the environment's name first.")
@click.option(
    "--with-others",
    is_flag=True,
    help="Also drops what others put into its databases and schemas.",
)
def destroy(environment: Path, accounts: ChosenAccounts, *, yes: bool, with_others: bool) -> None:
    """Destroy ENV with all its data.

    Refused unless its specification says EPHEMERAL, and these are its accounts; and while tables, views or other objects
    of others lie in it. Keys that went with it are taken out of the file of keys.
    """
    from firnline_infra.cli.deployment import deployment
    from firnline_infra.rollout.left_consumers import told_outlasting
    from firnline_infra.runtimes.registry import runtime_of
    from firnline_ingest.terminal import text_table

    found = deployment(environment, accounts)
    removals = found.removals(with_others=with_others)
    click.echo(text_table(("type", "name"), removals))
    click.echo(f"{len(removals)} resources of {found.spec.name} in {found.accounts.place}, and the data in them.")
    for line in told_outlasting(found.spec, found.accounts):
        click.echo(line)
    if not yes and click.prompt("Type the environment's name to remove them") != found.spec.name:
        raise click.Abort
    if found.spec.aws.runtime.kind is not None:
        runtime_of(found.spec).release(found.spec)
    found.destroy(with_others=with_others)
