"""The beginning of `up`, `preview`, `outputs` and `destroy`."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from firnline_infra.cli.accounts_option import ChosenAccounts

if TYPE_CHECKING:
    from firnline_infra.stack.deployment import Deployment


refresh_option = click.option(
    "--refresh/--no-refresh",
    default=True,
    show_default=True,
    help="Look at what there is first, or go by the state alone.",
)


def deployment(
    spec_file: Path, accounts: ChosenAccounts, *, quiet: bool = False, say: Callable[[str], None] = click.echo
) -> "Deployment":
    """Opens a deployment. What the engine prints goes to `say` line by line, which prints it; with `quiet` it is left out."""
    from firnline_infra.specification import load_spec
    from firnline_infra.stack.deployment import Deployment

    said = _ignore if quiet else say
    return Deployment.of(spec_file, accounts.env_argument(spec_file), accounts.of(load_spec(spec_file)), said)


def _ignore(line: str) -> None:
    """The line is not shown."""
