"""`firnline pipeline`"""

from pathlib import Path

import click

from firnline_infra.cli.accounts_option import ChosenAccounts, accounts_options
from firnline_infra.cli.engine_argument import check_stream
from firnline_infra.cli.environment_argument import complete_streams, environment_argument
from firnline_infra.cli.lazy_group import LazyGroup


@click.group(cls=LazyGroup)
def pipeline() -> None:
    """Pause and resume one pipeline."""


@pipeline.command()
@environment_argument
@click.argument("stream", shell_complete=complete_streams)
@accounts_options
def pause(environment: Path, stream: str, accounts: ChosenAccounts) -> None:
    """Stop reading STREAM, and wait until its rows are proven.

    The other pipelines go on. When the command returns, nothing of the stream is in flight: its table may be changed. It stays
    paused, also when the engine is deployed anew, until it is resumed; its records wait as long as the stream's retention.

    \b
    For example:
      firnline pipeline pause dev orders
    """
    from firnline_infra.cli.rollout import engine_of
    from firnline_infra.specification import load_spec

    check_stream(load_spec(environment), stream, "STREAM")
    engine = engine_of(environment, accounts)
    said = f"{stream} is paused; its last rows are waited for, which takes a minute or more."
    engine.pause(stream).begin(written=lambda: click.echo(said))
    click.echo(f"Nothing of {stream} is in flight. To go on: firnline pipeline resume {engine.env_argument} {stream}")


@pipeline.command()
@environment_argument
@click.argument("stream", shell_complete=complete_streams)
@accounts_options
def resume(environment: Path, stream: str, accounts: ChosenAccounts) -> None:
    """Read STREAM again, from where it was paused.

    The engine sees it with its next plan, within an epoch.

    \b
    For example:
      firnline pipeline resume dev orders
    """
    from firnline_infra.cli.rollout import engine_of
    from firnline_infra.specification import load_spec

    check_stream(load_spec(environment), stream, "STREAM")
    engine_of(environment, accounts).pause(stream).end()
    click.echo(f"{stream} is read again with the engine's next plan.")
