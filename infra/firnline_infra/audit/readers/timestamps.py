"""The times of the `timestamp` transform: read as its page says, counted in nanoseconds since 1970, written again."""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation

from firnline_infra.audit.readers.json_model import Json, Number, Unknown, Unreadable

UNITS = {"seconds": 10**9, "milliseconds": 10**6, "microseconds": 10**3, "nanoseconds": 1}
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST_S, LAST_S = -62_135_596_800, 253_402_300_799
DIGITS = {"yyyy": 4, "MM": 2, "dd": 2, "HH": 2, "mm": 2, "ss": 2, "SSS": 3}
OFFSETS = {"X": r"Z|[+-]\d\d(?:\d\d)?", "XX": r"Z|[+-]\d{4}", "XXX": r"Z|[+-]\d\d:\d\d", "Z": r"[+-]\d{4}"}
ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9})0*)?)?)?(Z|[+-]\d\d(?::?\d\d)?)?", re.ASCII
)


def rewritten(value: Json, read: str, write: str, offset: str) -> Json:
    """Raises Unreadable for what is not a time that is written so."""
    if isinstance(value, Unknown):
        return value
    try:
        moment = _of_number(value, UNITS[read]) if read in UNITS else _of_text(value, read, offset)
    except (ValueError, OverflowError, InvalidOperation) as error:
        raise Unreadable("transform-failed", f"it is not a time that is written as {read}: {error}") from error
    if write in UNITS:
        exact = Decimal(moment).scaleb(1 - len(str(UNITS[write])))
        return Number(f"{exact.normalize():f}" if moment else "0")
    return _iso(moment) if write == "iso8601" else _by_pattern(moment, write)


def _of_number(value: Json, unit: int) -> int:
    if not isinstance(value, Number):
        raise ValueError("no number")
    number = Decimal(value.text)
    if number.adjusted() > 20:
        raise ValueError("beyond the year 9999")
    moment = int(number * unit) if number.adjusted() > -20 else 0
    return _within(moment)


def _within(moment: int) -> int:
    if not FIRST_S <= moment // 10**9 <= LAST_S:
        raise ValueError("outside of the years 1 to 9999")
    return moment


def _of_text(value: Json, read: str, offset: str) -> int:
    if not isinstance(value, str):
        raise ValueError("no text")
    if read == "iso8601":
        found = ISO.fullmatch(value)
        if found is None:
            raise ValueError("no ISO 8601")
        groups = found.groups()
        return _moment([int(part or 0) for part in groups[:6]], groups[6], groups[7] or offset)
    known: dict[str, str] = {}
    end = 0
    for unit, is_letter in _units(read):
        form = OFFSETS.get(unit) or (r"\d{1,9}" if unit == "S" else rf"\d{{{DIGITS[unit]}}}") if is_letter else ""
        found = re.compile(form or re.escape(unit), re.ASCII).match(value, end)
        if found is None:
            raise ValueError(f"no {unit} at {end}")
        end = found.end()
        known |= {("Z" if unit in OFFSETS else unit): found[0]} if is_letter else {}
    if end < len(value):
        raise ValueError("something follows it")
    parts = [int(known.get(unit, 0)) for unit in ("yyyy", "MM", "dd", "HH", "mm", "ss")]
    return _moment(parts, known.get("S") or known.get("SSS"), known.get("Z", offset))


def _moment(parts: list[int], fraction: str | None, zone: str) -> int:
    year, month, day, hour, minute, second = parts
    shift = timedelta()
    if zone != "Z":
        hours, minutes = int(zone[1:3]), int(zone[3:].lstrip(":") or 0)
        if hours > 18 or minutes > 59:
            raise ValueError("an offset of more than 18 hours")
        shift = timedelta(hours=hours, minutes=minutes) * (-1 if zone[0] == "-" else 1)
    elapsed = datetime(year, month, day, hour, minute, second, tzinfo=UTC) - EPOCH - shift
    return _within(elapsed // timedelta(seconds=1) * 10**9 + int((fraction or "0").ljust(9, "0")))


def _iso(moment: int) -> str:
    """No fraction, or 3, 6 or 9 digits of one."""
    second, nanosecond = divmod(moment, 10**9)
    text = f"{nanosecond:09d}"
    digits = 0 if not nanosecond else 3 if text.endswith("000000") else 6 if text.endswith("000") else 9
    at = EPOCH + timedelta(seconds=second)
    return f"{at.replace(tzinfo=None).isoformat()}{'.' + text[:digits] if digits else ''}Z"


def _by_pattern(moment: int, write: str) -> str:
    second, nanosecond = divmod(moment, 10**9)
    at = EPOCH + timedelta(seconds=second)
    numbers = {"yyyy": at.year, "MM": at.month, "dd": at.day, "HH": at.hour, "mm": at.minute, "ss": at.second}
    pieces = []
    for unit, is_letter in _units(write):
        if not is_letter:
            pieces.append(unit)
        elif unit in OFFSETS:
            pieces.append("+0000" if unit == "Z" else "Z")
        elif unit == "S":
            pieces.append(f"{nanosecond:09d}".rstrip("0") or "0")
        else:
            pieces.append(f"{numbers.get(unit, nanosecond // 10**6):0{DIGITS[unit]}d}")
    return "".join(pieces)


def _units(pattern: str) -> list[tuple[str, bool]]:
    """Runs of a letter with True; what stands between single quotes, and any other character, with False."""
    units: list[tuple[str, bool]] = []
    at = 0
    while at < len(pattern):
        if pattern.startswith("''", at):
            units.append(("'", False))
            at += 2
        elif pattern[at] == "'":
            end = at + 1
            while not (pattern[end] == "'" and pattern[end + 1 : end + 2] != "'"):
                end += 2 if pattern.startswith("''", end) else 1
            units.append((pattern[at + 1 : end].replace("''", "'"), False))
            at = end + 1
        else:
            end = at + 1
            while pattern[at].isalpha() and end < len(pattern) and pattern[end] == pattern[at]:
                end += 1
            units.append((pattern[at:end], pattern[at].isalpha()))
            at = end
    return units
