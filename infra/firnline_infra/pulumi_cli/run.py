"""Runs one command of the CLI to its end: with which environment variables, and what it printed.

The engine that it starts is unattended: it asks nothing, downloads nothing and looks for no update.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from firnline_ingest.activity import waiting_for

UNATTENDED = {"PULUMI_SKIP_UPDATE_CHECK": "true", "NO_COLOR": "1"}

TRACES = ("PULUMI_DEBUG_GRPC", "TF_LOG", "TF_LOG_PATH")
"""Variables that have a tool trace what it asks; they go to it wherever its other ones come from."""


@dataclass(frozen=True)
class Ended:
    """A command that has ended, and what it printed."""

    command: str
    exit_status: int
    stdout: str
    lines: Sequence[str]
    """What it printed on stdout and stderr, without line ends."""

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def run(
    arguments: Sequence[str], *, variables: Mapping[str, str], on_line: Callable[[str], None] | None, shown_as: str
) -> Ended:
    """Both outputs go to `on_line`, in the order in which they come; without it, they are kept apart.

    An interrupt (Ctrl-C) reaches the command too, which then ends in its own order; it is raised after that.
    """
    with waiting_for(shown_as):
        return _ended(arguments, variables, on_line, shown_as)


def _ended(
    arguments: Sequence[str], variables: Mapping[str, str], on_line: Callable[[str], None] | None, shown_as: str
) -> Ended:
    process = subprocess.Popen(
        arguments,
        env={**{name: os.environ[name] for name in TRACES if name in os.environ}, **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if on_line is None else subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    if on_line is None:
        stdout, stderr = process.communicate()
        return Ended(shown_as, process.returncode, stdout, [*stdout.splitlines(), *stderr.splitlines()])
    lines: list[str] = []
    with process:
        try:
            _follow(process, lines, on_line)
        except KeyboardInterrupt:
            _follow(process, lines, on_line)
            raise
    return Ended(shown_as, process.returncode, "\n".join(lines), lines)


def _follow(process: "subprocess.Popen[str]", lines: list[str], on_line: Callable[[str], None]) -> None:
    if process.stdout is None:
        raise AssertionError("the command was started with a pipe as its stdout")
    for text in process.stdout:
        line = text.rstrip("\n")
        lines.append(line)
        on_line(line)
    process.wait()


def engine_variables(
    environment: Mapping[str, str] | None = None, *, backend: str | None = None, passphrase: str | None = None
) -> dict[str, str]:
    """`environment` (by default this process's own), and the variables that an unattended engine needs.

    A program that names no virtual environment runs with this interpreter, which has the packages that it imports.

    `backend` is the URL where states are kept, `passphrase` encrypts their secrets; both default to those of `environment`.
    """
    around = os.environ if environment is None else environment
    variables = {"PULUMI_PYTHON_CMD": sys.executable, **around, **UNATTENDED}
    if backend is not None:
        variables["PULUMI_BACKEND_URL"] = backend
    if passphrase is not None:
        variables["PULUMI_CONFIG_PASSPHRASE"] = passphrase
        variables.pop("PULUMI_CONFIG_PASSPHRASE_FILE", None)
    return variables
