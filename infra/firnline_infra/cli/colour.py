"""Colour for what a person looks for first: verdicts, ids, next steps. No text says anything by its colour alone.

NO_COLOR (no-color.org) and FORCE_COLOR decide; else a terminal has colour, and a file or a pipe has none.
"""

import re
from collections.abc import Mapping
from typing import Any

import click

STYLES: Mapping[str, Mapping[str, Any]] = {
    "bad": {"fg": "red", "bold": True},
    "unknown": {"fg": "yellow", "bold": True},
    "good": {"fg": "green"},
    "next": {"bold": True},
}
WORDS = re.compile(
    r"(?P<bad>^\[FL-\d{4}\]|(?<=^- )\[FL-\d{4}\]|^\s*WRONG\b|\bNOT (?:READ|PROVEN)\b)"
    r"|(?P<unknown>^\s*UNKNOWN\b)"
    r"|(?P<good>^good\b|(?<!NOT )\bPROVEN\b)"
    r"|(?P<next>^\s*Next:)",
    re.MULTILINE,
)


def wants_colour(variables: Mapping[str, str]) -> bool | None:
    """Returns what the variables decide; None if a terminal decides."""
    if variables.get("NO_COLOR"):
        return False
    return True if variables.get("FORCE_COLOR") else None


def coloured(text: str) -> str:
    """The text with its verdicts in colour; `click.echo` takes the colour out again where there is to be none."""

    def styled(found: re.Match[str]) -> str:
        return click.style(found[0], **STYLES[found.lastgroup or "next"])

    return WORDS.sub(styled, text)
