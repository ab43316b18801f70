"""`firnline local up`"""

import shlex
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from firnline_infra.cli.environment_argument import env_argument
from firnline_infra.cli.output import output_option, show
from firnline_local.cli.options import folder_option, spec_option

if TYPE_CHECKING:
    from firnline_infra.specification import EnvironmentSpec
    from firnline_local.running import RunningEnvironment

CHECK_EVERY_S = 0.5


@click.command()
@folder_option
@spec_option
@click.option(
    "--commit-lag-ms",
    type=click.IntRange(min=0),
    default=200,
    show_default=True,
    help="How many milliseconds after its append a row is visible.",
)
@click.option("--write-limits", is_flag=True, help="Refuse more than 1,000 records or 1 MiB a second and shard.")
@click.option(
    "--kinesis-port", type=click.IntRange(0, 65535), default=0, help="Where it listens; on a free port by default."
)
@click.option(
    "--aws-port", type=click.IntRange(0, 65535), default=0, help="Where it listens; on a free port by default."
)
@click.option(
    "--snowflake-port", type=click.IntRange(0, 65535), default=0, help="Where it listens; on a free port by default."
)
@click.option("--empty", is_flag=True, help="Make nothing of the specification in it: `firnline up ENV --local` does.")
@output_option(text="In JSON it is one line, since the command goes on.")
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
    output: str,
) -> None:
    """Start the embedded environment, and run it until Ctrl-C.

    Prints how to reach it once everything that the specification names exists in it; no record of an earlier one does.
    Nothing of it runs on when this command ends, however it ends.
    """
    from firnline_infra.specification import load_spec
    from firnline_local.environment import LocalEnvironment

    spec = load_spec(spec_file)
    supervisor = LocalEnvironment(
        folder,
        spec,
        is_provisioned=not empty,
        commit_lag_ms=commit_lag_ms,
        write_limits=write_limits,
        ports={"kinesis": kinesis_port, "aws": aws_port, "snowflake": snowflake_port},
    )
    _interrupt_on_every_ending()
    try:
        with supervisor as environment:
            for_people = output == "table"
            show(
                output,
                lambda: environment.as_document(is_provisioned=not empty),
                lambda: environment.as_table(is_provisioned=not empty),
                is_one_of_many=True,
            )
            if empty and for_people:
                click.echo(
                    f"\n{_next(spec, spec_file, f'{env_argument(spec_file)} --folder {shlex.quote(str(folder))}')}"
                )
            with nullcontext() if empty or not for_people else _page(environment):
                while True:
                    supervisor.check()
                    time.sleep(CHECK_EVERY_S)
    except KeyboardInterrupt:
        click.echo("The embedded environment has ended.", err=True)


@contextmanager
def _page(environment: "RunningEnvironment") -> Iterator[None]:
    """The status page of the environment's own pipelines; with --empty `firnline status ENV --local --serve` has it."""
    import json
    import os

    from firnline_infra.status.sources import page_of_config
    from firnline_ingest.config.model import EngineConfig

    os.environ.update(environment.variables)  # the page finds AWS as any program does
    with page_of_config(EngineConfig.model_validate_json(json.dumps(environment.engine_config()))) as page:
        click.echo(f"\nThe status page is at {page.url}")
        yield


def _next(spec: "EnvironmentSpec", spec_file: Path, environment: str) -> str:
    """The next step in an environment in which nothing is made. With `trust: nobody`, `firnline up` takes the keys that the
    embedded environment has itself; otherwise the file's keys are of an account that has ended, and are made anew."""
    from firnline_infra.keys.file import ReviewedFile
    from firnline_infra.specification.prerequisites import users_without_keys
    from firnline_infra.specification.service_users import service_users

    file, without = ReviewedFile.beside(spec_file), users_without_keys(spec)
    kept = [user for user in service_users(spec) if user.has_secret]
    users = [user.key for user in kept if user in without or file.of(user.key).secret_arn]
    commands = [*(f"firnline keys create {environment} {user}" for user in users), f"firnline up {environment}"]
    return "\n  ".join([f"Nothing of {spec.name} is made in it yet. Next:", *commands])


def _interrupt_on_every_ending() -> None:
    """A shell starts background jobs with SIGINT ignored; a service manager sends SIGTERM, a closed terminal SIGHUP."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
