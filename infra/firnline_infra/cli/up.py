"""`firnline up`"""

from pathlib import Path
from typing import Any

import click

from firnline_infra.cli.accounts_option import ChosenAccounts, accounts_options
from firnline_infra.cli.deployment import refresh_option
from firnline_infra.cli.environment_argument import environment_argument


@click.command()
@environment_argument
@accounts_options
@refresh_option
@click.option(
    "--plan",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Do nothing that this plan (`firnline preview --save-plan`) does not say.",
)
def up(environment: Path, accounts: ChosenAccounts, refresh: bool, plan: Path | None) -> None:
    """Create or update ENV.

    Looks first whether everything is ready, in the right accounts, and free; puts in order what a killed `up` has left;
    then runs `pulumi up --refresh`. Where the specification says where the engine runs, it is deployed then, as
    `firnline deploy` does.

    \b
    For example:
      firnline up dev
    """
    from firnline_infra.cli.deployment import deployment

    found = deployment(environment, accounts)
    if found.spec.aws.runtime.native_wheel is not None:
        from firnline_infra.artefact import native_wheel_of, target_of_specification

        target = target_of_specification(found.spec, **found.accounts.engines_machine)
        native_wheel_of(found.spec, target, found.say)  # refused before anything is changed
    outputs = found.up(refresh=refresh, plan=plan.resolve() if plan else None)
    click.echo()
    click.echo(f"{found.spec.name} is up in {found.accounts.place}.")
    if found.spec.aws.runtime.job is None:
        click.echo(_next(outputs, found.env_argument))
        return
    from firnline_infra.cli.deploy import told
    from firnline_infra.cli.rollout import artefact_of, engine_in

    engine = engine_in(found, outputs)
    click.echo(told(engine.deploy(lambda: artefact_of(engine, None)), found.env_argument))


def _next(outputs: dict[str, Any], environment: str) -> str:
    where = outputs.get("engine_config_url")
    lines = [f"The engine's configuration is {outputs['engine_config_hash']}" + (f", at {where}" if where else "")]
    lines += [
        "Next:",
        f"  firnline validate {environment}",
        f"  firnline run {environment}",
    ]
    return "\n".join(lines)
