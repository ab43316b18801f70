"""Values of structured types: an object has its type's keys and no others, and each value is converted.

Those are the rules of a cast (`sql-reference/data-types-structured`): no page says that streaming is kinder.

From a JSON value to a column's value: one converter a type.

A converter takes the value's JSON text and gives what the store keeps, or raises NotConvertible; JSON null never gets
here. The rules are those of the default pipe (documentation, `snowpipe-streaming-table-support`). Where Snowflake's own
Kafka connector records that the service differs from its documentation, the record wins: a number is not a BOOLEAN, and a
value that is not an array becomes an array of one. Text of a VARIANT is kept byte for byte.

Dates and times are read in the forms that Snowflake recognises by itself: ISO 8601 text, and integers since 1970 that are
seconds, milliseconds, microseconds or nanoseconds by their size (documentation, `date-time-input-output`, auto-detection
of integer-stored values). Everything is UTC where no zone is given, because the streaming service works in UTC. The store
keeps microseconds, so finer digits are cut off.
"""

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from functools import partial
from typing import TypeVar

import msgspec

from firnline_local.snowflake.catalog.types import DataType

Found = TypeVar("Found")
Encoded = Callable[[bytes], bytes]
"""From a value's JSON to what is kept of it, JSON too. Raises NotAsTyped, or what the conversion of a scalar raises."""

_values = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_elements = msgspec.json.Decoder(list[msgspec.Raw]).decode
_encode = msgspec.json.Encoder().encode


class NotAsTyped(Exception):
    """The part of a value that its structured type does not allow."""


def structured(kind: DataType, scalar: Callable[[DataType], Encoded]) -> Encoded:
    """`scalar` makes the converter of a type without parts."""
    if not kind.parts:
        return scalar(kind)
    inner = [_part(each.nullable, structured(each.type, scalar)) for each in kind.parts]
    if kind.family == "ARRAY":
        return partial(_typed_array, inner[0])
    if kind.family == "MAP":
        of_keys, of_values = inner
        return partial(_typed_map, of_keys, of_values)
    return partial(_typed_object, {part.key: each for part, each in zip(kind.parts, inner, strict=True)})


def _part(nullable: bool, convert: Encoded) -> Encoded:
    def checked(value: bytes) -> bytes:
        if value != b"null":
            return convert(value)
        if not nullable:
            raise NotAsTyped("NULL where the type says NOT NULL")
        return value

    return checked


def _typed_array(element: Encoded, value: bytes) -> bytes:
    return b"[%b]" % b",".join(element(bytes(each)) for each in _read(_elements, value, "ARRAY"))


def _typed_object(keys: Mapping[str, Encoded], value: bytes) -> bytes:
    found = _read(_values, value, "OBJECT")
    if others := sorted(found.keys() ^ keys.keys()):
        raise NotAsTyped(f"the key {others[0]} is {'not in the type' if others[0] in found else 'missing'}")
    return _written([(_encode(key), convert(bytes(found[key]))) for key, convert in keys.items()])


def _typed_map(key: Encoded, element: Encoded, value: bytes) -> bytes:
    found = _read(_values, value, "MAP")
    return _written([(_quoted(key(_encode(name))), element(bytes(each))) for name, each in found.items()])


def _quoted(key: bytes) -> bytes:
    return key if key.startswith(b'"') else b'"%b"' % key


def _written(members: Sequence[tuple[bytes, bytes]]) -> bytes:
    return b"{%b}" % b",".join(b"%b:%b" % member for member in members)


def _read(decode: Callable[[bytes], Found], value: bytes, family: str) -> Found:
    try:
        return decode(value)
    except msgspec.MsgspecError:
        raise NotAsTyped(f"it is not {'an' if family[:1] in 'AEIO' else 'a'} {family}") from None


