"""Puts bound values into a statement as literals, in place of its question marks.

Text goes in quoted, times as casts of text. Bound arrays, by which the 4.x connector sends many rows at once, become so
many rows of VALUES.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from firnline_local.snowflake.catalog.errors import CompilationFault, NotExact, NotKnown
from firnline_local.snowflake.sql.statement import Statement, Token

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Binding = Mapping[str, Any]


def bind(statement: Statement, bindings: Mapping[str, Binding]) -> Statement:
    """The statement with every `?` replaced. Raises CompilationFault where numbers of marks and values differ."""
    if not bindings:
        return statement
    values = [bindings[key] for key in sorted(bindings, key=int)]
    marks = [token for token in statement.tokens if token.word == "?"]
    if any(isinstance(value.get("value"), list) for value in values):
        return _with_rows(statement, marks, values)
    return statement.replaced(_edits(marks, values))


def literal(binding: Binding) -> str:
    """One bound value as SQL."""
    kind, value = str(binding["type"]).upper(), binding.get("value")
    if value is None:
        return "NULL"
    if kind not in LITERALS:
        raise NotKnown(f"bound values of type {kind}")
    try:
        return LITERALS[kind](str(value))
    except (ValueError, InvalidOperation) as error:
        raise CompilationFault(f"'{value}' is not a bound {kind}.") from error


def quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def _number(value: str) -> str:
    return f"({Decimal(value):f})"


def _boolean(value: str) -> str:
    return "TRUE" if value.lower() in ("true", "1") else "FALSE"


def _moment(nanoseconds: str) -> datetime:
    """Raises NotExact for what is finer than a microsecond."""
    microseconds, rest = divmod(int(nanoseconds), 1000)
    if rest:
        raise NotExact(f"times are kept to the microsecond here, and {nanoseconds} ns is not a whole number of them.")
    return EPOCH + timedelta(microseconds=microseconds)


def _timestamp_tz(value: str) -> str:
    nanoseconds, _, offset = value.partition(" ")
    minutes = int(offset or 1440) - 1440
    local = _moment(nanoseconds) + timedelta(minutes=minutes)
    sign, distance = "-" if minutes < 0 else "+", abs(minutes)
    return f"'{local:%Y-%m-%d %H:%M:%S.%f}{sign}{distance // 60:02d}:{distance % 60:02d}'::TIMESTAMP_TZ"


LITERALS: dict[str, Callable[[str], str]] = {
    "TEXT": quoted,
    "FIXED": _number,
    "REAL": lambda value: f"'{float(value)!r}'::FLOAT",
    "BOOLEAN": _boolean,
    "BINARY": lambda value: f"TO_BINARY('{bytes.fromhex(value).hex()}', 'HEX')",
    "DATE": lambda value: f"'{EPOCH + timedelta(milliseconds=int(value)):%Y-%m-%d}'::DATE",
    "TIME": lambda value: f"'{_moment(value):%H:%M:%S.%f}'::TIME",
    "TIMESTAMP_NTZ": lambda value: f"'{_moment(value):%Y-%m-%d %H:%M:%S.%f}'::TIMESTAMP_NTZ",
    "TIMESTAMP_LTZ": lambda value: f"'{_moment(value):%Y-%m-%d %H:%M:%S.%f}+00:00'::TIMESTAMP_LTZ",
    "TIMESTAMP_TZ": _timestamp_tz,
}


def _edits(marks: Sequence[Token], values: Sequence[Binding]) -> list[tuple[int, int, str]]:
    if len(marks) != len(values):
        raise CompilationFault(f"{len(values)} values are bound to {len(marks)} question marks.")
    return [(mark.start, mark.end, f" {literal(value)} ") for mark, value in zip(marks, values, strict=True)]


def _with_rows(statement: Statement, marks: Sequence[Token], values: Sequence[Binding]) -> Statement:
    """`… VALUES (?, ?)` with so many rows."""
    words = [token.word for token in statement.tokens]
    row = words.index("VALUES") + 1 if words[:1] == ["INSERT"] and "VALUES" in words and words[-1] == ")" else None
    if row is None or "?" in words[:row]:
        raise NotKnown("bound arrays in anything but INSERT … VALUES (…)")
    start, end = statement.tokens[row].start, statement.tokens[-1].end
    rows: list[str] = []
    for cells in zip(*(value["value"] for value in values), strict=True):
        bound = [{"type": value["type"], "value": cell} for value, cell in zip(values, cells, strict=True)]
        rows.append(_written(statement.text, start, end, _edits(marks, bound)))
    return statement.replaced([(start, end, ", ".join(rows))])


def _written(text: str, start: int, end: int, edits: Sequence[tuple[int, int, str]]) -> str:
    """A part of the text, with the edits."""
    parts: list[str] = []
    for first, last, replacement in edits:
        parts += [text[start:first], replacement]
        start = last
    return "".join(parts) + text[start:end]
