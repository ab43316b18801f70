"""`firnline stop`"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from firnline_infra.cli.accounts_option import ChosenAccounts, accounts_options
from firnline_infra.cli.environment_argument import WHAT_ENV_IS, EnvironmentFile

if TYPE_CHECKING:
    from firnline_infra.rollout.environment import EngineEnvironment


@click.command(epilog=WHAT_ENV_IS)
@click.argument("environment", metavar="[ENV]", type=EnvironmentFile(), required=False)
@accounts_options
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Instead of ENV: the configuration of an engine that was started by hand.",
)
def stop(environment: Path | None, accounts: ChosenAccounts, config: Path | None) -> None:
    """Stop the engine gracefully.

    With ENV: the run that its runtime has is then cancelled, so that it is not started again, and waited for until nothing of
    it is left. With --config, and where the specification does not say where the engine runs: it is asked, and whoever started
    it sees it end.

    \b
    For example:
      firnline stop dev
      firnline stop --config engine.json
    """
    if (environment is None) == (config is None):
        raise click.UsageError("Give either ENV or --config.")
    if config is not None:
        from firnline_ingest.__main__ import main

        raise SystemExit(main(["stop", "--config", str(config)], program="firnline"))
    assert environment is not None
    from firnline_infra.cli.rollout import engine_of

    engine = engine_of(environment, accounts)
    if engine.spec.aws.runtime.job is None:
        raise SystemExit(_asked_to_stop(engine))
    runs = engine.stop()
    click.echo(f"{len(runs)} stopped." if runs else f"No engine of {engine.application} runs there.")
    if runs:
        click.echo(f"To start it again: firnline deploy {engine.env_argument}")


def _asked_to_stop(engine: "EngineEnvironment") -> int:
    """The engine was started by hand: the ledger is where it is asked. Returns the exit status."""
    import os

    from firnline_ingest.__main__ import main

    config = engine.current_config()
    os.environ.update(engine.accounts.variables)
    return main(["stop"], program="firnline", config=lambda _: config)
