from datetime import UTC, datetime

import pytest

from firnline_infra.audit.claim import Claim
from firnline_infra.audit.errors import EndInTheFuture, StartUnknown
from firnline_infra.audit.outcome import Standing
from firnline_ingest.config.model import Pipeline
from firnline_ingest.kinesis.page import Record

SERVER_MS = 1_700_000_000_000


def at(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, UTC)


def claim_of(position: dict[str, str] | None = None, *, since: int | None = None, until: int | None = None) -> Claim:
    document = {"stream": "s", "database": "D", "schema": "S", "initial_position": position or {}}
    return Claim.of(
        Pipeline.model_validate(document),
        server_ms=SERVER_MS,
        since=None if since is None else at(since),
        until=None if until is None else at(until),
    )


def standings(claim: Claim, *arrivals_ms: int | None) -> list[Standing]:
    records = [Record(str(number), b"", "", None if ms is None else ms / 1000) for number, ms in enumerate(arrivals_ms)]
    return [record.standing for record in claim.records(records)]


def test_the_second_in_which_the_audit_began_is_in_the_claim() -> None:
    assert standings(claim_of(), SERVER_MS - 1, SERVER_MS + 999, SERVER_MS + 1000) == [
        Standing.CLAIMED,
        Standing.CLAIMED,
        Standing.LATER,
    ]


def test_the_first_record_that_is_too_late_ends_the_claim_as_it_does_in_the_engine() -> None:
    claim = claim_of(until=SERVER_MS - 5000)
    assert standings(claim, SERVER_MS - 5000, SERVER_MS, SERVER_MS - 6000) == [
        Standing.CLAIMED,
        Standing.LATER,
        Standing.LATER,
    ]


def test_a_claim_cant_reach_into_the_future() -> None:
    with pytest.raises(EndInTheFuture, match=r"2023-11-14T22:13:21\.000Z"):
        claim_of(until=SERVER_MS + 1000)


def test_a_pipeline_that_began_at_a_timestamp_owes_nothing_from_before() -> None:
    claim = claim_of({"at": "AT_TIMESTAMP", "timestamp": "2023-11-14T22:00:00Z"})
    began_ms = 1_699_999_200_000
    assert standings(claim, began_ms - 1, began_ms, began_ms - 1) == [
        Standing.BEFORE_START,
        Standing.CLAIMED,
        Standing.CLAIMED,
    ]


def test_latest_is_a_moment_that_only_the_books_know() -> None:
    with pytest.raises(StartUnknown, match="LATEST"):
        claim_of({"at": "LATEST"})


def test_the_moment_of_latest_can_be_named() -> None:
    claim = claim_of({"at": "LATEST"}, since=SERVER_MS - 1000)
    assert standings(claim, SERVER_MS - 1001, SERVER_MS - 1000) == [Standing.BEFORE_START, Standing.CLAIMED]


def test_a_record_without_an_arrival_is_claimed() -> None:
    assert standings(claim_of(since=SERVER_MS), None) == [Standing.CLAIMED]


def test_what_an_audit_needs_of_a_record_is_taken_over() -> None:
    (record,) = claim_of().records([Record("49" * 28, b"{}", "key", 1_699_999_999.123)])
    assert record == (int("49" * 28), b"{}", Standing.CLAIMED, "key", 1_699_999_999_123)
