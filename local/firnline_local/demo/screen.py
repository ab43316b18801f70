"""The demo's output: headings, live lines that overwrite one another on a terminal, and small tables."""

import shutil
import sys
import time
from collections.abc import Callable, Sequence
from textwrap import wrap
from typing import Any

import click

from firnline_ingest.terminal import text_table

INDENT = "  "
LOG_EVERY_S = 5.0


class Screen:
    """Prints progress. If standard output is a log and not a terminal, it prints plain lines, and of the live ones a few."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._is_terminal = sys.stdout.isatty()
        self._is_live = False
        self._next_log_s = 0.0
        self._waits_for: str | None = None

    def step(self, text: str) -> None:
        self._settle()
        click.secho(f"\n▸ {text}", bold=True)

    @property
    def width(self) -> int:
        """The width of what is printed; 80 if standard output is not a terminal."""
        return shutil.get_terminal_size().columns - len(INDENT)

    def say(self, text: str) -> None:
        """A sentence, in lines that fit."""
        self._settle()
        fitting = wrap(text, self.width, subsequent_indent=INDENT, break_long_words=False, break_on_hyphens=False)
        click.echo("\n".join(f"{INDENT}{line}" for line in fitting))

    def show(self, text: str) -> None:
        """A line that has to stay as it is: a command, a line of a document."""
        self._settle()
        click.echo(f"{INDENT}{text}")

    def live(self, text: str, *, waits_for: str | None = None) -> None:
        """One line that the next live line replaces. A log gets one every few seconds, and one for all that wait for the same."""
        if self._is_terminal:
            width = self.width + len(INDENT) - 1
            click.echo("\r" + f"{INDENT}{text}"[:width].ljust(width), nl=False)
            self._is_live = True
        elif self._is_due(waits_for):
            click.echo(f"{INDENT}{text}")

    def _is_due(self, waits_for: str | None) -> bool:
        if waits_for == self._waits_for and (waits_for is not None or self._clock() < self._next_log_s):
            return False
        self._waits_for, self._next_log_s = waits_for, self._clock() + LOG_EVERY_S
        return True

    def table(self, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        self._settle()
        for line in text_table(names, rows, width=self.width, cuts=True).splitlines():
            click.echo(f"{INDENT}{line}")

    def _settle(self) -> None:
        """Ends the series of live lines: the next one of these is printed in any case."""
        if self._is_live:
            click.echo()
        self._is_live, self._waits_for, self._next_log_s = False, None, 0.0
