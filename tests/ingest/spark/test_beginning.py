"""Until when a bounded run reads: now by the service's clock, or a time that is given and has come."""

import logging
from datetime import UTC, datetime
from typing import Any

import pytest

from firnline_ingest.__main__ import main
from firnline_ingest.kinesis.pin import EndInFuture, WindowEmpty
from firnline_ingest.native import Native
from firnline_ingest.spark import beginning
from firnline_ingest.spark.beginning import bound_ms, log_started
from tests.ingest.spark import standing_in

NOW_MS = 1_795_000_000_000


@pytest.fixture(autouse=True)
def service_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beginning, "kinesis_client", lambda *_, **__: None)
    monkeypatch.setattr(beginning, "server_time_ms", lambda *_: NOW_MS)


def until(text: str | None, **changes: Any) -> int:
    config = standing_in.config(**changes)
    moment = datetime.fromisoformat(text) if text else None
    return bound_ms(config, config.pipelines, lambda _: False, moment)


def test_without_a_time_it_is_the_second_that_the_service_tells() -> None:
    assert until(None) == NOW_MS + 1000


def test_with_one_it_is_that_to_the_millisecond() -> None:
    assert until("2026-11-18T00:00:00.250+01:00") == 1_794_956_400_250


def test_one_that_has_not_come_is_refused_by_the_services_clock() -> None:
    later = datetime.fromtimestamp(NOW_MS / 1000 + 60, UTC).isoformat()
    with pytest.raises(EndInFuture, match="--available-now reads what has arrived by now"):
        until(later)


def test_a_drain_ends_before_all_records_wherever_the_pipeline_begins() -> None:
    start = {"at": "AT_TIMESTAMP", "timestamp": "2026-11-17T00:00:00Z"}
    pipelines = [{"stream": "orders", "database": "DB", "schema": "RAW", "initial_position": start}]
    assert until("1970-01-01T00:00:00Z", pipelines=pipelines) == 0


def test_one_before_the_pipelines_beginning_is_refused() -> None:
    start = {"at": "AT_TIMESTAMP", "timestamp": "2026-11-17T00:00:00Z"}
    pipelines = [{"stream": "orders", "database": "DB", "schema": "RAW", "initial_position": start}]
    with pytest.raises(WindowEmpty, match=r"'orders' is to be read from 2026-11-17.* until 2026-11-17T00:59:59"):
        until("2026-11-17T00:59:59+01:00", pipelines=pipelines)
    assert until("2026-11-17T01:00:00+01:00", pipelines=pipelines)


@pytest.mark.parametrize("text", ["2026-11-18T00:00:00", "yesterday"])
def test_one_without_an_offset_is_a_usage_error(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["run", "--config", "engine.json", "--until", text])
    assert "for example 2026-01-31T12:00:00Z" in capsys.readouterr().err


def test_the_log_of_the_start_names_what_makes_the_rows(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beginning, "native", lambda: Native(None, "firnline-native is not installed"))
    with caplog.at_level(logging.INFO):
        log_started(standing_in.config(), "run-0")
    (line,) = caplog.records
    assert (line.msg, vars(line)["rows_by"]) == ("engine.started", "Python (firnline-native is not installed)")
