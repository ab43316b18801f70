"""`firnline import`"""

from pathlib import Path

import click

from firnline_infra.cli.accounts_option import ChosenAccounts, accounts_options
from firnline_infra.cli.environment_argument import environment_argument


@click.command("import")
@environment_argument
@accounts_options
def import_existing(environment: Path, accounts: ChosenAccounts) -> None:
    """Import what exists of ENV into its tool's state.

    For an environment that moves between Pulumi and Terraform, and for a state that is lost. Changes nothing in the accounts:
    what `up` would create and what is there, with ENV's tags or comment, is imported; what can be written again over itself,
    such as a grant, is left to `up`.

    \b
    For example:
      firnline import dev
      firnline preview dev
    """
    from firnline_infra.cli.deployment import deployment

    found = deployment(environment, accounts)
    taken, left = found.import_existing()
    click.echo(
        f"{taken} objects of {found.spec.name} are in the state now." + (f" {left} were left alone." if left else "")
    )
    click.echo(f"Next: firnline preview {found.env_argument}")
