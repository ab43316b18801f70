"""A group that imports a command only when it is run or listed, so that no command pays for another."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoints, entry_points
from typing import Any

import click

from firnline_infra.cli.brought import how_to_install, run_with
from firnline_ingest.errors import nearest

Places = Mapping[str, str]
"""A command's name to "module:attribute"."""
DEBUG = "--debug"
INTERRUPTED = 130
"""The exit status that a shell expects after SIGINT."""


@cache
def _every_entry_point() -> Any:
    """Looked for once: every package that is installed is asked."""
    return entry_points()


def added_in(group: str) -> EntryPoints:
    """Returns what the packages that are installed add in a group of entry points."""
    found: EntryPoints = _every_entry_point().select(group=group)
    return found


class LazyGroup(click.Group):
    """Commands in sections, each imported when it is needed; packages that are installed beside ours add theirs.

    `at`: the commands of a group without sections; `sections`: those of one with, by title. `added_by`: the group of entry points
    in which other packages add commands, which come behind them, under `added_title`; sections `at_the_end` follow.
    `brought_by`: the extra of `firnline` that brings a command which may not be installed.
    """

    def __init__(
        self,
        *arguments: Any,
        at: Places | None = None,
        sections: Mapping[str, Places] | None = None,
        added_by: str | None = None,
        added_title: str = "Commands",
        at_the_end: Mapping[str, Places] | None = None,
        brought_by: Mapping[str, str] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(*arguments, **options)
        added = {point.name: point.value for point in added_in(added_by)} if added_by else {}
        self._sections = {**(sections or {}), added_title: {**added, **(at or {})}, **(at_the_end or {})}
        self._places = {name: place for section in self._sections.values() for name, place in section.items()}
        self._brought_by = brought_by or {}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Takes `--debug` wherever it is typed: who sees a command fail adds it at the end."""
        is_root = ctx.parent is None and any(DEBUG in each.opts for each in self.params)
        if is_root and DEBUG in args:
            args = [DEBUG, *(each for each in args if each != DEBUG)]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*self._places, *super().list_commands(ctx)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        place = self._places.get(cmd_name)
        if place is None:
            return super().get_command(ctx, cmd_name)
        module, _, attribute = place.partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Ends a command that Ctrl-C interrupts, and that says nothing of it by itself, in one line."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("Interrupted.", err=True)
            ctx.exit(INTERRUPTED)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Fails for a name that is not a command with the nearest one, or with the package that brings it."""
        name = args[0]
        if not ctx.resilient_parsing and not name.startswith("-") and self.get_command(ctx, name) is None:
            if name in self._brought_by:
                run_with(self._brought_by[name])
                ctx.fail(f"No such command {name!r}: {how_to_install(self._brought_by[name])}")
            ctx.fail(f"No such command {name!r}.{self._hint(ctx, args)}")
        return super().resolve_command(ctx, args)

    def _hint(self, ctx: click.Context, args: list[str]) -> str:
        """Returns what was probably meant: a name that is nearly the same, or a command that was given behind its argument."""
        name, *others = args
        if near := nearest(name, self.list_commands(ctx)):
            return f" Did you mean {near!r}?"
        behind = next((each for each in others if each in self.list_commands(ctx)), None)
        return f" Give the command first: {ctx.command_path} {behind} {name}" if behind else ""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        own = {name: name for name in super().list_commands(ctx) if name not in self._places}
        widest = max(map(len, self.list_commands(ctx)), default=0)
        for title, places in {**self._sections, "Commands": {**self._sections.get("Commands", {}), **own}}.items():
            commands = {name: self.get_command(ctx, name) for name in places}
            rows = [
                (name.ljust(widest), command.get_short_help_str(formatter.width - widest - 6))
                for name, command in commands.items()
                if command is not None and not command.hidden
            ]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)