SECONDS_BELOW, MILLISECONDS_BELOW, MICROSECONDS_BELOW = 31_536_000_000, 31_536_000_000_000, 31_536_000_000_000_000
INTEGER = re.compile(r"[+-]?\d+")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NUMBER_STARTS = b"-0123456789"
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
NOT_A_NUMBER = {"nan", "inf", "+inf", "-inf", "infinity", "-infinity"}  # a FLOAT column takes them as text
TRUE, FALSE = {"true", "t", "yes", "y", "on", "1"}, {"false", "f", "no", "n", "off", "0"}
SHOWN = 100  # characters of a value in a message
WIDE = Context(prec=1000)  # a number may be longer than its column; rounding must not lose digits before the check


def read_timestamp(text: str, *, has_zone: bool) -> datetime:
    """An instant in UTC, or the wall clock's reading without a zone. Raises ValueError or OverflowError."""
    read = EPOCH + _since_epoch(int(text)) if INTEGER.fullmatch(text) else datetime.fromisoformat(text)
    if not has_zone:
        return read.replace(tzinfo=None)
    return read.astimezone(UTC) if read.tzinfo else read.replace(tzinfo=UTC)


def read_date(text: str) -> date:
    return read_timestamp(text, has_zone=False).date()


def read_time(text: str) -> time:
    if INTEGER.fullmatch(text):
        return read_timestamp(text, has_zone=False).time()
    return time.fromisoformat(text).replace(tzinfo=None)


def _since_epoch(number: int) -> timedelta:
    size = abs(number)
    if size < SECONDS_BELOW:
        return timedelta(seconds=number)
    if size < MILLISECONDS_BELOW:
        return timedelta(milliseconds=number)
    if size < MICROSECONDS_BELOW:
        return timedelta(microseconds=number)
    return timedelta(microseconds=number // 1000)


Converter = Callable[[bytes], object]


decode_text: Callable[[bytes], str] = msgspec.json.Decoder(str).decode


class NotConvertible(Exception):
    """A value that its column can't take, with Snowflake's code and SQL state."""

    def __init__(self, message: str, *, code: str, sql_state: str = "22018") -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.sql_state = sql_state


def converter_for(column_type: DataType) -> Converter:
    if column_type.is_structured:
        return partial(_structured, structured(column_type, _encoded), column_type)
    match column_type.family:
        case "NUMBER":
            return partial(_number, precision=column_type.size or 38, scale=column_type.scale)
        case "VARCHAR":
            return partial(_varchar, length=column_type.size or 0)
        case "TIMESTAMP_NTZ" | "TIMESTAMP_LTZ" | "TIMESTAMP_TZ":
            return partial(_time_of, partial(read_timestamp, has_zone=column_type.family != "TIMESTAMP_NTZ"))
        case "DATE":
            return partial(_time_of, read_date)
        case "TIME":
            return partial(_time_of, read_time)
        case family:
            return BY_FAMILY[family]


def _structured(convert: Encoded, column_type: DataType, value: bytes) -> str:
    try:
        return convert(value).decode()
    except NotAsTyped as wrong:
        raise NotConvertible(
            f"Failed to cast variant value {_shown(value)} to {column_type}: {wrong}", code="100071"
        ) from None


def _encoded(column_type: DataType) -> Encoded:
    """A scalar inside of a structured value, which is kept as JSON."""
    convert = converter_for(column_type)
    if column_type.is_json:
        return lambda value: str(convert(value)).encode()

    def encode(value: bytes) -> bytes:
        kept = convert(value)
        return str(kept).encode() if isinstance(kept, Decimal) else msgspec.json.encode(kept)

    return encode


def _varchar(value: bytes, length: int) -> str:
    text = _scalar_or_json(value)
    if len(text) > length:
        raise NotConvertible(
            f"String '{text[:SHOWN]}' is too long and would be truncated", code="100078", sql_state="22000"
        )
    return text


def _number(value: bytes, precision: int, scale: int) -> int | Decimal:
    if value.isdigit() and len(value) + scale <= precision:  # nearly all numbers: no rounding, and it fits
        return int(value)
    text = _text_or_number(value, "Numeric value")
    if not NUMBER.fullmatch(text):
        raise _not_recognized("Numeric value", text)
    try:
        rounded = _exact(text, value).quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP, WIDE)
    except InvalidOperation:
        raise _out_of_range(text) from None
    if rounded and rounded.adjusted() >= precision - scale:
        raise _out_of_range(text)
    return rounded


