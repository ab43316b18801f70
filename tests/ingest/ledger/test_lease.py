import pytest

from firnline_ingest.ledger.backend import Run
from firnline_ingest.ledger.errors import AnotherEngineRuns
from firnline_ingest.ledger.lease import RunLease
from tests.fakes.ledger import MemoryLedger


def lease(ledger: MemoryLedger, run_id: str, *, meanwhile: object = None) -> RunLease:
    """A lease whose look at a heart beat lasts as long as `meanwhile` takes."""
    return RunLease(
        ledger, "app", Run(run_id, f"engine {run_id}"), sleep=lambda _: meanwhile() if callable(meanwhile) else None
    )


def test_the_first_engine_holds_the_application() -> None:
    ledger = MemoryLedger()
    first = lease(ledger, "a")
    first.begin()
    assert first.beat() is False


def test_a_second_engine_is_refused_while_the_first_ones_heart_beats() -> None:
    ledger = MemoryLedger()
    first = lease(ledger, "a")
    first.begin()
    with pytest.raises(AnotherEngineRuns, match="engine a"):
        lease(ledger, "b", meanwhile=first.beat).begin()
    assert first.beat() is False


def test_an_engine_that_was_killed_is_replaced() -> None:
    ledger = MemoryLedger()
    lease(ledger, "dead").begin()
    second = lease(ledger, "b")
    second.begin()
    assert second.beat() is False


def test_of_two_that_find_a_dead_engine_one_wins() -> None:
    ledger = MemoryLedger()
    lease(ledger, "dead").begin()
    winner = lease(ledger, "b")
    with pytest.raises(AnotherEngineRuns):
        lease(ledger, "c", meanwhile=winner.begin).begin()
    assert winner.beat() is False


def test_an_engine_that_was_replaced_while_frozen_is_told() -> None:
    ledger = MemoryLedger()
    frozen = lease(ledger, "a")
    frozen.begin()
    lease(ledger, "b").begin()
    with pytest.raises(AnotherEngineRuns, match="engine b"):
        frozen.beat()


def test_a_stop_request_reaches_the_engine_with_its_next_beat() -> None:
    ledger = MemoryLedger()
    first = lease(ledger, "a")
    first.begin()
    ledger.request_stop("a")
    assert first.beat() is True


def test_a_stop_request_is_not_inherited_by_the_next_engine() -> None:
    ledger = MemoryLedger()
    first = lease(ledger, "a")
    first.begin()
    ledger.request_stop("a")
    first.end()
    second = lease(ledger, "b")
    second.begin()
    assert second.beat() is False


def test_without_an_engine_there_is_nothing_to_stop() -> None:
    assert MemoryLedger().request_stop("a") is None
