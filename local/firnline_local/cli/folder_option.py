"""Which environment a command of this group is about."""

from pathlib import Path

import click

folder_option = click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=".firnline/local",
    show_default=True,
    envvar="FIRNLINE_LOCAL_FOLDER",
    show_envvar=True,
    help="The environment's folder: keys, certificates, logs, state.",
)
