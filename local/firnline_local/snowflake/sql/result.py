"""Results of a statement: columns with Snowflake's types, and rows of text as they go over the wire.

The encodings are those that the drivers decode in a JSON row set: digits for numbers, seconds since 1970 with nine
decimals for times, days for dates, 1 and 0 for booleans, hexadecimal digits for binary.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import IntEnum
from typing import Any

from firnline_local.snowflake.catalog.types import DataType

Row = Sequence[str | None]

TEXT = DataType.parse("VARCHAR")
NUMBER = DataType.parse("NUMBER")
MOMENT = DataType.parse("TIMESTAMP_LTZ")

WIRE_NAMES = {"NUMBER": "FIXED", "FLOAT": "REAL", "VARCHAR": "TEXT"}
"""The types that the wire protocol and SHOW COLUMNS call by another name than SQL."""


class StatementType(IntEnum):
    """Drivers tell by it whether a statement has changed rows."""

    SELECT = 0x1000
    INSERT = 0x3100
    UPDATE = 0x3200
    DELETE = 0x3300
    SHOW = 0x4400
    SCL = 0x4000
    DDL = 0x6000


@dataclass(frozen=True, slots=True)
class ResultColumn:
    name: str
    type: DataType
    nullable: bool = True


@dataclass(frozen=True, kw_only=True)
class Result:
    columns: Sequence[ResultColumn]
    rows: Sequence[Row] = ()
    type: StatementType = StatementType.DDL
    transfer: dict[str, Any] | None = None
    """What a client has to do by itself, with files of its own; then there are no rows."""


def status(message: str, *, type: StatementType = StatementType.DDL) -> Result:  # noqa: A002 - the word of the protocol
    """The answer of most statements: one row, one sentence."""
    return Result(columns=(ResultColumn("status", TEXT),), rows=((message,),), type=type)


def done(*, type: StatementType = StatementType.DDL) -> Result:  # noqa: A002 - the word of the protocol
    return status("Statement executed successfully.", type=type)


def listing(columns: Iterable[str | tuple[str, DataType]], rows: Iterable[Sequence[Any]]) -> Result:
    """The answer of SHOW and DESCRIBE, from Python values; a column is text unless its type is said."""
    return Result(
        columns=tuple(ResultColumn(*(each if isinstance(each, tuple) else (each, TEXT))) for each in columns),
        rows=[[encode(value) for value in row] for row in rows],
        type=StatementType.SHOW,
    )


def counts(type: StatementType, **counted: int) -> Result:  # noqa: A002 - the word of the protocol
    """The answer of DML: how many rows, one column for each way of counting."""
    names = [name.replace("_", " ") for name in counted]
    return Result(
        columns=tuple(ResultColumn(name, DataType("NUMBER", 19), nullable=False) for name in names),
        rows=(tuple(str(count) for count in counted.values()),),
        type=type,
    )


def encode(value: Any) -> str | None:
    """One cell; a boolean is the text true or false, as SHOW has it."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        microseconds = round((value - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1_000_000)
        return f"{microseconds // 1_000_000}.{microseconds % 1_000_000:06d}000"
    return str(value)
