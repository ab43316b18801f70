"""Which accounts a command works in: the real ones, or those of a running embedded environment."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from firnline_infra.cli.environment_argument import called

if TYPE_CHECKING:
    from firnline_infra.accounts import Accounts
    from firnline_infra.specification import EnvironmentSpec

DEFAULT_FOLDER = Path(".firnline/local")


def accounts_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--local` and `--folder`; either of them means the embedded environment."""
    command = click.option(
        "--folder",
        type=click.Path(path_type=Path, file_okay=False),
        envvar="FIRNLINE_LOCAL_FOLDER",
        show_envvar=True,
        help=f"The embedded environment that runs in this folder; {DEFAULT_FOLDER} with --local alone.",
    )(command)
    return click.option("--local", is_flag=True, help="The embedded environment instead of real accounts.")(command)


def as_given(*, local: bool, folder: Path | None) -> str:
    """The options once more, for commands that a person is told next."""
    if folder is not None:
        return f" --folder {folder}"
    return " --local" if local else ""


def as_typed(environment: Path, *, local: bool, folder: Path | None) -> str:
    """ENV with these options: a command that a person is told next has to mean the same accounts."""
    return called(environment) + as_given(local=local, folder=folder)


def accounts_of(spec: "EnvironmentSpec", *, local: bool, folder: Path | None) -> "Accounts":
    """Raises NoEnvironment or StaleEnvironment."""
    if not local and folder is None:
        from firnline_infra.accounts.real import RealAccounts

        return RealAccounts(spec)
    from firnline_infra.specification.names import Names
    from firnline_local.accounts import EmbeddedAccounts
    from firnline_local.running import RunningEnvironment

    environment = RunningEnvironment.attach(folder or DEFAULT_FOLDER)
    return EmbeddedAccounts(environment, Names.of(spec).deploy_role.name)
