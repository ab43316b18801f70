"""Google's Timestamp and Duration as texts (timestamp.proto, duration.proto). Pure; out of their range is a ValueError."""

from datetime import UTC, datetime

FIRST_S, LAST_S = -62_135_596_800, 253_402_300_799  # of the years 1 to 9999
MOST_S = 315_576_000_000  # of a duration: 10,000 years
SECOND = 1_000_000_000
DAY_S = 86_400
EPOCH_DAY = datetime(1970, 1, 1, tzinfo=UTC).toordinal()


def timestamp_text(seconds: int, nanos: int) -> str:
    """ISO 8601 in UTC, with no, three, six or nine digits of a second."""
    if not (FIRST_S <= seconds <= LAST_S and 0 <= nanos < SECOND):
        raise ValueError(f"a timestamp of {seconds} s and {nanos} ns")
    day, second = divmod(seconds, DAY_S)
    date = datetime.fromordinal(EPOCH_DAY + day)
    hour, minute, second = second // 3600, second // 60 % 60, second % 60
    return f"{date:%Y-%m-%d}".rjust(10, "0") + f"T{hour:02}:{minute:02}:{second:02}{_fraction(nanos)}+00:00"


def duration_text(seconds: int, nanos: int) -> str:
    """Seconds as JSON's mapping has them: 1.500s."""
    if not (abs(seconds) <= MOST_S and abs(nanos) < SECOND) or seconds * nanos < 0:
        raise ValueError(f"a duration of {seconds} s and {nanos} ns")
    sign = "-" if seconds < 0 or nanos < 0 else ""
    return f"{sign}{abs(seconds)}{_fraction(abs(nanos))}s"


def _fraction(nanos: int) -> str:
    if not nanos:
        return ""
    digits = f"{nanos:09}"
    for places in (3, 6):
        if not digits[places:].strip("0"):
            return f".{digits[:places]}"
    return f".{digits}"
