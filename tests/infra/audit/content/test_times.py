from datetime import UTC, date, datetime, time, timedelta, timezone

import pytest

from firnline_infra.audit.content.times import is_same_time

NOON = datetime(2026, 1, 31, 12, 0, 0, 123456)
CET = timezone(timedelta(hours=1))


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("2026-01-31T12:00:00.123456", NOON),
        ("2026-01-31 12:00:00.123456", NOON),
        ("2026-01-31T12:00:00.123456789", NOON),
        ("2026-01-31T12:00:00.123456+01:00", NOON),  # a column without a zone keeps the clock's reading
        ("2026-01-31T12:00:00.123456Z", NOON.replace(tzinfo=UTC)),
        ("2026-01-31T12:00:00.123456", NOON.replace(tzinfo=UTC)),
        ("2026-01-31T12:00:00.123456Z", NOON.replace(hour=13, tzinfo=CET)),
        (1769860800, NOON.replace(microsecond=0)),
        (1769860800123, NOON.replace(microsecond=123000)),
        (1769860800123456, NOON),
        (1769860800123456789, NOON),
        ("1769860800", NOON.replace(microsecond=0)),
        ("2026-01-31", date(2026, 1, 31)),
        ("2026-01-31T23:59:59", date(2026, 1, 31)),
        ("12:00:00.5", time(12, 0, 0, 500000)),
        (1769860800, time(12)),
    ],
)
def test_it_is_the_same_time_in_the_notations_that_everybody_reads_alike(sent: object, kept: object) -> None:
    assert is_same_time(sent, kept) is True


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("2026-01-31T12:00:00.123457", NOON),
        ("2026-01-31T12:00:00.123456+01:00", NOON.replace(tzinfo=UTC)),
        ("2026-02-01", date(2026, 1, 31)),
        ("12:00:01", time(12)),
        (1769860801, NOON.replace(microsecond=0)),
    ],
)
def test_another_time_is_another_time(sent: object, kept: object) -> None:
    assert is_same_time(sent, kept) is False


@pytest.mark.parametrize("sent", ["31-JAN-2026", "Sat Jan 31 2026", True, 1.5, {}, 10**40])
def test_what_only_snowflake_reads_is_left_unchecked(sent: object) -> None:
    assert is_same_time(sent, NOON) is None
