"""Runs one command of the CLI to its end and keeps what it said."""

import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Ended:
    command: str
    exit_status: int
    stdout: str
    lines: Sequence[str]
    """What it said, on stdout and stderr, without line ends."""

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def run(
    arguments: Sequence[str], *, variables: Mapping[str, str], on_line: Callable[[str], None] | None, shown_as: str
) -> Ended:
    """Both outputs go to `on_line`, in the order in which they come; without it, they are kept apart.

    An interrupt (Ctrl-C) reaches the command too, which then ends in its own order; it is raised after that.
    """
    process = subprocess.Popen(
        arguments,
        env=dict(variables),
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