def _exact(text: str, value: bytes) -> Decimal:
    """A JSON number with an exponent is read as a double: an account kept `1.8446744073709552e+23` as 184467440737095516160000
    (estuary/connectors, snapshot TestStreamV2Datatypes-INTEGER, read 2026-11-29). Of text with one no source speaks.
    """
    return Decimal(float(text)) if "e" in text.lower() and not value.startswith(b'"') else Decimal(text)


def _float(value: bytes) -> float:
    text = _text_or_number(value, "Numeric value")
    if NUMBER.fullmatch(text) or text.lower() in NOT_A_NUMBER:
        return float(text)
    raise _not_recognized("Numeric value", text)


def _boolean(value: bytes) -> bool:
    if value in (b"true", b"false"):
        return value == b"true"
    if value.startswith(b'"'):
        word = decode_text(value).strip().lower()
        if word in TRUE or word in FALSE:
            return word in TRUE
    raise _not_recognized("Boolean value", _scalar_or_json(value), code="100037")


def _binary(value: bytes) -> bytes:
    """Base64: what default pipes take, whatever the account's BINARY_INPUT_FORMAT says."""
    try:
        return base64.b64decode(decode_text(value), validate=True)
    except (msgspec.MsgspecError, ValueError):
        raise NotConvertible(
            f"The following string is not a legal base64 value: '{_shown(value)}'", code="100081"
        ) from None


def _variant(value: bytes) -> str:
    return value.decode()


def _array(value: bytes) -> str:
    return value.decode() if value.startswith(b"[") else f"[{value.decode()}]"


def _object(value: bytes) -> str:
    """Text that holds a JSON object is read; in VARIANT and ARRAY columns it stays text."""
    inner = decode_text(value).encode() if value.startswith(b'"') else value
    try:
        msgspec.json.decode(inner, type=dict[str, msgspec.Raw])
    except msgspec.MsgspecError:
        raise NotConvertible(f"Failed to cast variant value {_shown(value)} to OBJECT", code="100071") from None
    return inner.decode()


def _time_of(read: Callable[[str], object], value: bytes) -> object:
    text = _text_or_number(value, "Timestamp")
    try:
        return read(text)
    except (ValueError, OverflowError):
        raise _not_recognized("Timestamp", text, code="100035", sql_state="22007") from None


BY_FAMILY: dict[str, Converter] = {
    "FLOAT": _float,
    "BOOLEAN": _boolean,
    "BINARY": _binary,
    "VARIANT": _variant,
    "ARRAY": _array,
    "OBJECT": _object,
}


def _not_recognized(what: str, text: str, *, code: str = "100038", sql_state: str = "22018") -> NotConvertible:
    return NotConvertible(f"{what} '{text[:SHOWN]}' is not recognized", code=code, sql_state=sql_state)


def _out_of_range(text: str) -> NotConvertible:
    return NotConvertible(f"Number out of representable range: type FIXED, value {text[:SHOWN]}", code="100132")


def _scalar_or_json(value: bytes) -> str:
    return decode_text(value) if value.startswith(b'"') else value.decode()


def _text_or_number(value: bytes, what: str) -> str:
    if value.startswith(b'"'):
        return decode_text(value).strip()
    if value[:1] in NUMBER_STARTS:
        return value.decode()
    raise _not_recognized(what, _scalar_or_json(value))


def _shown(value: bytes) -> str:
    return _scalar_or_json(value)[:SHOWN]
