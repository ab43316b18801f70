"""The argument ENV of a command: an environment's name, or the path of its specification."""

import inspect
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from firnline_ingest.errors import did_you_mean

SPECS = Path("stacks") / "environments"
VARIABLE = "FIRNLINE_ENV"
"""Names the environment where the command line does not."""
WHAT_ENV_IS = f"ENV is the name of a file in {SPECS} without its .yaml, such as dev; or the path of any other."


class EnvironmentFile(click.ParamType[Path]):
    """dev is stacks/environments/dev.yaml in the current folder; anything with a slash or a suffix is a path."""

    name = "env"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = spec_file_of(str(value))
        if not path.is_file():
            self.fail(f"there is no {path}{known_instead(str(value))}", param, ctx)
        return path

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return complete_environments(ctx, param, incomplete)


def complete_environments(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Returns the environments of the current folder; behind a slash, files."""
    if "/" in incomplete:
        return [CompletionItem(incomplete, type="file")]
    return [CompletionItem(name) for name in known_environments() if name.startswith(incomplete)]


def complete_streams(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Returns the streams of the environment that was typed before."""
    return [CompletionItem(name) for name in _streams_of(ctx, "streams", "name") if name.startswith(incomplete)]


def complete_users(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Returns the users who have keys in the environment that was typed before."""
    own = _streams_of(ctx, "pipelines", "stream", having="ingest")
    return [CompletionItem(name) for name in ("ingest", "reader", *own) if name.startswith(incomplete)]


def _streams_of(ctx: click.Context, section: str, name: str, having: str | None = None) -> list[str]:
    """Returns names of a section, which may be wrong elsewhere; none where the document can't be read."""
    import yaml

    try:
        document = yaml.safe_load(Path(ctx.params["environment"]).read_text(encoding="utf-8"))
        return [str(each[name]) for each in document[section] if having is None or having in each]
    except (OSError, KeyError, TypeError, ValueError, yaml.YAMLError):
        return []


def known_environments() -> list[str]:
    """Returns the environments of the current folder, by their names."""
    return sorted(file.stem for file in SPECS.glob("*.yaml") if not file.stem.endswith((".keys", ".drift")))


def spec_file_of(value: str) -> Path:
    """Returns the path of a specification that may not exist."""
    given = Path(value)
    is_path = len(given.parts) > 1 or given.suffix in (".yaml", ".yml")
    return given if is_path else SPECS / f"{value}.yaml"


def env_argument(spec_file: Path) -> str:
    """The shortest ENV that means the file, for commands that a person is told next."""
    return shlex.quote(env_of(spec_file))


def env_of(spec_file: Path) -> str:
    """The same as it is, for files that quote it by themselves."""
    return spec_file.stem if spec_file.parent == SPECS else str(spec_file)


def known_instead(name: str) -> str:
    """The end of a sentence about an environment that is not there: what there is, or what makes the first one."""
    if known := known_environments():
        return f"; {did_you_mean(name, known)}"
    return (
        f", and no other specification in {SPECS} here. Run this in the folder of your repository, give the specification's "
        "path, or let `firnline init` write a first one."
    )


def environment_argument(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds what ENV is to the command's help."""
    command.__doc__ = f"{inspect.cleandoc(command.__doc__ or '')}\n\n{WHAT_ENV_IS}"
    return click.argument("environment", metavar="ENV", type=EnvironmentFile(), envvar=VARIABLE)(command)
