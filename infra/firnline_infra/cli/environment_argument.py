"""The argument ENV of a command: an environment's name, or the path of its specification."""

from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

SPECS = Path("stacks") / "environments"


class EnvironmentFile(click.ParamType[Path]):
    """dev is stacks/environments/dev.yaml in the current folder; anything with a slash or a suffix is a path."""

    name = "env"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        given = Path(value)
        is_path = len(given.parts) > 1 or given.suffix in (".yaml", ".yml")
        path = given if is_path else SPECS / f"{value}.yaml"
        if not path.is_file():
            self.fail(f"there is no {path}.{_hint(str(value))}", param, ctx)
        return path


def called(spec_file: Path) -> str:
    """The shortest ENV that means the file, for commands that a person is told next."""
    return spec_file.stem if spec_file.parent == SPECS else str(spec_file)


def _hint(name: str) -> str:
    known = sorted(file.stem for file in SPECS.glob("*.yaml") if not file.stem.endswith(".keys"))
    near = get_close_matches(name, known, n=1)
    if near:
        return f" Did you mean {near[0]}?"
    return f" There are: {', '.join(known)}." if known else ""


environment_argument = click.argument("environment", metavar="ENV", type=EnvironmentFile())
