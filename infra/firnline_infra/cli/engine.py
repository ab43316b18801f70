"""`firnline run`, `drain`, `validate`, `resume`, `deregister`, `migrate`, `columns`: the engine's own, under one roof.

ENV, the options of its accounts and --config are ours; the engine parses the rest, and helps.
"""

import argparse
import os
from typing import TYPE_CHECKING

import click

from firnline_infra.cli.colour import coloured
from firnline_infra.cli.engine_argument import ChosenEngine, engine_options, require_one
from firnline_infra.cli.environment_argument import VARIABLE, EnvironmentFile, complete_environments

if TYPE_CHECKING:
    from firnline_ingest.config.model import EngineConfig

AS_GIVEN = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}
HELP = {"-h", "--help"}
INSTEAD = (
    "Instead of --config: ENV before all options, the name of a file in stacks/environments without its .yaml, such as dev, or "
    "the path of any other."
)


def _engine_command(name: str, summary: str) -> click.Command:
    @click.command(name, context_settings=AS_GIVEN, help=summary, add_help_option=False)
    @engine_options
    @click.argument(
        "arguments", metavar="[ENV]", nargs=-1, type=click.UNPROCESSED, shell_complete=complete_environments
    )
    def command(engine: ChosenEngine, arguments: tuple[str, ...]) -> None:
        from firnline_ingest.__main__ import main

        if arguments and not arguments[0].startswith("-"):
            engine = engine.of(EnvironmentFile().convert(arguments[0], None, None))
            arguments = arguments[1:]
        elif engine.config_file is None and (named := os.environ.get(VARIABLE)):
            engine = engine.of(EnvironmentFile().convert(named, None, None))
        if not HELP & set(arguments):  # which waits for no specification
            require_one(engine)
            if name == "run":
                _refuse_a_job(engine)

        def config(options: argparse.Namespace) -> "EngineConfig":
            engine.check_stream(getattr(options, "stream", None), "--stream")
            return engine.config()

        status = main([name, *arguments], program="firnline", config=config, more=INSTEAD, echo=_echo)
        if name == "migrate" and "--finish" in arguments and status == 0:
            _end_migration(engine)
        raise SystemExit(status)

    return command


def _refuse_a_job(engine: ChosenEngine) -> None:
    if engine.spec is not None and engine.spec.aws.runtime.kind is not None:
        raise click.UsageError(
            f"The engine of {engine.spec.name} is a job of {engine.spec.aws.runtime.kind}: `firnline deploy` starts it."
        )


def _end_migration(engine: ChosenEngine) -> None:
    """The specification makes the table no more, so that no `up` makes it again."""
    if engine.spec is None or engine.environment is None or not engine.spec.ledger.migration:
        return
    from firnline_infra.observe.migration_table import no_longer_made

    if no_longer_made(engine.environment):
        _echo(
            f"{engine.environment}: ledger.migration is false now. Commit it; the next `firnline up` forgets the table."
        )
    else:
        _echo(
            f"Set ledger.migration to false in {engine.environment}: as it is, the next `firnline up` creates the table again."
        )


def _echo(text: str, *, err: bool = False) -> None:
    """Prints as every other command does: with colour on a terminal, a document without."""
    click.echo(coloured(text), err=err)


run = _engine_command("run", "Read the streams into Snowflake until stopped.")
drain = _engine_command("drain", "Drain in-flight records and exit.")
validate = _engine_command("validate", "Check machine, ledger, streams and tables.")
resume = _engine_command("resume", "Resume stopped shards.")
deregister = _engine_command("deregister", "Deregister enhanced fan-out consumers.")
migrate = _engine_command("migrate", "Take over from the Kinesis Client Library or Openflow.")
columns = _engine_command("columns", "List columns that wait for approval, and decide about them.")
