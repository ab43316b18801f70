"""A command of a package that is not installed: how it is installed, and `uvx firnline demo`, which brings it by itself.

`uv tool run firnline` (uvx) makes an environment for one command, in its cache, and says in UV where it is itself. A command that
is missing there is run in an environment that has it; in any other environment nothing is installed that nobody asked for.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

IN_UVS_CACHE = "archive-v"


def how_to_install(extra: str) -> str:
    return f"pip install 'firnline[{extra}]'"


def command_with(
    extra: str, arguments: Sequence[str], *, prefix: Path, variables: Mapping[str, str]
) -> list[str] | None:
    """Returns the command that runs this one with the extra; None unless uvx runs this one."""
    uv = variables.get("UV")
    if not uv or not prefix.parent.name.startswith(IN_UVS_CACHE):
        return None
    return [uv, "tool", "run", f"firnline[{extra}]=={version('firnline-infra')}", *arguments]


def run_with(extra: str) -> None:
    """Becomes the same command in an environment that has the extra; returns where this is not for us to bring."""
    command = command_with(extra, sys.argv[1:], prefix=Path(sys.prefix), variables=os.environ)
    if command is not None:
        print(f"This command is of firnline[{extra}]: uv installs it, once.", file=sys.stderr, flush=True)
        os.execv(command[0], command)  # noqa: S606 # uv's own path, as it gave it; no shell
