"""`firnline up`"""

from pathlib import Path
from typing import Any

import click

from firnline_infra.cli.accounts_option import accounts_options, as_given
from firnline_infra.cli.environment_argument import called, environment_argument


@click.command()
@environment_argument
@accounts_options
def up(environment: Path, local: bool, folder: Path | None) -> None:
    """Make ENV what its specification says.

    Looks first whether everything is ready, in the right accounts, and free; puts in order what a killed `up` has left;
    then runs `pulumi up`.
    """
    from firnline_infra.cli.deployment import deployment

    found = deployment(environment, local=local, folder=folder)
    outputs = found.up()
    click.echo()
    click.echo(f"{found.spec.name} is up in {found.accounts.place}.")
    click.echo(_next(outputs, called(environment), options=as_given(local=local, folder=folder)))


def _next(outputs: dict[str, Any], environment: str, *, options: str) -> str:
    where = outputs.get("engine_config_url")
    lines = [f"The engine's configuration is {outputs['engine_config_hash']}" + (f", at {where}" if where else "")]
    lines += [
        "Next:",
        f"  firnline outputs {environment}{options} --engine-config > engine.json",
        "  firnline validate --config engine.json",
        "  firnline run --config engine.json",
    ]
    return "\n".join(lines)
