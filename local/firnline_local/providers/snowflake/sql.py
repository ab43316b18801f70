"""Names and literals as the stock provider writes them: names always in double quotes, literals with backslashes."""

import re
from collections.abc import Iterable
from typing import Any

ONE_NAME = re.compile(r'"((?:[^"]|"")*)"|([^."]+)')


def quoted(*names: str) -> str:
    """`"D"."S"."T"`"""
    return ".".join('"' + name.replace('"', '""') + '"' for name in names)


def parts(text: str) -> tuple[str, ...]:
    """The names in an identifier, quoted or not. Unlike SQL, the provider keeps the case of unquoted ones."""
    return tuple(match[1].replace('""', '"') if match[2] is None else match[2] for match in ONE_NAME.finditer(text))


def requoted(text: str) -> str:
    """An identifier however it was quoted, with all its names in quotes."""
    return quoted(*parts(text))


def literal(value: Any) -> str:
    text = str(value).replace("\\", "\\\\").replace("'", "\\'").replace('"', '\\"')
    return f"'{text}'"


def plain(value: Any) -> str:
    """A number, a keyword, or a boolean, which may also come as the text `true` or `false`."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def literals(values: Iterable[Any]) -> str:
    """`('a', 'b')`"""
    return f"({', '.join(map(literal, values))})"


def names(values: Iterable[str]) -> str:
    """`("D"."S"."A", "D"."S"."B")`"""
    return f"({', '.join(map(requoted, values))})"
