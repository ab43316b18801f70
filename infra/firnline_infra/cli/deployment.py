"""What `up`, `preview`, `outputs` and `destroy` begin with."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from firnline_infra.cli.accounts_option import accounts_of, as_typed

if TYPE_CHECKING:
    from firnline_infra.deploy.deployment import Deployment


def deployment(spec_file: Path, *, local: bool, folder: Path | None, quiet: bool = False) -> "Deployment":
    """What the engine says goes to stdout line by line; with `quiet` it is left out."""
    from firnline_infra.deploy.deployment import Deployment
    from firnline_infra.specification import load_spec

    accounts = accounts_of(load_spec(spec_file), local=local, folder=folder)
    typed = as_typed(spec_file, local=local, folder=folder)
    return Deployment.of(spec_file, typed, accounts, _nothing if quiet else click.echo)


def _nothing(line: str) -> None:
    """Nobody listens."""
