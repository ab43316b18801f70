import threading
from itertools import count

import pytest

from firnline_ingest.ledger.backend import Run
from firnline_ingest.ledger.errors import AnotherEngineRuns, LedgerForbidden, LedgerUnavailable, RunDisplaced
from firnline_ingest.ledger.lease import START_VARIABLE, Heartbeat, RunLease, is_alive, new_run
from firnline_ingest.ledger.standby import BY_HAND
from tests.fakes.clock import Clock
from tests.fakes.ledger import MemoryLedger
from tests.ingest.waiting import until


def lease(ledger: MemoryLedger, run_id: str, *, meanwhile: object = None) -> RunLease:
    """A lease whose look at a heart beat lasts as long as `meanwhile` takes."""

    def sleep(_: float) -> None:
        if callable(meanwhile):
            meanwhile()

    return RunLease(ledger, "app", Run(run_id, f"engine {run_id}"), sleep=sleep)


def begun(ledger: MemoryLedger, run_id: str) -> RunLease:
    """Returns the lease of an engine that holds the application."""
    made = lease(ledger, run_id)
    made.begin()
    return made


def test_the_first_engine_holds_the_application(ledger: MemoryLedger) -> None:
    assert begun(ledger, "a").beat() is False


def test_a_second_engine_is_refused_while_the_first_ones_heart_beats(ledger: MemoryLedger) -> None:
    first = begun(ledger, "a")
    with pytest.raises(AnotherEngineRuns, match="engine a"):
        lease(ledger, "b", meanwhile=first.beat).begin()
    assert first.beat() is False


def test_an_engine_that_was_killed_is_replaced(ledger: MemoryLedger) -> None:
    begun(ledger, "dead")
    assert begun(ledger, "b").beat() is False


def test_a_heart_that_is_late_by_a_few_beats_is_no_dead_one(ledger: MemoryLedger) -> None:
    busy = begun(ledger, "a")
    looks = count(1)

    def seldom() -> None:
        if next(looks) == 7:
            busy.beat()

    with pytest.raises(AnotherEngineRuns, match="engine a"):
        lease(ledger, "b", meanwhile=seldom).begin()


def test_a_stop_request_is_no_sign_of_life(ledger: MemoryLedger) -> None:
    begun(ledger, "dead")
    second = lease(ledger, "b", meanwhile=lambda: ledger.request_stop("dead"))
    assert second.begin() is True


def test_an_engine_that_ends_while_it_is_looked_at_is_followed_at_once(ledger: MemoryLedger) -> None:
    first = begun(ledger, "a")
    looks: list[None] = []

    def ends() -> None:
        looks.append(None)
        first.end()

    assert lease(ledger, "b", meanwhile=ends).begin() is True
    assert len(looks) == 1


def test_an_engine_that_nobody_wants_any_more_takes_nothing_over(ledger: MemoryLedger) -> None:
    begun(ledger, "dead")
    unwanted = RunLease(ledger, "app", Run("b", "engine b"), sleep=lambda _: True)
    assert unwanted.begin() is False
    assert ledger.current_run().run_id == "dead"


def test_of_two_that_find_a_dead_engine_one_wins(ledger: MemoryLedger) -> None:
    begun(ledger, "dead")
    winner = lease(ledger, "b")
    with pytest.raises(AnotherEngineRuns):
        lease(ledger, "c", meanwhile=winner.begin).begin()
    assert winner.beat() is False


def test_an_engine_that_was_replaced_while_frozen_is_told(ledger: MemoryLedger) -> None:
    frozen = begun(ledger, "a")
    begun(ledger, "b")
    with pytest.raises(RunDisplaced, match="engine b"):
        frozen.beat()


def test_a_stop_request_reaches_the_engine_with_its_next_beat(ledger: MemoryLedger) -> None:
    first = begun(ledger, "a")
    ledger.request_stop("a")
    assert first.beat() is True


def test_a_stop_request_is_not_inherited_by_the_next_engine(ledger: MemoryLedger) -> None:
    first = begun(ledger, "a")
    ledger.request_stop("a")
    first.end()
    assert begun(ledger, "b").beat() is False


