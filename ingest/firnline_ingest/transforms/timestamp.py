"""timestamp: times written in another way.

A time is whole nanoseconds since 1970 in between, so that nothing of a fraction is lost. Years are 1 to 9999. A minute has no
60th second, as in most calendars of computers. Patterns have the letters of Java's SimpleDateFormat, as far as they mean the
same everywhere: no names of months.
"""

import re
from collections.abc import Callable, Collection, Iterator
from datetime import UTC, datetime, timedelta
from decimal import ROUND_DOWN, Context, Decimal
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AfterValidator, Field

from firnline_ingest.config.field_path import FieldPaths, steps_of
from firnline_ingest.config.form import Form
from firnline_ingest.config.position import LETTERS, RUNS
from firnline_ingest.config.transform import Transform
from firnline_ingest.records.rejection import Untransformable
from firnline_ingest.records.scalar import Scalar

if TYPE_CHECKING:
    from firnline_ingest.records.chain import Apply, Origin
    from firnline_ingest.records.document import Document

ISO_8601 = "iso8601"
NANOSECONDS = {"seconds": 10**9, "milliseconds": 10**6, "microseconds": 10**3, "nanoseconds": 1}
"""Numbers since 1970, and what one of them is."""
FORMS = {ISO_8601, *NANOSECONDS}
NEEDED = {"y", "M", "d"}

Read = Callable[[Scalar], int | None]
"""None for what is not a time of that form."""
Write = Callable[[int], str | Decimal]

SECOND = 10**9
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST, LAST = -62_135_596_800 * SECOND, 253_402_300_800 * SECOND - 1
PARTS = ("year", "month", "day", "hour", "minute", "second")
EXACT = Context(prec=2000, traps=[])
"""Not that of the thread, which a callable may have changed."""
ISO = (
    r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"
    r"(?:[T ](?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,9})0*)?)?)?"
    r"(?P<offset>Z|[+-]\d\d(?::?\d\d)?)?"
)


def units_of(pattern: str) -> tuple[tuple[str, bool], ...]:
    """Returns its parts in their order: letters with True, plain text with False. Raises ValueError."""
    units: list[tuple[str, bool]] = []
    used = set[str]()
    for unit in (found[0] for found in re.finditer(RUNS, pattern)):
        if not unit[0].isalpha():
            units.append((_plain(unit, pattern), False))
            continue
        if unit not in LETTERS or unit[0].replace("Z", "X") in used:
            raise ValueError(
                f"{pattern!r} is none of {_words()} and no pattern: it has {unit!r}, letters are {', '.join(LETTERS)}"
            )
        used.add(unit[0].replace("Z", "X"))
        units.append((unit, True))
    if not used >= NEEDED:
        raise ValueError(
            f"{pattern!r} is not a pattern of a time; expected a form such as iso8601, or yyyy, MM and dd at least"
        )
    return tuple(units)


def _words() -> str:
    return ", ".join(sorted(FORMS))


def _plain(unit: str, pattern: str) -> str:
    if unit == "'":
        raise ValueError(f"{pattern!r} has a single quote without its pair")
    return unit[1:-1].replace("''", "'") if len(unit) > 2 else unit.replace("''", "'")


def _is_form(form: str) -> str:
    if form not in FORMS:
        units_of(form)
    return form


TimeForm = Annotated[str, AfterValidator(_is_form)]


class TimestampTransform(Transform):
    """Writes times in another way."""

    order = 90

    type: Literal["timestamp"]
    """Times written in another way."""
    fields: Annotated[list[FieldPaths], Field(min_length=1)]
    """The times; null stays null, and one that is not there is not written."""
    read: TimeForm = "iso8601"
    """How they are written: `iso8601` (2026-01-31T12:00:00.5Z), a number of `seconds`, `milliseconds`, `microseconds` or
    `nanoseconds` since 1970, or a pattern such as yyyy-MM-dd HH:mm:ss, whose letters are yyyy, MM, dd, HH, mm, ss, S or SSS, an
    offset (X, XX, XXX or Z), and text between single quotes."""
    write: TimeForm = "iso8601"
    """How they are to be written, in the same words. Text is in UTC; iso8601 has no fraction, or 3, 6 or 9 digits of one."""
    offset: Annotated[str, Form(r"Z|[+-](0\d|1[0-8]):[0-5]\d", "Z or an offset of hours and minutes", "+01:00")] = "Z"
    """Of times that are read without one. Zones with names are not taken: what they mean depends on the machine."""

    @property
    def paths(self) -> Collection[str]:
        return self.fields

    def compiled(self) -> "Apply":
        paths = [(path, steps_of(path)) for path in self.fields]
        read, write = reader(self.read, self.offset), writer(self.write)

        def apply(document: "Document", _: "Origin") -> None:
            for path, steps in paths:
                for holder, key in document.places(steps):
                    known = document.scalar(holder[key])
                    if known is None:
                        continue
                    moment = read(known)
                    if moment is None:
                        raise Untransformable(f"{path} is not a time that is written as {self.read}")
                    made = write(moment)
                    document.put(holder, key, document.encoded(made) if isinstance(made, str) else f"{made:f}".encode())

        return apply


def reader(form: str, offset: str) -> Read:
    """`offset`: of times that say none."""
    if form in NANOSECONDS:
        unit = NANOSECONDS[form]
        return lambda value: _of_number(value, unit)
    pattern = re.compile(ISO, re.ASCII) if form == ISO_8601 else _compiled(form)
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
