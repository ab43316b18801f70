import pytest

from firnline_infra.audit.horizon import HOUR_MS, TOLERANCE_MS, Horizon, arrival_ms, arrival_text

NOW_MS = 1_700_000_000_000


def horizon(*, created_ms: int = 0) -> Horizon:
    return Horizon.of(now_ms=NOW_MS, retention_hours=24, created_ms=created_ms, rows_say_when=True)


def test_what_arrived_within_the_retention_is_kept() -> None:
    assert horizon().kept_since_ms == NOW_MS - 24 * HOUR_MS + TOLERANCE_MS


def test_nothing_was_kept_from_before_the_stream_was_made() -> None:
    assert horizon(created_ms=NOW_MS - HOUR_MS).kept_since_ms == NOW_MS - HOUR_MS


def test_its_text_is_an_arrival_as_the_metadata_writes_it() -> None:
    assert Horizon(1_763_725_995_007).text == "2025-11-21T11:53:15.007Z"


@pytest.mark.parametrize("ms", [0, 999, 1_763_725_995_007, 1_763_725_995_000])
def test_an_arrival_is_read_as_it_was_written(ms: int) -> None:
    assert arrival_ms(arrival_text(ms)) == ms


@pytest.mark.parametrize("text", [None, "", "yesterday"])
def test_what_is_no_time_is_no_arrival(text: str | None) -> None:
    assert arrival_ms(text) is None
