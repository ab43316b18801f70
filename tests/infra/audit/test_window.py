from datetime import UTC, datetime

import pytest

from firnline_infra.audit.errors import EndInTheFuture, StartUnknown
from firnline_infra.audit.outcome import ClaimStatus, StreamRecord
from firnline_infra.audit.window import HOUR_MS, TOLERANCE_MS, AuditWindow, RetentionCutoff, arrival_ms, arrival_text
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.user_record import UserRecord
from firnline_ingest.values import Position

SERVER_MS = 1_700_000_000_000


def at(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC)


def window_of(
    position: dict[str, str] | None = None, *, since: int | None = None, until: int | None = None
) -> AuditWindow:
    document = {"stream": "s", "database": "D", "schema": "S", "initial_position": position or {}}
    return AuditWindow.of(
        PipelineConfig.model_validate(document),
        server_ms=SERVER_MS,
        since=None if since is None else at(since),
        until=None if until is None else at(until),
    )


def statuses(window: AuditWindow, *arrivals_ms: int | None) -> list[ClaimStatus]:
    records = [Record(str(number), b"", "", None if ms is None else ms / 1000) for number, ms in enumerate(arrivals_ms)]
    return [record.status for record in window.records(records)]


def test_the_second_in_which_the_audit_began_is_in_the_claim() -> None:
    assert statuses(window_of(), SERVER_MS - 1, SERVER_MS + 999, SERVER_MS + 1000) == [
        ClaimStatus.CLAIMED,
        ClaimStatus.CLAIMED,
        ClaimStatus.AFTER_CLAIM,
    ]


def test_the_first_record_that_is_too_late_ends_the_claim_as_it_does_in_the_engine() -> None:
    window = window_of(until=SERVER_MS - 5000)
    assert statuses(window, SERVER_MS - 5000, SERVER_MS, SERVER_MS - 6000) == [
        ClaimStatus.CLAIMED,
        ClaimStatus.AFTER_CLAIM,
        ClaimStatus.AFTER_CLAIM,
    ]


def test_a_claim_cant_reach_into_the_future() -> None:
    with pytest.raises(EndInTheFuture, match=r"2023-11-14T22:13:21\.000Z"):
        window_of(until=SERVER_MS + 1000)


def test_a_pipeline_that_began_at_a_timestamp_owes_nothing_from_before() -> None:
    window = window_of({"at": "AT_TIMESTAMP", "timestamp": "2023-11-14T22:00:00Z"})
    began_ms = 1_699_999_200_000
    assert statuses(window, began_ms - 1, began_ms, began_ms - 1) == [
        ClaimStatus.BEFORE_CLAIM,
        ClaimStatus.CLAIMED,
        ClaimStatus.CLAIMED,
    ]


def test_latest_is_a_moment_that_only_the_books_know() -> None:
    with pytest.raises(StartUnknown, match="LATEST"):
        window_of({"at": "LATEST"})


def test_the_moment_of_latest_can_be_named() -> None:
    window = window_of({"at": "LATEST"}, since=SERVER_MS - 1000)
    assert statuses(window, SERVER_MS - 1001, SERVER_MS - 1000) == [ClaimStatus.BEFORE_CLAIM, ClaimStatus.CLAIMED]


def test_a_record_without_an_arrival_is_claimed() -> None:
    assert statuses(window_of(since=SERVER_MS), None) == [ClaimStatus.CLAIMED]


def test_what_an_audit_needs_of_a_record_is_taken_over() -> None:
    read = Record("49" * 28, b"{}", "key", 1_699_999_999.123)
    (record,) = window_of().records([read])
    assert record == StreamRecord(int("49" * 28), b"{}", ClaimStatus.CLAIMED, "key", 1_699_999_999_123, read=read)


NOW_MS = 1_700_000_000_000


def cutoff(*, created_ms: int = 0) -> RetentionCutoff:
    return RetentionCutoff.of(now_ms=NOW_MS, retention_hours=24, created_ms=created_ms, rows_have_arrival=True)


def test_what_arrived_within_the_retention_is_kept() -> None:
    assert cutoff().kept_since_ms == NOW_MS - 24 * HOUR_MS + TOLERANCE_MS


def test_nothing_was_kept_from_before_the_stream_was_made() -> None:
    assert cutoff(created_ms=NOW_MS - HOUR_MS).kept_since_ms == NOW_MS - HOUR_MS


def test_a_time_is_written_as_the_metadata_writes_it() -> None:
    assert arrival_text(1_763_725_995_007) == "2025-11-21T11:53:15.007Z"


@pytest.mark.parametrize("ms", [0, 999, 1_763_725_995_007, 1_763_725_995_000])
def test_an_arrival_is_read_as_it_was_written(ms: int) -> None:
    assert arrival_ms(arrival_text(ms)) == ms


@pytest.mark.parametrize("text", [None, "", "yesterday"])
def test_what_is_no_time_is_no_arrival(text: str | None) -> None:
    assert arrival_ms(text) is None


def test_what_the_consumer_took_in_that_was_migrated_from_is_told_apart_by_its_place() -> None:
    """Inside of an aggregate too; the other shard's records are claimed."""
    window = AuditWindow(None, SERVER_MS, {"shard": Position(5, 1)})
    records = [UserRecord("5", b"", "", None, sub) for sub in range(3)] + [Record("6", b"", "", None)]
    assert [each.status for each in window.records(records, "shard")] == [
        ClaimStatus.TAKEN_BEFORE,
        ClaimStatus.TAKEN_BEFORE,
        ClaimStatus.CLAIMED,
        ClaimStatus.CLAIMED,
    ]
    assert {each.status for each in window.records(records, "other")} == {ClaimStatus.CLAIMED}
