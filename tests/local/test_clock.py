from datetime import UTC, datetime, timedelta

import pytest

from firnline_local.clock import milliseconds
from firnline_local.kinesis import ManualClock, SystemClock


def test_a_manual_clock_stands_still_until_it_is_moved() -> None:
    clock = ManualClock(datetime(2026, 3, 1, tzinfo=UTC))
    assert clock() == clock() == datetime(2026, 3, 1, tzinfo=UTC)
    clock.advance(hours=1, minutes=2, seconds=3)
    assert clock() == datetime(2026, 3, 1, 1, 2, 3, tzinfo=UTC)


def test_a_system_clock_that_was_put_ahead_runs_on_from_there() -> None:
    clock = SystemClock()
    clock.advance(hours=25)
    first, second = clock(), clock()
    assert first <= second
    assert timedelta(hours=24) < first - datetime.now(UTC) <= timedelta(hours=25)


def test_a_clock_never_goes_back() -> None:
    for clock in (ManualClock(), SystemClock()):
        with pytest.raises(ValueError, match="forward"):
            clock.advance(seconds=-1)


def test_milliseconds_are_rounded_down() -> None:
    assert milliseconds(datetime(1970, 1, 1, 0, 0, 1, 1999, tzinfo=UTC)) == 1001
