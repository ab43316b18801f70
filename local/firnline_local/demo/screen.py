"""What the demo prints: headings, live lines that overwrite one another on a terminal, and small tables."""

import shutil
import sys
from collections.abc import Sequence
from typing import Any

import click

from firnline_infra.cli.text_table import text_table


class Screen:
    """Plain lines where standard output is no terminal."""

    def __init__(self) -> None:
        self._is_terminal = sys.stdout.isatty()
        self._is_live = False

    def step(self, text: str) -> None:
        self._settle()
        click.secho(f"\n▸ {text}", bold=True)

    def say(self, text: str) -> None:
        self._settle()
        click.echo(f"  {text}")

    def live(self, text: str) -> None:
        """One line that the next live line replaces."""
        if self._is_terminal:
            width = shutil.get_terminal_size().columns - 1
            click.echo("\r" + f"  {text}"[:width].ljust(width), nl=False)
            self._is_live = True
        else:
            click.echo(f"  {text}")

    def table(self, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        self._settle()
        click.echo("\n".join(f"  {line}" for line in text_table(names, rows).splitlines()))

    def _settle(self) -> None:
        if self._is_live:
            click.echo()
            self._is_live = False
