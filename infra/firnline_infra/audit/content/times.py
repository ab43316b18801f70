"""Dates and times: what a payload's text or integer means, in the notations that everybody reads alike.

Anything else (Snowflake recognises many more by itself) is left unchecked rather than guessed. Microseconds are
compared: the connector's values have no finer digits.
"""

from datetime import UTC, date, datetime, time, timedelta

# docs.snowflake.com/en/user-guide/date-time-input-output: integers are seconds, milliseconds, ... by their size
UNITS_PER_S = ((31_536_000_000, 1), (31_536_000_000_000, 1_000), (31_536_000_000_000_000, 1_000_000))
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def moment(sent: object) -> datetime | None:
    """None for what is no ISO 8601 text and no integer."""
    text = str(sent) if isinstance(sent, int) and not isinstance(sent, bool) else sent
    if not isinstance(text, str):
        return None
    text = text.strip()
    try:
        return _since_epoch(int(text)) if text.lstrip("+-").isdecimal() else datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        return None


def is_same_time(sent: object, kept: object) -> bool | None:
    """None where the audit can't tell. A time without a zone is UTC; a column without one keeps the clock's reading."""
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
