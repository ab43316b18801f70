"""`firnline up`"""

from pathlib import Path
from typing import Any

import click

from firnline_infra.cli.accounts_option import accounts_options, as_given
from firnline_infra.cli.environment_argument import environment_argument


@click.command()
@environment_argument
@accounts_options
@click.option(
    "--refresh/--no-refresh",
    default=True,
    show_default=True,
    help="Look at what there is first, or go by the state alone.",
)
def up(environment: Path, local: bool, folder: Path | None, refresh: bool) -> None:
    """Make ENV what its specification says.

    Looks first whether everything is ready, in the right accounts, and free; puts in order what a killed `up` has left;
    then runs `pulumi up --refresh`.

    \b
    For example:
      firnline up dev
      firnline up dev --local      in the embedded environment of `firnline local up --empty`
    """
    from firnline_infra.cli.deployment import deployment

    found = deployment(environment, local=local, folder=folder)
    outputs = found.up(refresh=refresh)
    click.echo()
    click.echo(f"{found.spec.name} is up in {found.accounts.place}.")
    options = as_given(local=local, folder=folder)
    click.echo(_next(outputs, found.called, embedded=options if found.accounts.is_embedded else None))


def _next(outputs: dict[str, Any], environment: str, *, embedded: str | None) -> str:
    """`embedded`: the options that name the embedded environment."""
    where = outputs.get("engine_config_url")
    lines = [f"The engine's configuration is {outputs['engine_config_hash']}" + (f", at {where}" if where else "")]
    lines.append("Next:")
    if embedded is not None:  # `local` commands know their default folder
        lines.append(f'  eval "$(firnline local env{embedded.replace(" --local", "")})"')
    lines += [
        f"  firnline outputs {environment} --engine-config > engine.json",
        "  firnline validate --config engine.json",
        "  firnline run --config engine.json",
    ]
    return "\n".join(lines)
