"""What DuckDB complains about, said in Snowflake's words: code, SQL state and text of a data fault."""

import re
from dataclasses import dataclass

import duckdb

from firnline_local.snowflake.catalog.errors import Cancelled, DataFault, NotExact, NotKnown, SqlError


@dataclass(frozen=True, slots=True)
class Translation:
    """How one family of complaints is answered."""

    pattern: re.Pattern[str]
    code: str
    sql_state: str
    message: str
    """With the groups of the pattern."""


def _translation(pattern: str, code: str, sql_state: str, message: str) -> Translation:
    return Translation(re.compile(pattern, re.IGNORECASE | re.DOTALL), code, sql_state, message)


NUMBERS = "DECIMAL|INT|HUGEINT|DOUBLE|FLOAT|NUMERIC"
TRANSLATIONS = (
    _translation(r"NOT NULL constraint failed: \w+\.(.+)", "100072", "22000", "NULL result in a non-nullable column"),
    _translation(rf"Could not convert string ['\"](.*)['\"] to \"?(?:{NUMBERS})", "100038", "22018",
                 "Numeric value '{0}' is not recognized"),
    _translation(r"Could not convert string ['\"](.*)['\"] to \"?BOOL", "100037", "22018",
                 "Boolean value '{0}' is not recognized"),
    _translation(r"invalid (?:timestamp|date|time) field format: ['\"](.*?)['\"]", "100035", "22007",
                 "Timestamp '{0}' is not recognized"),
    _translation(r"Malformed JSON(.*)", "100069", "22P02", "Error parsing JSON:{0}"),
    _translation(r"(?:out of range|overflow|Could not cast value .* to DECIMAL)", "100132", "22003",
                 "Number out of representable range"),
    _translation(r"division by zero", "100051", "22012", "Division by zero"),
)  # fmt: skip # a fault with what it becomes

OURS = re.compile(r"Invalid Input Error: \[([A-Z0-9-]+)\] (.*)", re.DOTALL)
"""What an expression of ours raised, in `sql/query/macros.py`."""


def as_sql_error(error: duckdb.Error) -> SqlError:
    """The answer that a client gets for a failure inside DuckDB."""
    complaint = str(error)
    if isinstance(error, duckdb.InterruptException):
        return Cancelled()
    if match := OURS.match(complaint):
        return NotExact(match[2]) if match[1] == NotExact.id else _fault(match[1], "22000", match[2])
    for translation in TRANSLATIONS:
        if match := translation.pattern.search(complaint):
            return _fault(translation.code, translation.sql_state, translation.message.format(*match.groups()))
    return NotKnown(complaint.split("\n\nLINE", 1)[0])


def _fault(code: str, sql_state: str, message: str) -> DataFault:
    fault = DataFault(message)
    fault.code, fault.sql_state = code, sql_state
    return fault
