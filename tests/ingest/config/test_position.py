"""The forms in which a beginning may be written."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firnline_ingest.config.document import parse
from firnline_ingest.config.position import InitialPosition, parse_moment
from firnline_ingest.errors import ConfigError

FLINK = "yyyy-MM-dd'T'HH:mm:ss.SSSXXX"
MOMENT = datetime(2026, 1, 31, 5, 0, tzinfo=UTC)


def read(timestamp: object, form: str | None = None) -> InitialPosition:
    written: dict[str, Any] = {"at": "AT_TIMESTAMP", "timestamp": timestamp}
    return parse(InitialPosition, written if form is None else {**written, "timestamp_format": form}, "engine.json")


@pytest.mark.parametrize(
    ("timestamp", "form"),
    [
        ("2026-01-31T05:00:00Z", None),
        ("2026-01-31T06:00:00+01:00", None),
        (1769835600, None),
        ("1769835600", None),
        (1769835600.0, None),
        ("2026-01-31T06:00:00.000+01:00", FLINK),
        ("2026-01-31T05:00:00.000Z", FLINK),
        ("31.01.2026 06:00 +0100", "dd.MM.yyyy HH:mm Z"),
        ("at 06 o'clock on 2026-01-31 +01", "'at' HH 'o''clock on' yyyy-MM-dd X"),
    ],
)
def test_one_moment_in_several_forms(timestamp: object, form: str | None) -> None:
    assert read(timestamp, form).timestamp == MOMENT


def test_a_fraction_of_a_second_is_kept() -> None:
    assert read(1769835600.5).timestamp == MOMENT + timedelta(milliseconds=500)
    assert read("2026-01-31T05:00:00.500Z", FLINK).timestamp == MOMENT + timedelta(milliseconds=500)


def test_a_document_that_is_written_again_reads_the_same() -> None:
    position = read("31.01.2026 06:00 +0100", "dd.MM.yyyy HH:mm Z")
    assert InitialPosition.model_validate_json(position.model_dump_json()) == position


@pytest.mark.parametrize(
    ("timestamp", "form", "problem"),
    [
        ("2026-01-31T05:00:00", None, "needs an offset"),
        ("yesterday", None, "timestamp"),
        (1769835600000, None, "looks like milliseconds"),
        ("2026-01-31", FLINK, "is not written as timestamp_format says"),
        ("2026-02-31T05:00:00.000Z", FLINK, "is not a time"),
        ("2026-01-31", "yyyy-MM-dd", "needs a year (yyyy) and an offset"),
        ("2026 Jan", "yyyy MMM", "has 'MMM', which is none of"),
        ("2026", "yyyy'", "single quote without its pair"),
        ("x", "yyyy yyyy X", "each once"),
    ],
)
def test_what_can_not_be_read_is_refused(timestamp: object, form: str | None, problem: str) -> None:
    with pytest.raises(ConfigError) as refused:
        read(timestamp, form)
    assert problem in str(refused.value)


def test_a_format_needs_a_timestamp() -> None:
    with pytest.raises(ConfigError, match="timestamp_format is given with a timestamp"):
        parse(InitialPosition, {"at": "LATEST", "timestamp_format": FLINK}, "engine.json")


@given(st.datetimes(min_value=datetime(1970, 1, 2), max_value=datetime(2200, 1, 1)), st.integers(-14 * 60, 14 * 60))
def test_what_flinks_default_format_writes_is_read(local: datetime, minutes: int) -> None:
    moment = local.replace(microsecond=local.microsecond // 1000 * 1000, tzinfo=timezone(timedelta(minutes=minutes)))
    assert parse_moment(moment.isoformat(timespec="milliseconds"), FLINK) == moment
