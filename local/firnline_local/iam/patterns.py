"""The patterns of policies: `*` is any text, `?` one character, and ${key} what the request's context holds."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

Context: TypeAlias = Mapping[str, str | Sequence[str]]
"""What a request says beyond action and resource: condition keys (in any case) with their values."""

VARIABLE = re.compile(r"\$\{([^}]+)\}")
LITERALS = {"*": "*", "?": "?", "$": "$"}  # ${*} stands for the character itself


def matches(pattern: str, text: str, *, any_case: bool = False) -> bool:
    return _compiled(pattern, any_case).fullmatch(text) is not None


def resolve(pattern: str, context: Context) -> str | None:
    """With its variables replaced; None where the request has no such key, and so nothing can match."""
    missing = False

    def value(match: re.Match[str]) -> str:
        nonlocal missing
        found = LITERALS.get(match[1]) or next(iter(values_of(match[1].partition(",")[0], context)), None)
        missing = missing or found is None
        return found or ""

    resolved = VARIABLE.sub(value, pattern)
    return None if missing else resolved


def values_of(key: str, context: Context) -> tuple[str, ...]:
    """Keys are compared without case; empty where the request has none."""
    for name, value in context.items():
        if name.lower() == key.lower():
            return (value,) if isinstance(value, str) else tuple(value)
    return ()


def as_list(value: Any) -> list[Any]:
    """Policies write one element for a list of one."""
    return list(value) if isinstance(value, list | tuple) else [value]


@cache
def _compiled(pattern: str, any_case: bool) -> re.Pattern[str]:
    parts = (".*" if part == "*" else "." if part == "?" else re.escape(part) for part in re.split(r"([*?])", pattern))
    return re.compile("".join(parts), re.DOTALL | (re.IGNORECASE if any_case else 0))
