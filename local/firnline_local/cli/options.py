"""Options that several commands have: which environment they are about, and what is made in it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from firnline_local.folder import DEFAULT_FOLDER

LOCAL_SPEC = Path("stacks/environments/local.yaml")
PACKAGED_SPEC = Path(__file__).parents[1] / "local.yaml"
"""The same file, where there is no clone."""


def folder_of_environment(
    text: str, *, default: Path | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """`--folder`, with `text` as its help."""
    return click.option(
        "--folder",
        type=click.Path(path_type=Path, file_okay=False),
        default=default,
        show_default=default is not None,
        envvar="FIRNLINE_LOCAL_FOLDER",
        show_envvar=True,
        help=text,
    )


folder_option = folder_of_environment(
    "The environment's folder: keys, certificates, logs, state.", default=DEFAULT_FOLDER
)
spec_option = click.option(
    "--spec",
    "spec_file",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    default=lambda: LOCAL_SPEC if LOCAL_SPEC.is_file() else PACKAGED_SPEC,
    show_default=f"{LOCAL_SPEC}, or the package's own",
    help="The environment's specification.",
)
