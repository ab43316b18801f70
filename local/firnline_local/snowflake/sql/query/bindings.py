"""Puts bound values into a statement as literals, in place of its question marks.

Text goes in quoted, times as casts of text. Bound arrays, by which the 4.x connector sends many rows at once, become so
many rows of VALUES.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from firnline_local.snowflake.catalog.errors import CompilationFault, NotExact, NotKnown
from firnline_local.snowflake.sql.lexer import Token, tokenize

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Binding = Mapping[str, Any]


def bind(sql: str, bindings: Mapping[str, Binding]) -> str:
    """The statement with every `?` replaced. Raises CompilationFault where numbers of marks and values differ."""
    if not bindings:
        return sql
    tokens = tokenize(sql)
    values = [bindings[key] for key in sorted(bindings, key=int)]
    if any(isinstance(value.get("value"), list) for value in values):
        sql = _repeat_row(sql, tokens, rows=len(values[0]["value"]))
        tokens = tokenize(sql)
        values = [
            {"type": value["type"], "value": cell}
            for row in zip(*(value["value"] for value in values), strict=True)
            for value, cell in zip(values, row, strict=True)
        ]
    marks = [token for token in tokens if token.word == "?"]
    if len(marks) != len(values):
        raise CompilationFault(f"{len(values)} values are bound to {len(marks)} question marks.")
    return _replaced(sql, marks, [literal(value) for value in values])


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


def _replaced(sql: str, marks: list[Token], literals: list[str]) -> str:
    parts: list[str] = []
    position = 0
    for mark, text in zip(marks, literals, strict=True):
        parts += [sql[position : mark.start], f" {text} "]
        position = mark.end
    return "".join(parts) + sql[position:]


def _repeat_row(sql: str, tokens: list[Token], *, rows: int) -> str:
    """`… VALUES (?, ?)` for so many rows."""
    words = [token.word for token in tokens]
    if words[:1] != ["INSERT"] or "VALUES" not in words or words[-1] != ")":
        raise NotKnown("bound arrays in anything but INSERT … VALUES (…)")
    values = tokens[words.index("VALUES")]
    row = sql[values.end : tokens[-1].end]
    return f"{sql[: values.end]} {', '.join([row] * rows)}"
