"""`firnline local env`"""

from pathlib import Path

import click

from firnline_local.cli.options import folder_option


@click.command()
@folder_option
def env(folder: Path) -> None:
    """Print the variables that lead programs to the embedded AWS.

    And those of the reader whose key is in the environment's folder, so that `firnline audit --config engine.json` needs no
    further options. Commands with ENV and --local need none of them.

    \b
    For a shell, and all that it starts:
      eval "$(firnline local env)"
    """
    import shlex

    from firnline_local.running import RunningEnvironment

    environment = RunningEnvironment.attach(folder)
    for name, value in {**environment.variables, **environment.reader_variables}.items():
        click.echo(f"export {name}={shlex.quote(value)}")
