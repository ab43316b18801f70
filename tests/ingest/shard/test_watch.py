"""What a worker makes of the application's run while it reads."""

import pytest

from firnline_ingest.ledger.backend import Run
from firnline_ingest.ledger.errors import LedgerUnavailable
from firnline_ingest.shard.group import Watch
from tests.fakes.ledger import MemoryLedger


@pytest.fixture
def ledger() -> MemoryLedger:
    ledger = MemoryLedger()
    assert ledger.begin_run(Run("a", "engine a"), None)
    return ledger


def test_a_worker_goes_on_for_the_run_that_sent_it(ledger: MemoryLedger) -> None:
    assert not Watch(ledger, "a").wants_a_stop()


def test_a_worker_of_a_run_that_was_taken_over_stops(ledger: MemoryLedger) -> None:
    assert ledger.begin_run(Run("b", "engine b"), ledger.current_run())
    assert Watch(ledger, "a").wants_a_stop()
    assert not Watch(ledger, "b").wants_a_stop()


def test_a_stop_that_was_meant_for_the_run_before_stops_no_worker_of_the_next(ledger: MemoryLedger) -> None:
    ledger.request_stop("a")
    assert Watch(ledger, "a").wants_a_stop()
    assert ledger.begin_run(Run("b", "engine b"), ledger.current_run())
    ledger.request_stop("a")
    assert not Watch(ledger, "b").wants_a_stop()


def test_a_ledger_out_of_reach_stops_nobody(ledger: MemoryLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable() -> Run | None:
        raise LedgerUnavailable("ledger", "a test")

    monkeypatch.setattr(ledger, "current_run", unreachable)
    assert not Watch(ledger, "a").wants_a_stop()
