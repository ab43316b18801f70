"""The options of commands that look at tables as the reader's user, with the reader's key.

With ENV none is needed: the specification names the user and its role, and its key is where `firnline keys` put it.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from firnline_infra.cli.engine_argument import ChosenEngine

if TYPE_CHECKING:
    from firnline_infra.audit import ReaderUser

EXISTING_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
OPTIONS = (
    click.option(
        "--reader-user",
        envvar="FIRNLINE_READER_USER",
        show_envvar=True,
        help="The Snowflake user that looks; with ENV the specification's reader by default.",
    ),
    click.option(
        "--reader-role",
        envvar="FIRNLINE_READER_ROLE",
        show_envvar=True,
        help="The role that it has; with ENV the specification's by default.",
    ),
    click.option(
        "--reader-key",
        type=EXISTING_FILE,
        envvar="FIRNLINE_READER_KEY",
        show_envvar=True,
        help="The reader's private key, a PEM file; with ENV the secret that `firnline keys` made by default.",
    ),
    click.option(
        "--warehouse", help="The Snowflake warehouse that the questions run on; the reader's default one by default."
    ),
)
NAMES = ("reader_user", "reader_role", "reader_key", "warehouse")


def reader_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def reader_of(
    engine: ChosenEngine,
    *,
    reader_user: str | None,
    reader_role: str | None,
    reader_key: Path | None,
    warehouse: str | None,
) -> "ReaderUser":
    """Returns what was typed, and for the rest the reader of ENV. Raises click.UsageError where it lacks something."""
    from firnline_infra.audit import ReaderUser

    if engine.here is None:
        given = {"--reader-user": reader_user, "--reader-role": reader_role, "--reader-key": reader_key}
        if lacking := [name for name, value in given.items() if value is None]:
            raise click.UsageError(f"Missing {', '.join(lacking)}: with --config nothing else says who looks.")
        return ReaderUser(user=str(reader_user), role=str(reader_role), key_file=reader_key, warehouse=warehouse)
    from firnline_infra.specification.service_users import READER, service_users

    accounts, spec = engine.here
    reader = next(each for each in service_users(spec) if each.key == READER)
    is_own = reader_user is None or reader_user == str(reader.principal.user)
    key_file = reader_key or (accounts.key_file(spec, READER) if is_own else None)
    secret = reader.options.secret_arn if is_own else None
    if key_file is None and secret is None:
        raise click.UsageError(
            f"Missing --reader-key: no secret of {spec.name} holds the key of {reader_user or reader.principal.user}."
        )
    return ReaderUser(
        user=reader_user or str(reader.principal.user),
        role=reader_role or str(reader.principal.role),
        key_file=key_file,
        secret_arn=None if key_file else secret,
        warehouse=warehouse,
    )
