"""A group that imports a command only when it is run or listed, so that no command pays for another."""

from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

import click


class LazyGroup(click.Group):
    """`at` maps each command's name to "module:attribute"; packages that are installed beside ours add theirs.

    `added_by`: the group of entry points in which they do so.
    """

    def __init__(self, *arguments: Any, at: Mapping[str, str], added_by: str | None = None, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._at = {**(_installed(added_by) if added_by else {}), **at}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*self._at, *super().list_commands(ctx)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        place = self._at.get(cmd_name)
        if place is None:
            return super().get_command(ctx, cmd_name)
        module, _, attribute = place.partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command


def _installed(group: str) -> dict[str, str]:
    return {point.name: point.value for point in entry_points(group=group)}
