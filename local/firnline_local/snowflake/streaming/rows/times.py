"""Dates and times in the forms that Snowflake recognises by itself: ISO 8601 text, and integers counted from 1970.

An integer is seconds, milliseconds, microseconds or nanoseconds by its size (documentation,
`date-time-input-output`, auto-detection of integer-stored values). Everything is UTC where no zone is given, because the
streaming service works in UTC. The store keeps microseconds, so finer digits are cut off.
"""

import re
from datetime import UTC, date, datetime, time, timedelta

SECONDS_BELOW, MILLISECONDS_BELOW, MICROSECONDS_BELOW = 31_536_000_000, 31_536_000_000_000, 31_536_000_000_000_000
INTEGER = re.compile(r"[+-]?\d+")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


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
