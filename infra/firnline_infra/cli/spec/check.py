"""`firnline spec check`"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from firnline_infra.spec import EnvironmentSpec

EXIT_PROBLEMS = 2


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
def check(files: tuple[Path, ...]) -> None:
    """Tell everything that is wrong with specifications, without meeting any account.

    A file of keys (dev.keys.yaml) is checked with the specification that it belongs to. Exit status: 0 all of them are
    good, 2 at least one is not.
    """
    from firnline_infra.blueprint import blueprint_of
    from firnline_infra.spec import load_spec
    from firnline_infra.spec.keys_file import is_keys_file
    from firnline_ingest.errors import ConfigError

    refused = False
    for path in files:
        if is_keys_file(path):
            continue
        try:
            spec = load_spec(path)
            blueprint_of(spec)  # refuses what no service would take, such as a policy that is too long
            click.echo(_summary(path, spec))
        except ConfigError as error:
            refused = True
            click.echo(str(error), err=True)
    if refused:
        raise SystemExit(EXIT_PROBLEMS)


def _summary(path: Path, spec: "EnvironmentSpec") -> str:
    streams, pipelines = _counted(len(spec.streams), "stream"), _counted(len(spec.pipelines), "pipeline")
    return f"{path}: good. Environment {spec.name}, {spec.durability.value}, {streams}, {pipelines}."


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number != 1 else ''}"
