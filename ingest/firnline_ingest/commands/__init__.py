"""The engine's commands, one a file: `python -m firnline_ingest COMMAND --config FILE`."""

import argparse
from typing import NoReturn

from firnline_ingest.commands.columns import COLUMNS
from firnline_ingest.commands.command import Command
from firnline_ingest.commands.deregister import DEREGISTER
from firnline_ingest.commands.migrate import MIGRATE
from firnline_ingest.commands.resume import RESUME
from firnline_ingest.commands.run import DRAIN, RUN
from firnline_ingest.commands.stop import STOP
from firnline_ingest.commands.validate import VALIDATE

COMMANDS: tuple[Command, ...] = (RUN, DRAIN, STOP, VALIDATE, DEREGISTER, MIGRATE, RESUME, COLUMNS)


class _Parser(argparse.ArgumentParser):
    """Speaks like the other commands of `firnline`, which click parses."""

    def format_help(self) -> str:
        return super().format_help().replace("usage: ", "Usage: ", 1).replace("\noptions:\n", "\nOptions:\n")

    def format_usage(self) -> str:
        return super().format_usage().replace("usage: ", "Usage: ", 1)

    def error(self, message: str) -> NoReturn:
        said = message[0].upper() + message[1:].rstrip(".")
        self.exit(2, f"{self.format_usage()}Try '{self.prog} --help' for help.\n\nError: {said}.\n")


def parser_of(program: str, *, more: str = "", is_config_given: bool = False) -> argparse.ArgumentParser:
    """`program` is what a person typed, `more` what each command's help says besides. The namespace that it parses has the
    command's `run`, and `config`; a configuration that is given otherwise makes it needless.
    """
    parser = _Parser(prog=program, description="Kinesis to Snowflake, once.")
    commands = parser.add_subparsers(dest="command", required=True)
    for command in COMMANDS:
        description = " ".join(filter(None, (command.summary, command.more, more)))
        added = commands.add_parser(command.name, help=command.summary, description=description)
        added.add_argument(
            "--config",
            required=not is_config_given,
            metavar="FILE",
            help="The engine's configuration: engine.json, or s3://bucket/key.",
        )
        command.add_arguments(added)
        added.set_defaults(run=command.run)
    return parser
