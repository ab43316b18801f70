"""Rounds by file beside a run: they begin when it has begun, end nothing, and a bounded run waits for the last one."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from firnline_ingest.dead_letters.file_errors import FileUnproven
from firnline_ingest.shard.receipt import Receipt, ShardState
from firnline_ingest.spark import job as job_module
from firnline_ingest.spark.job import DISPLACED, SUCCESS
from firnline_ingest.spark.oversize import EVERYWHERE, OversizeRounds
from tests.fakes.configs import reading
from tests.fakes.ledger import MemoryLedger
from tests.ingest.spark.job.running import Running, read_on, runs
from tests.ingest.spark.standing_in import StandIn, receipt
from tests.ingest.waiting import HANGS_S, until

BY_FILE = [reading("orders", oversize_rows="file")]


class Rounds:
    """Stands in for the services of each round: `happens` is what a round does."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.begun = 0
        self.keeps_due = False
        self.happens: Callable[[int], None] = lambda _: None
        self.made: list[OversizeRounds] = []
        real = OversizeRounds

        def made(*given: Any, **named: Any) -> OversizeRounds:
            self.made.append(real(*given, **named, services=self.services, objects_of=lambda _: None, every_s=0.01))  # type: ignore[arg-type, return-value]
            return self.made[-1]

        patch.setattr(job_module, "OversizeRounds", made)
        patch.setattr(real, "_replay", lambda made, _, shard, __: made._again(shard) if self.keeps_due else None)

    @contextmanager
    def services(self, *_: Any) -> Iterator[Any]:
        self.begun += 1
        self.happens(self.begun)
        yield None


@pytest.fixture
def rounds(monkeypatch: pytest.MonkeyPatch) -> Rounds:
    return Rounds(monkeypatch)


def ends_at_once(number: int) -> list[Receipt]:
    return [] if number else [receipt(state=ShardState.DONE, dead_letters=1)]


@pytest.fixture
def drained(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bounded run that has its end in time."""
    monkeypatch.setattr(job_module, "bound_ms", lambda *_: 1)


def test_a_run_without_such_pipelines_has_no_round(rounds: Rounds) -> None:
    assert runs(StandIn(read_on), epochs=3).stops() == SUCCESS
    assert rounds.begun == 0


def test_rounds_begin_with_the_run_and_end_with_it(rounds: Rounds) -> None:
    running = runs(StandIn(read_on), pipelines=BY_FILE)
    until(lambda: rounds.begun == 1)
    rounds.made[0].look([receipt(dead_letters=1)])
    assert running.stops() == SUCCESS


def test_the_ledger_says_of_which_streams_files_are_loaded(rounds: Rounds, monkeypatch: pytest.MonkeyPatch) -> None:
    spark, seen, let_go = StandIn(read_on), list[Any](), threading.Event()

    def replays(*_: Any) -> None:
        seen.append(spark.ledger.report())
        let_go.wait(HANGS_S)

    monkeypatch.setattr(OversizeRounds, "_replay", replays)
    running = runs(spark, pipelines=BY_FILE)
    until(lambda: rounds.begun == 1)
    rounds.made[0].look([receipt(dead_letters=1)])
    until(lambda: bool(seen))
    done = len(spark.committed)
    until(lambda: len(spark.committed) > done + 2)
    assert (seen[0].loading, spark.ledger.report().loading) == (("orders",), ("orders",))
    let_go.set()
    until(lambda: not spark.ledger.report().loading)
    assert running.stops() == SUCCESS


def test_a_round_that_fails_is_a_problem_of_the_report_and_the_run_goes_on(rounds: Rounds) -> None:
    def fails(_: int) -> None:
        raise FileUnproven("PIPE", "path", 15)

    rounds.happens = fails
    spark = StandIn(read_on)
    running = runs(spark, pipelines=BY_FILE)
    until(lambda: EVERYWHERE in rounds.made[0].problems)
    done = len(spark.committed)
    until(lambda: len(spark.committed) > done + 3)
    report = spark.ledger.report()
    assert report is not None
    assert [each.id for each in report.problems] == ["FL-4185"]
    assert running.stops() == SUCCESS


def test_a_bounded_run_is_over_once_a_last_round_has_run(
    rounds: Rounds, drained: None, events: Callable[[str], list[Any]]
) -> None:
    let_go, is_last = threading.Event(), threading.Event()
    spark = StandIn(ends_at_once)

    def waits(number: int) -> None:
        if spark._over.is_set() and spark.begun:
            is_last.set()
            let_go.wait(HANGS_S)
            rounds.made[0]._rows[receipt().key] = 5

    rounds.happens = waits
    rounds.keeps_due = True
    running = Running(spark.job(pipelines=BY_FILE, is_bounded=True))
    assert is_last.wait(HANGS_S)
    assert running.status is None
    let_go.set()
    assert running.ends() == SUCCESS
    assert [record.replayed_rows for record in events("epoch.ended") if record.replayed_rows] == [5]
    assert events("oversize.incomplete")


def test_a_signal_ends_the_last_round_of_a_bounded_run(rounds: Rounds, drained: None) -> None:
    from firnline_ingest.spark.signals import EndingSignals

    signals, is_last = EndingSignals(), threading.Event()
    spark = StandIn(ends_at_once)

    def hangs(_: int) -> None:
        if spark._over.is_set() and spark.begun:
            is_last.set()
            threading.Event().wait(HANGS_S)

    rounds.happens = hangs
    rounds.keeps_due = True
    running = Running(spark.job(signals=signals, pipelines=BY_FILE, is_bounded=True))
    assert is_last.wait(HANGS_S)
    signals.heard(15)
    running.ends()
    assert running._job.has_loose_ends, "the process does not wait for what hangs"


def test_a_run_that_was_displaced_begins_no_shard(rounds: Rounds) -> None:
    ledger = MemoryLedger()
    spark = StandIn(read_on, ledger=ledger)
    running = runs(spark, pipelines=BY_FILE)
    until(lambda: rounds.begun == 1)
    assert rounds.made[0].is_ours()
    ledger.end_run(ledger.current_run().run_id)
    assert running.ends() in (SUCCESS, DISPLACED)
    assert not rounds.made[0].is_ours()
