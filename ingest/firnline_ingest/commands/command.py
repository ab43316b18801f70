"""A command of the engine: its name, its help, its options and its code."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from firnline_ingest.config.model import EngineConfig

REFUSED = 2


def _no_arguments(_: argparse.ArgumentParser) -> None:
    return None


@dataclass(frozen=True, kw_only=True)
class Command:
    """A command, whose `run` imports what it needs, so that no command pays for another."""

    name: str
    summary: str
    run: Callable[["EngineConfig", argparse.Namespace], int]
    """Returns the exit status. Raises FirnlineError."""
    more: str = ""
    add_arguments: Callable[[argparse.ArgumentParser], None] = _no_arguments
