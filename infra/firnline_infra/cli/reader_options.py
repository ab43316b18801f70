"""The options of commands that look at tables as the reader's user, with the reader's key."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

EXISTING_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
OPTIONS = (
    click.option(
        "--reader-user",
        required=True,
        envvar="FIRNLINE_READER_USER",
        show_envvar=True,
        help="The Snowflake user that looks.",
    ),
    click.option(
        "--reader-role", required=True, envvar="FIRNLINE_READER_ROLE", show_envvar=True, help="The role that it has."
    ),
    click.option(
        "--reader-key",
        type=EXISTING_FILE,
        required=True,
        envvar="FIRNLINE_READER_KEY",
        show_envvar=True,
        help="The reader's private key, a PEM file.",
    ),
    click.option(
        "--warehouse", help="The Snowflake warehouse that the questions run on; the reader's default one where absent."
    ),
)


def reader_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(OPTIONS):
        command = option(command)
    return command
