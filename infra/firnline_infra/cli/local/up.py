"""`firnline local up`"""

import signal
import time
from pathlib import Path

import click

from firnline_infra.cli.environment_argument import called
from firnline_infra.cli.local.folder_option import folder_option

DEFAULT_SPEC = "stacks/environments/local.yaml"
CHECK_EVERY_S = 0.5


@click.command()
@folder_option
@click.option(
    "--spec",
    "spec_file",
    type=click.Path(path_type=Path, dir_okay=False),
    default=DEFAULT_SPEC,
    show_default=True,
    help="The environment's specification.",
)
@click.option(
    "--commit-lag-ms", type=click.IntRange(min=0), default=200, show_default=True, help="From append to visible."
)
@click.option("--write-limits", is_flag=True, help="Refuse more than 1,000 records or 1 MiB a second and shard.")
@click.option("--kinesis-port", type=click.IntRange(0, 65535), default=0, help="A free one where absent.")
@click.option("--aws-port", type=click.IntRange(0, 65535), default=0, help="A free one where absent.")
@click.option("--snowflake-port", type=click.IntRange(0, 65535), default=0, help="A free one where absent.")
@click.option("--empty", is_flag=True, help="Make nothing in it: `firnline up ENV --local` does.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document instead of a table.")
def up(
    *,
    folder: Path,
    spec_file: Path,
    commit_lag_ms: int,
    write_limits: bool,
    kinesis_port: int,
    aws_port: int,
    snowflake_port: int,
    empty: bool,
    as_json: bool,
) -> None:
    """Start the embedded environment, and run it until Ctrl-C.

    Prints how to reach it once everything that the specification names exists. It begins empty, and nothing of it runs on
    when this command ends, however it ends.
    """
    from firnline_infra.local.environment import LocalEnvironment
    from firnline_infra.spec import load_spec

    supervisor = LocalEnvironment(
        folder,
        load_spec(spec_file),
        is_furnished=not empty,
        commit_lag_ms=commit_lag_ms,
        write_limits=write_limits,
        ports={"kinesis": kinesis_port, "aws": aws_port, "snowflake": snowflake_port},
    )
    _interrupt_on_every_ending()
    try:
        with supervisor as environment:
            click.echo(environment.as_json() if as_json else environment.as_table())
            if empty and not as_json:
                click.echo(f"\nNothing of it is made yet. Next: firnline up {called(spec_file)} --folder {folder}")
            while True:
                supervisor.check()
                time.sleep(CHECK_EVERY_S)
    except KeyboardInterrupt:
        click.echo("The embedded environment has ended.", err=True)


def _interrupt_on_every_ending() -> None:
    """A shell starts background jobs with SIGINT ignored; a service manager sends SIGTERM, a closed terminal SIGHUP."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
