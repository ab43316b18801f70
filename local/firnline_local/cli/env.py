"""`firnline local env`"""

from pathlib import Path

import click

from firnline_local.cli.options import folder_option


@click.command()
@folder_option
def env(folder: Path) -> None:
    """Print the variables that lead programs to the embedded AWS.

    \b
    For a shell, and all that it starts:
      eval "$(firnline local env)"
    """
    import shlex

    from firnline_local.running import RunningEnvironment

    for name, value in RunningEnvironment.attach(folder).variables.items():
        click.echo(f"export {name}={shlex.quote(value)}")
