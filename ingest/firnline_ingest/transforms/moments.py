"""Times as whole nanoseconds since 1970: read and written in every form, so that nothing of a fraction is lost.

Years are 1 to 9999. A minute has no 60th second, as in most calendars of computers.
"""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import ROUND_DOWN, Context, Decimal

from firnline_ingest.config.position import LETTERS
from firnline_ingest.config.time_pattern import ISO_8601, NANOSECONDS, units_of
from firnline_ingest.transforms.scalar import Scalar

Read = Callable[[Scalar], int | None]
"""None for what is no time of that form."""
Write = Callable[[int], str | Decimal]

SECOND = 10**9
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST, LAST = -62_135_596_800 * SECOND, 253_402_300_800 * SECOND - 1
PARTS = ("year", "month", "day", "hour", "minute", "second")
EXACT = Context(prec=2000, traps=[])
"""Not that of the thread, which a callable may have changed."""
ISO = re.compile(
    r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"
    r"(?:[T ](?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,9})0*)?)?)?"
    r"(?P<offset>Z|[+-]\d\d(?::?\d\d)?)?",
    re.ASCII,
)


def reader(form: str, offset: str) -> Read:
    """`offset`: of times that say none."""
    if form in NANOSECONDS:
        unit = NANOSECONDS[form]
        return lambda value: _of_number(value, unit)
    pattern = ISO if form == ISO_8601 else _compiled(form)
    return lambda value: _of_text(value, pattern, offset)


def writer(form: str) -> Write:
    if form in NANOSECONDS:
        digits = len(str(NANOSECONDS[form])) - 1
        return lambda moment: _shortest(Decimal(moment).scaleb(-digits, EXACT))
    if form == ISO_8601:
        return _iso
    units = units_of(form)
    return lambda moment: "".join(_pieces(moment, units))


def _of_number(value: Scalar, unit: int) -> int | None:
    if not isinstance(value, Decimal) or value.adjusted() > 20:
        return None
    moment = int(EXACT.multiply(value, Decimal(unit)).to_integral_value(ROUND_DOWN)) if value.adjusted() > -20 else 0
    return moment if FIRST <= moment <= LAST else None


def _of_text(value: Scalar, pattern: re.Pattern[str], offset: str) -> int | None:
    found = pattern.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return None
    part = {name: text for name, text in found.groupdict().items() if text is not None}
    year, month, day, hour, minute, second = (int(part.get(name, 0)) for name in PARTS)
    try:
        elapsed = (
            datetime(year, month, day, hour, minute, second, tzinfo=UTC) - EPOCH - _offset(part.get("offset", offset))
        )
    except (ValueError, OverflowError):
        return None
    seconds = elapsed // timedelta(seconds=1)
    moment = seconds * SECOND + int(part.get("fraction", "0").ljust(9, "0"))
    return moment if FIRST <= moment <= LAST else None


def _offset(text: str) -> timedelta:
    """Raises ValueError for one of a day or more."""
    if text == "Z":
        return timedelta()
    hours, minutes = int(text[1:3]), int(text[3:].lstrip(":") or 0)
    if hours > 18 or minutes > 59:
        raise ValueError(text)
    offset = timedelta(hours=hours, minutes=minutes)
    return -offset if text[0] == "-" else offset


def _compiled(form: str) -> re.Pattern[str]:
    return re.compile(
        "".join(LETTERS[unit] if is_letter else re.escape(unit) for unit, is_letter in units_of(form)), re.ASCII
    )


def _shortest(number: Decimal) -> Decimal:
    """Whole numbers without a point, others without zeros at their end."""
    return Decimal(int(number)) if number == number.to_integral_value() else number.normalize(EXACT)


def _iso(moment: int) -> str:
    second, nanosecond = divmod(moment, SECOND)
    digits = f"{nanosecond:09d}".rstrip("0")
    fraction = f".{digits.ljust(-(-len(digits) // 3) * 3, '0')}" if digits else ""
    at = _utc(second)
    return f"{at.year:04d}-{at:%m-%dT%H:%M:%S}{fraction}Z"


def _utc(second: int) -> datetime:
    return EPOCH + timedelta(seconds=second)


def _pieces(moment: int, units: tuple[tuple[str, bool], ...]) -> Iterator[str]:
    second, nanosecond = divmod(moment, SECOND)
    at = _utc(second)
    known = {
        "yyyy": f"{at.year:04d}",
        "MM": f"{at.month:02d}",
        "dd": f"{at.day:02d}",
        "HH": f"{at.hour:02d}",
        "mm": f"{at.minute:02d}",
        "ss": f"{at.second:02d}",
        "S": f"{nanosecond:09d}".rstrip("0") or "0",
        "SSS": f"{nanosecond // 10**6:03d}",
        "X": "Z",
        "XX": "Z",
        "XXX": "Z",
        "Z": "+0000",
    }
    for unit, is_letter in units:
        yield known[unit] if is_letter else unit
