"""Positions where a shard is begun that no engine has read, and the forms in which a document may write a time."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Self

from pydantic import Field, model_validator

from firnline_ingest.config.document import Section

LATEST_SECONDS = 20_000_000_000
"""In the year 2603: a larger number is one of milliseconds."""
SECONDS = r"\d+(\.\d+)?"
RUNS = r"''|'(?:[^']|'')+'|([A-Za-z])\1*|[^A-Za-z']|'"
OFFSET = r"(?P<offset>Z|[+-]\d\d(?::?\d\d)?)"
LETTERS = {
    "yyyy": r"(?P<year>\d{4})",
    "MM": r"(?P<month>\d\d)",
    "dd": r"(?P<day>\d\d)",
    "HH": r"(?P<hour>\d\d)",
    "mm": r"(?P<minute>\d\d)",
    "ss": r"(?P<second>\d\d)",
    "S": r"(?P<fraction>\d{1,9})",
    "SSS": r"(?P<fraction>\d{3})",
    "X": OFFSET,
    "XX": OFFSET,
    "XXX": OFFSET,
    "Z": OFFSET,
}
"""Of a format, as Java's SimpleDateFormat has them, and Flink's connector."""


class StartAt(StrEnum):
    """A place in a shard."""

    TRIM_HORIZON = "TRIM_HORIZON"
    """The oldest record that the stream still has."""
    LATEST = "LATEST"
    """Records that arrive from now on; the ones before are skipped for good."""
    AT_TIMESTAMP = "AT_TIMESTAMP"
    """Records that arrived at or after a time."""


class InitialPosition(Section):
    """The position at which reading begins in a shard that the ledger has never seen; ignored ever after."""

    at: StartAt = Field(default=StartAt.TRIM_HORIZON, strict=False)
    """TRIM_HORIZON by default, because nothing should be missed silently."""
    timestamp: datetime | None = Field(default=None, strict=False)
    """With AT_TIMESTAMP: ISO 8601 with an offset, seconds since 1970 (1767225600.5), or what `timestamp_format` says; records
    that arrived at or after it are read. One that has not come yet is refused at the start."""
    timestamp_format: str | None = None
    """How `timestamp` is written, where not as above: yyyy, MM, dd, HH, mm, ss, SSS, an offset (X, XX, XXX or Z), and text
    between single quotes, as in yyyy-MM-dd'T'HH:mm:ss.SSSXXX."""

    @model_validator(mode="before")
    @classmethod
    def _as_iso_8601(cls, found: Any) -> Any:
        """Writes plainly what was read once: a document that is written again has no format any more."""
        if not isinstance(found, Mapping) or not isinstance(found.get("timestamp"), str | int | float):
            return found
        rest = {name: value for name, value in found.items() if name not in ("timestamp", "timestamp_format")}
        return {**rest, "timestamp": _moment(found["timestamp"], found.get("timestamp_format"))}

    @model_validator(mode="after")
    def _timestamp_belongs_to_at_timestamp(self) -> Self:
        if (self.at is StartAt.AT_TIMESTAMP) != (self.timestamp is not None):
            raise ValueError("timestamp is given with AT_TIMESTAMP, and only then")
        if self.timestamp is not None and self.timestamp.tzinfo is None:
            raise ValueError("timestamp needs an offset, for example 2026-01-31T00:00:00Z")
        if self.timestamp_format is not None:
            raise ValueError("timestamp_format is given with a timestamp that is text, and only then")
        return self


def _moment(written: str | float, form: object) -> Any:
    """A datetime, or what is left to be read as ISO 8601. Raises ValueError."""
    text = str(written)
    if form is not None:
        return parse_moment(text, str(form))
    if not re.fullmatch(SECONDS, text):
        return written
    if float(text) > LATEST_SECONDS:
        raise ValueError(f"timestamp has seconds since 1970, and {text} looks like milliseconds: divide it by 1000")
    return datetime.fromtimestamp(float(text), UTC)


def parse_moment(text: str, form: str) -> datetime:
    """Raises ValueError for a format that is none, and for text that is not written so."""
    found = re.fullmatch(_pattern_of(form), text)
    if found is None:
        raise ValueError(f"timestamp {text!r} is not written as timestamp_format says: {form!r}")
    part = found.groupdict()
    date = f"{part['year']}-{part.get('month') or '01'}-{part.get('day') or '01'}"
    time = f"{part.get('hour') or '00'}:{part.get('minute') or '00'}:{part.get('second') or '00'}"
    fraction = (part.get("fraction") or "0").ljust(6, "0")[:6]
    try:
        return datetime.fromisoformat(f"{date}T{time}.{fraction}{part['offset']}")
    except ValueError as error:
        raise ValueError(f"timestamp {text!r} is not a time: {error}") from None


def _pattern_of(form: str) -> str:
    pattern, used = "", set[str]()
    for unit in (found[0] for found in re.finditer(RUNS, form)):
        if unit[0].isalpha():
            if unit not in LETTERS or unit[0] in used:
                raise ValueError(f"timestamp_format has {unit!r}, which is none of {', '.join(LETTERS)}, each once")
            used.add("X" if unit == "Z" else unit[0])  # an offset is one, however it is written
            pattern += LETTERS[unit]
        elif unit == "'":
            raise ValueError("timestamp_format has a single quote without its pair")
        else:
            plain = unit[1:-1].replace("''", "'") if len(unit) > 2 else unit.replace("''", "'")
            pattern += re.escape(plain)
    if not {"y", "X"} <= used:
        raise ValueError(
            "timestamp_format needs a year (yyyy) and an offset (XXX), because times differ from place to place"
        )
    return pattern
