"""Which Python runs a program, and what it has installed."""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LIST = """
import importlib.metadata, json, pathlib, sys
distributions = {found.metadata["Name"]: found.version for found in importlib.metadata.distributions()}
plugins = [json.loads(file.read_text()) for place in sys.path for file in pathlib.Path(place).glob("*/pulumi-plugin.json")]
print(json.dumps({"distributions": distributions, "plugins": plugins}))
"""


class NoInterpreter(Exception):
    """The project names a virtual environment that is none."""


@dataclass(frozen=True)
class Plugin:
    """A provider that an installed package can't do without (its `pulumi-plugin.json`)."""

    name: str
    version: str
    server: str


@dataclass(frozen=True)
class Installed:
    distributions: Mapping[str, str]
    plugins: tuple[Plugin, ...]


def interpreter_of(options: Mapping[str, Any], *, root: Path) -> Path:
    """That of the project's `runtime.options.virtualenv`, else this one. Raises NoInterpreter."""
    virtualenv = options.get("virtualenv")
    if not virtualenv:
        return Path(sys.executable)
    interpreter = root / str(virtualenv) / "bin" / "python"
    if not interpreter.exists():
        raise NoInterpreter(
            f"Pulumi.yaml names the virtual environment {virtualenv}, and there is no {interpreter}. "
            f"Next: make it, or leave out runtime.options.virtualenv to use {sys.executable}."
        )
    return interpreter


def installed_in(interpreter: Path) -> Installed:
    result = subprocess.run([interpreter, "-P", "-c", LIST], stdout=subprocess.PIPE, text=True, check=True)
    found = json.loads(result.stdout)
    return Installed(
        distributions=found["distributions"],
        plugins=tuple(
            Plugin(name=plugin["name"], version=plugin["version"].removeprefix("v"), server=plugin.get("server", ""))
            for plugin in found["plugins"]
            if plugin.get("resource")
        ),
    )
