"""One column of the table, and when a value of it equals what its record says.

Dates and times are compared in the notations that everybody reads alike, to the microsecond: the connector's values have no
finer digits. Any other notation (Snowflake recognises many) is left unchecked rather than guessed.
"""

import base64
import binascii
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

from firnline_infra.audit.json_values import equal, is_number, number, parse

Verdict = bool | None
"""None: the audit can't compare the two."""

TRUE, FALSE = {"true", "t", "yes", "y", "on", "1"}, {"false", "f", "no", "n", "off", "0"}
JSON_FAMILIES = ("VARIANT", "OBJECT", "ARRAY", "MAP")
# docs.snowflake.com/en/user-guide/date-time-input-output: integers are seconds, milliseconds, ... by their size
UNITS_PER_S = ((31_536_000_000, 1), (31_536_000_000_000, 1_000), (31_536_000_000_000_000, 1_000_000))
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class AuditedColumn:
    name: str
    """The stored name."""
    type: str
    """As DESCRIBE TABLE writes it."""
    default: str = ""
    """An expression, as DESCRIBE TABLE writes it; empty where there is none."""
    family: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "family", self.type.partition("(")[0].strip().upper())

    @classmethod
    def described(cls, row: Mapping[str, object]) -> "AuditedColumn":
        """Reads a row of DESCRIBE TABLE, by lower-cased name."""
        return cls(str(row["name"]), str(row["type"]), default=str(row.get("default") or ""))

    @property
    def key(self) -> str:
        """Equal for the keys of a payload that this column takes: Snowflake matches them whatever their case."""
        return self.name.upper()

    def is_empty(self, kept: object) -> bool:
        """NULL, and the JSON null that a VARIANT keeps, are both no value."""
        return kept is None or (kept == "null" and self.family in JSON_FAMILIES)

    @property
    def has_default(self) -> bool:
        """True if a row without a value may have one all the same."""
        return bool(self.default)

    def is_default(self, kept: object) -> Verdict:
        """Returns whether the value is the column's default; None where that is not a constant that the audit reads."""
        if not self.default:
            return False
        constant = _constant(self.default.strip())
        return None if constant is None else self.holds(constant, kept)

    def holds(self, sent: object, kept: object) -> Verdict:
        """`sent` as json_values.parse reads it, never None; `kept` as the connector gives it, never empty."""
        compare = BY_FAMILY.get(self.family)
        return compare(sent, kept) if compare else None


def _constant(expression: str) -> object:
    """A text, a number or a boolean as SQL writes it; None for any other expression."""
    if expression[:1] == expression[-1:] == "'" and len(expression) > 1 and "\\" not in expression:
        text = expression[1:-1].replace("''", "\0")
        return None if "'" in text else text.replace("\0", "'")
    if expression.upper() in ("TRUE", "FALSE"):
        return expression.upper() == "TRUE"
    return number(expression)


def _number(sent: object, kept: object) -> Verdict:
    """Compares numbers: what the column rounds off was changed; text that holds a number is that number."""
    value = number(sent) if isinstance(sent, str) else sent
    if not is_number(value):
        return False
    return isinstance(value, int | Decimal) and isinstance(kept, int | Decimal) and value == kept


def _float(sent: object, kept: object) -> Verdict:
    """A fraction is the nearest double; an integer has to be that integer, because identifiers are integers."""
    if not isinstance(kept, float | int | Decimal):
        return None
    if isinstance(sent, str) and (value := number(sent)) is None:
        try:
            return str(float(sent)) == str(float(kept))  # nan, inf
        except ValueError:
            return False
    elif not isinstance(sent, str):
        value = sent if isinstance(sent, int | Decimal) and not isinstance(sent, bool) else None
    if value is None:
        return False
    return value == kept if isinstance(value, int) else float(value) == float(kept)


def _text(sent: object, kept: object) -> Verdict:
    """Compares texts: a value that is not text in the payload is its JSON in the column."""
    if isinstance(sent, str):
        return sent == kept
    return _json(sent, kept)


def _boolean(sent: object, kept: object) -> Verdict:
    if isinstance(sent, str):
        word = sent.strip().lower()
        return bool(kept) if word in TRUE else not kept if word in FALSE else False
    return sent is kept if isinstance(sent, bool) else False


def _binary(sent: object, kept: object) -> Verdict:
    """Default pipes read base64; a pipe of one's own may read something else, which the audit can't know."""
    try:
        return isinstance(kept, bytes | bytearray) and base64.b64decode(str(sent), validate=True) == bytes(kept)
    except (binascii.Error, ValueError):
        return None


def _json(sent: object, kept: object) -> Verdict:
    try:
        return isinstance(kept, str) and equal(sent, parse(kept))
    except (ValueError, RecursionError):
        return False


def _object(sent: object, kept: object) -> Verdict:
    """Snowflake reads text that holds an object as the object; in a VARIANT it stays text."""
    if isinstance(sent, str):
        try:
            return _json(parse(sent), kept)
        except (ValueError, RecursionError):
            return False
    return _json(sent, kept)


def _array(sent: object, kept: object) -> Verdict:
    """Snowflake makes an array of one from what is none."""
    return _json(sent if isinstance(sent, list) else [sent], kept)


def moment(sent: object) -> datetime | None:
    """The time that the value says; None for what is not ISO 8601 text and no integer."""
    text = str(sent) if isinstance(sent, int) and not isinstance(sent, bool) else sent
    if not isinstance(text, str):
        return None
    text = text.strip()
    try:
        return _since_epoch(int(text)) if text.lstrip("+-").isdecimal() else datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        return None


def is_same_time(sent: object, kept: object) -> bool | None:
    """Compares two times; None if the audit can't tell. A time without a zone is UTC; a column without one keeps the
    clock's reading."""
    if isinstance(kept, time):
        return _is_same_time_of_day(sent, kept)
    at = moment(sent)
    if at is None:
        return None
    if not isinstance(kept, datetime):
        return at.date() == kept if isinstance(kept, date) else None
    if kept.tzinfo is None:
        return at.replace(tzinfo=None) == kept
    return (at if at.tzinfo else at.replace(tzinfo=UTC)) == kept


def _is_same_time_of_day(sent: object, kept: time) -> bool | None:
    if isinstance(sent, str):
        try:
            return time.fromisoformat(sent.strip()).replace(tzinfo=None) == kept
        except ValueError:
            pass
    at = moment(sent)
    return None if at is None else at.time() == kept


def _since_epoch(number: int) -> datetime:
    per_s = next((units for below, units in UNITS_PER_S if abs(number) < below), 1_000_000_000)
    return EPOCH + timedelta(microseconds=number * 1_000_000 // per_s)


BY_FAMILY: Mapping[str, Callable[[object, object], Verdict]] = {
    "NUMBER": _number,
    "DECIMAL": _number,
    "FLOAT": _float,
    "DOUBLE": _float,
    "REAL": _float,
    "VARCHAR": _text,
    "STRING": _text,
    "TEXT": _text,
    "CHAR": _text,
    "BOOLEAN": _boolean,
    "BINARY": _binary,
    "VARIANT": _json,
    "OBJECT": _object,
    "MAP": _object,
    "ARRAY": _array,
    "DATE": is_same_time,
    "TIME": is_same_time,
    "TIMESTAMP_NTZ": is_same_time,
    "TIMESTAMP_LTZ": is_same_time,
    "TIMESTAMP_TZ": is_same_time,
}
