"""Options that several commands have: which environment they are about, and what is made in it."""

from pathlib import Path

import click

LOCAL_SPEC = Path("stacks/environments/local.yaml")
PACKAGED_SPEC = Path(__file__).parents[1] / "local.yaml"
"""The same file, for whoever has no clone."""

folder_option = click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=".firnline/local",
    show_default=True,
    envvar="FIRNLINE_LOCAL_FOLDER",
    show_envvar=True,
    help="The environment's folder: keys, certificates, logs, state.",
)
spec_option = click.option(
    "--spec",
    "spec_file",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    default=lambda: LOCAL_SPEC if LOCAL_SPEC.is_file() else PACKAGED_SPEC,
    show_default=f"{LOCAL_SPEC}, or the package's own",
    help="The environment's specification.",
)