def test_without_an_engine_there_is_nothing_to_stop(ledger: MemoryLedger) -> None:
    assert ledger.request_stop("a") is None


class Beating:
    """A heart whose beats are the test's to wait for."""

    def __init__(self, ledger: MemoryLedger, run_id: str = "a") -> None:
        self.lease = begun(ledger, run_id)
        self.changed = threading.Event()
        self.heart = Heartbeat(self.lease, self.changed.set, every_s=0.01)

    def __enter__(self) -> Heartbeat:
        self.heart.start()
        return self.heart

    def __exit__(self, *_: object) -> None:
        self.heart.stop()


def test_a_heart_beats_whatever_its_owner_does(ledger: MemoryLedger) -> None:
    with Beating(ledger):
        until(lambda: ledger.current_run().beat >= 3)


def test_a_heart_says_that_the_run_is_asked_to_stop(ledger: MemoryLedger) -> None:
    beating = Beating(ledger)
    with beating as heart:
        assert not heart.is_asked_to_stop
        ledger.request_stop("a")
        assert beating.changed.wait(30)
        assert heart.is_asked_to_stop
        assert heart.failure is None


def test_a_heart_whose_run_was_taken_over_says_by_whom_and_beats_no_more(ledger: MemoryLedger) -> None:
    beating = Beating(ledger)
    begun(ledger, "b")
    with beating as heart:
        assert beating.changed.wait(30)
        assert isinstance(heart.failure, RunDisplaced)
        assert "engine b" in str(heart.failure)
        assert heart.is_displaced


def test_a_ledger_that_does_not_answer_for_a_while_ends_nothing(
    ledger: MemoryLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    beating, tried = Beating(ledger), threading.Semaphore(0)

    def unavailable(_: str) -> Run | None:
        tried.release()
        raise LedgerUnavailable("ledger", "a test")

    with monkeypatch.context() as patch:
        patch.setattr(ledger, "beat", unavailable)
        with beating as heart:
            for _ in range(3):
                assert tried.acquire(timeout=30)
            assert heart.failure is None
            assert not beating.changed.is_set()


def test_a_ledger_that_is_closed_to_us_ends_the_run(ledger: MemoryLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(_: str) -> Run | None:
        raise LedgerForbidden("ledger", "UpdateItem", "a test")

    beating = Beating(ledger)
    monkeypatch.setattr(ledger, "beat", forbidden)
    with beating as heart:
        assert beating.changed.wait(30)
        assert isinstance(heart.failure, LedgerForbidden)
        assert not heart.is_displaced


def test_a_run_that_beat_long_ago_is_asked_for_before_it_is_believed_to_be_ours(ledger: MemoryLedger) -> None:
    clock = Clock()
    heart = Heartbeat(begun(ledger, "a"), lambda: None, clock=clock)
    assert heart.is_ours()
    begun(ledger, "b")
    assert heart.is_ours(), "a beat of a moment ago is believed"
    clock.now_s += 60.0
    assert not heart.is_ours()
    assert heart.is_displaced


def test_a_run_that_beats_or_has_ended_since_is_alive_and_one_that_was_killed_is_not(ledger: MemoryLedger) -> None:
    asked = begun(ledger, "a")
    assert is_alive(ledger, ledger.current_run(), sleep=lambda _: asked.beat())
    run = ledger.current_run()
    assert not is_alive(ledger, run, sleep=lambda _: None)
    assert is_alive(ledger, run, sleep=lambda _: asked.end())


@pytest.mark.parametrize(("token", "start"), [("00000007-ab", "00000007-ab"), (None, BY_HAND), ("", BY_HAND)])
def test_a_run_says_which_start_it_is_of(monkeypatch: pytest.MonkeyPatch, token: str | None, start: str) -> None:
    monkeypatch.delenv(START_VARIABLE, raising=False)
    if token is not None:
        monkeypatch.setenv(START_VARIABLE, token)
    assert new_run("0123").start == start
