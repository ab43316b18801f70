"""Tests of how long rows took, from what the table itself says."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from firnline_infra.audit.errors import LatencyUnknown, QueryFailed
from firnline_infra.audit.latency import LatencyReport, Spread, _rows, latencies_of, latency_of
from firnline_infra.cli.latency import text_of
from firnline_ingest.config.model import PipelineConfig

METADATA = '{"stream": "orders", "approximateArrival": "2020-01-01T00:00:01.000Z"}'
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def pipeline(**more: Any) -> PipelineConfig:
    place = {"stream": "orders", "database": "LATENCY", "schema": "S", "table": "T"}
    return PipelineConfig.model_validate({**place, **more})


def told(*rows: tuple[Any, ...], produced_at: str | None = "AT", **more: Any) -> LatencyReport:
    """Measures rows that have arrival, visibility, production and, where they are four, the time of their push."""
    whole = [(*row, None)[:4] for row in rows]
    answers = iter([whole, [(7, 3)]])
    return latency_of(pipeline(**more), lambda _: next(answers), now=NOW, minutes=60, produced_at=produced_at)


def test_quantiles_are_of_the_rows_that_tell() -> None:
    arrived = "2026-03-01T11:00:00.000Z"
    rows = [(arrived, NOW - timedelta(hours=1, milliseconds=-each), None) for each in range(1, 102)]
    found = told(*rows, (None, NOW, None), ("no time", NOW, None))
    assert found.arrived_to_visible == Spread(rows=101, p50_ms=51, p95_ms=96, p99_ms=100, max_ms=101)
    assert (found.produced_to_arrived, found.produced_to_visible) == (None, None)
    assert Spread.of([]) is None


@pytest.mark.parametrize(
    "produced",
    [
        datetime(2026, 3, 1, 10, 59, 58), datetime(2026, 3, 1, 10, 59, 58, tzinfo=UTC), "2026-03-01T11:59:58+01:00",
        1772362798, Decimal(1772362798000), "1772362798000", 1772362798.0,
    ],
)  # fmt: skip # a paragraph, not a column
def test_a_producers_time_is_read_in_the_forms_that_producers_have(produced: object) -> None:
    found = told(("2026-03-01T11:00:00.000Z", NOW - timedelta(minutes=59, seconds=57), produced))
    assert (found.produced_to_arrived, found.produced_to_visible) == (Spread.of([2000]), Spread.of([5000]))


@pytest.mark.parametrize("produced", [None, True, "yesterday", ""])
def test_what_is_no_time_tells_nothing(produced: object) -> None:
    assert told(("2026-03-01T11:00:00.000Z", NOW, produced)).produced_to_visible is None


PUSHED = {"metadata": {"push_time": True}}


def test_the_time_in_the_engine_is_told_by_itself() -> None:
    row = ("2026-03-01T11:00:00.000Z", datetime(2026, 3, 1, 11, 0, 4, tzinfo=UTC), None, "2026-03-01T11:00:01.500Z")
    found = told(row, **PUSHED)
    assert (found.arrived_to_pushed, found.pushed_to_visible) == (Spread.of([1500]), Spread.of([2500]))
    assert told(row[:3]).pushed_to_visible is None
    lines = [line for line in text_of([found]).splitlines() if " to " in line]
    assert [line.split("  ")[1].strip() for line in lines] == [
        "Kinesis to engine",
        "engine to visible",
        "Kinesis to visible",
    ]


def test_clocks_that_disagree_are_named_and_change_nothing_else() -> None:
    """A producer's that is five seconds ahead, an engine's that is two behind."""
    visible = datetime(2026, 3, 1, 11, 0, 3, tzinfo=UTC)
    row = ("2026-03-01T11:00:00.000Z", visible, "2026-03-01T11:00:05Z", "2026-03-01T10:59:58.000Z")
    found = told(row, row, **PUSHED)
    assert found.produced_to_arrived == Spread(
        rows=2, p50_ms=-5000, p95_ms=-5000, p99_ms=-5000, max_ms=-5000, negative=2
    )
    assert found.arrived_to_visible == Spread(rows=2, p50_ms=3000, p95_ms=3000, p99_ms=3000, max_ms=3000)
    less = "2 of 2 rows took less than nothing, so"
    assert found.remarks == (
        f"producer to Kinesis: {less} the producer's clock is ahead of Kinesis', by 5.0 s at least.",
        f"Kinesis to engine: {less} Kinesis' clock is ahead of the engine's, by 2.0 s at least.",
        f"producer to visible: {less} the producer's clock is ahead of Snowflake's, by 2.0 s at least.",
    )
    assert all(remark in text_of([found]) for remark in found.remarks)


def test_rows_that_say_nothing_of_a_time_are_counted() -> None:
    row = ("2026-03-01T11:00:00.000Z", NOW, None)
    found = told(row, (None, NOW, None), ("no time", NOW, "soon"))
    (remark,) = found.remarks
    assert remark.startswith(
        "2 of 3 rows say not when Kinesis took their records: metadata.approximate_arrival was off"
    )
    assert told(produced_at=None).remarks == (
        "No row became visible in the last 60 minutes. The table has 7 rows of the stream; 4 of them are from before "
        "row_timestamp was switched on, and have no time.",
    )


def test_metadata_without_an_arrival_is_told_before_anything_is_asked() -> None:
    silent = pipeline(metadata={"approximate_arrival": False})
    with pytest.raises(LatencyUnknown, match="approximate_arrival is off"):
        latency_of(silent, lambda _: pytest.fail("asked"), now=NOW, minutes=1)


def test_the_page_has_a_line_for_each_part() -> None:
    text = text_of([told(("2026-03-01T11:00:00.000Z", NOW - timedelta(minutes=59), 1772362798)), told()])
    lines = [line for line in text.splitlines() if " to " in line]
    assert [line.split()[-2:] for line in lines] == [["2.0", "s"], ["60.0", "s"], ["62.0", "s"], ["visible", "0"]]


def test_each_table_of_a_pipeline_with_routes_tells_its_own() -> None:
    routed = pipeline(routes={"key": "kind", "tables": {"order": "ORDERS", "refund": "ICE"}})
    took = timedelta(milliseconds=1500)

    def of(into: PipelineConfig) -> LatencyReport:
        def rows(statement: str) -> list[tuple[Any, ...]]:
            if '"ICE"' in statement:
                raise QueryFailed("how long", "invalid identifier 'METADATA$ROW_LAST_COMMIT_TIME'")
            if "COUNT(" in statement:
                return [(0, 0)]
            row = ("2026-03-01T11:00:00.000Z", NOW - timedelta(hours=1) + took, None, None)
            return [row] if '"ORDERS"' in statement else []

        return latency_of(into, rows, now=NOW, minutes=60)

    found = latencies_of(routed, of)
    assert [each.table for each in found] == ["LATENCY.S.T", "LATENCY.S.ORDERS", "LATENCY.S.ICE"]
    assert [each.arrived_to_visible for each in found] == [None, Spread.of([1500]), None]
    text = text_of(found)
    assert "LATENCY.S.ICE: not known, because it keeps no commit times." in text
    assert [line.split()[0] for line in text.splitlines() if line.startswith("LATENCY") and "1.5 s" in line] == [
        "LATENCY.S.ORDERS"
    ]
    with pytest.raises(LatencyUnknown):
        latencies_of(pipeline(table="ICE"), of)


@pytest.fixture
def table(local_environment: Any) -> Iterator[Any]:
    """A session, with rows in a table that keeps commit times."""
    with closing(local_environment.connect("admin")) as session:
        for statement in (
            "CREATE DATABASE LATENCY",
            "CREATE SCHEMA LATENCY.S",
            "CREATE TABLE LATENCY.S.T (KINESISMETADATA OBJECT, AT TIMESTAMP_NTZ) ROW_TIMESTAMP = TRUE",
            'INSERT INTO LATENCY.S.T SELECT PARSE_JSON(\'{"stream":"orders","approximateArrival":"2020-01-01T00:00:01.000Z"}\')'
            "::OBJECT, '2020-01-01T00:00:00'::TIMESTAMP_NTZ",
            'INSERT INTO LATENCY.S.T SELECT PARSE_JSON(\'{"stream":"others"}\')::OBJECT, NULL',
        ):
            _rows(session, statement)
        yield session
        _rows(session, "DROP DATABASE LATENCY")


def test_the_table_itself_is_asked_and_another_streams_rows_are_not_counted(table: Any) -> None:
    found = latency_of(pipeline(), partial(_rows, table), now=datetime.now(UTC), minutes=5, produced_at="at")
    assert found.produced_to_arrived == Spread.of([1000])
    assert found.arrived_to_visible is not None
    assert found.arrived_to_visible.rows == 1
    late = datetime.now(UTC) + timedelta(hours=1)
    assert latency_of(pipeline(), partial(_rows, table), now=late, minutes=5).arrived_to_visible is None
    _rows(table, "ALTER TABLE LATENCY.S.T SET ROW_TIMESTAMP = FALSE")
    with pytest.raises(LatencyUnknown, match="row_timestamp: true"):
        latency_of(pipeline(), partial(_rows, table), now=late, minutes=5)
    with pytest.raises(QueryFailed):
        latency_of(pipeline(table="NOT_THERE"), partial(_rows, table), now=late, minutes=5)
