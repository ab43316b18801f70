"""Statements of Redshift as calls: each form stands above the function that carries it out (database.py).

The forms are those of AWS's pages of the same names. What is in none of them is refused.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

NAME = r'(?:"(?:[^"]|"")+"|[A-Za-z_][\w$]*)'
PATH = rf"(?P<path>{NAME}(?:\s*\.\s*{NAME})?)"
CHARACTERS = r"(?:[^']|'')*"
"""What stands between the quotes of a text."""
MV = r"MATERIALIZED\s+VIEW"
Carry = Callable[..., Any]
_forms: list[tuple[re.Pattern[str], Carry]] = []


class StatementError(Exception):
    """Redshift's answer to a statement that it can't carry out."""


@dataclass(frozen=True, slots=True)
class Path:
    """The written name of a relation; what is not in quotes is lower-cased."""

    schema: str
    name: str

    def __str__(self) -> str:
        return f"{self.schema}.{self.name}"


@dataclass(frozen=True, slots=True)
class RedshiftStatement:
    """Texts in the named places of a statement's form."""

    match: re.Match[str]

    def __getitem__(self, place: str) -> str:
        """Empty where nothing stands there."""
        return self.match[place] or ""

    @property
    def text(self) -> str:
        return self.match[0]

    @property
    def path(self) -> Path:
        parts = [unquoted(each) for each in re.findall(NAME, self["path"])]
        return Path(*parts) if len(parts) == 2 else Path("public", parts[0])

    @property
    def auto_refresh(self) -> bool:
        return self["auto"].upper() == "YES"


def form(pattern: str) -> Callable[[Carry], Carry]:
    """Registers a function that carries statements of a form out; a blank is any white space. Earlier ones are tried first."""
    compiled = re.compile(pattern.replace(" ", r"\s+"), re.IGNORECASE | re.DOTALL)

    def register(carry: Carry) -> Carry:
        _forms.append((compiled, carry))
        return carry

    return register


def understood(sql: str) -> tuple[Carry, RedshiftStatement]:
    """Returns what carries a statement out, and the statement. Raises StatementError."""
    text = sql.strip().removesuffix(";").strip()
    if ";" in re.sub(f"'{CHARACTERS}'", "", text):
        raise StatementError("cannot insert multiple commands into a prepared statement")
    for pattern, carry in _forms:
        if match := pattern.fullmatch(text):
            return carry, RedshiftStatement(match)
    near = text.split(maxsplit=1)[0] if text else ""
    raise StatementError(f'syntax error at or near "{near}", or a form that the embedded Redshift does not carry')


def unquoted(text: str) -> str:
    """Redshift makes small letters also of what is in quotes, unless enable_case_sensitive_identifier is on: callers do that."""
    return text[1:-1].replace('""', '"') if text.startswith('"') else text.lower()
