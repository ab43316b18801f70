"""Publishes the engine's status report in the ledger, for people and commands, while it runs and after it has ended.

No failure here stops an engine: a report that could not be written is logged, and written with the next epoch.
"""

import logging
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from firnline_ingest.errors import FirnlineError
from firnline_ingest.ledger.backend import LeaseLedger, Run
from firnline_ingest.ledger.engine_report import (
    MOST_MINUTES,
    MOST_PROBLEMS,
    MOST_SHARDS,
    MOST_STREAMS,
    EngineProblem,
    EngineReport,
    MinuteCounts,
    ShardReading,
)
from firnline_ingest.logs import redacted
from firnline_ingest.shard.receipt import Receipt, ShardProblem, ShardState
from firnline_ingest.spark.policy import Stopped, describe
from firnline_ingest.spark.reported import ReportedLedger, ReportedShards
from firnline_ingest.values import ShardKey

OTHERS, LONGEST_TEXT = "(others)", 1500
OF_THE_ENGINE = ShardKey("", 0, "")

log = logging.getLogger(__name__)


@dataclass(slots=True)
class ShownRun:
    """One run's row: which keys it uses, and for how many shards it has no room. What has changed is written."""

    ledger: LeaseLedger
    run_id: str
    _fingerprints: tuple[str, ...] = ()
    _waiting: int = 0

    def write(self, receipts: Sequence[Receipt]) -> None:
        """`firnline keys rotate` sees there whether the old key is still in use, `firnline status` whether there is room."""
        found = tuple(sorted({receipt.fingerprint for receipt in receipts} - {""}))
        if found and found != self._fingerprints and written(lambda: self.ledger.show_fingerprints(self.run_id, found)):
            self._fingerprints = found
        waiting = sum(receipt.state is ShardState.WAITING for receipt in receipts)
        if waiting != self._waiting and written(lambda: self.ledger.show_waiting(self.run_id, waiting)):
            self._waiting = waiting


class ReporterLedger(LeaseLedger, ReportedLedger, Protocol):
    """The ledger of a run's report: it is written there, and made of its rows beside the receipts."""


@dataclass(slots=True)
class EngineReporter:
    """Writes one run's report. Goes on with what the run before had counted, and with how long it had a problem already."""

    ledger: ReporterLedger
    run: Run
    now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000
    is_ours: Callable[[], bool] = lambda: True
    """Whether the run still holds the application; one that was displaced writes nothing over the other one's report."""
    _report: EngineReport = field(init=False)
    _met: dict[tuple[str, str, str], EngineProblem] = field(default_factory=dict)
    """By stream, shard and id."""
    reported: ReportedShards = field(init=False)
    beside: Mapping[ShardKey, ShardProblem] = field(default_factory=dict)
    """Problems that no receipt has: they keep nothing from being read, and its own problem comes before them."""
    _has_looked_back: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        now_ms, run = self.now_ms(), self.run
        self.reported = ReportedShards(self.ledger, run.run_id)
        self._report = EngineReport(
            run_id=run.run_id,
            at_ms=now_ms,
            began_ms=now_ms,
            version=run.version,
            configuration=run.configuration,
        )

    def began(self) -> None:
        """The run has taken the application, which it may have waited for on standby."""
        with self._lock:
            self._report = replace(self._report, began_ms=self.now_ms())

    def started(self) -> None:
        """Spark is up: who waits for the run to open its shards counts from here."""
        with self._lock:
            self._look_back()
            self._report = replace(self._report, started_ms=self.now_ms())
            self._write(self._report.started_ms)

    def counted(self, receipts: Sequence[Receipt]) -> list[Receipt]:
        """The receipts without the rows and dead letters that this run, or one before it, has reported."""
        with self._lock:
            self._look_back()
            return self.reported.counted(receipts)

    def epoch_ended(self, receipts: Sequence[Receipt], stopped: Mapping[ShardKey, Stopped], now_s: float) -> None:
        """`now_s` is of the clock by which what stopped is tried again."""
        with self._lock:
            self._look_back()
            at_ms = self.now_ms()
            problems = {receipt.key: receipt.problem for receipt in receipts if receipt.problem}
            problems |= {key: each.problem for key, each in stopped.items()}
            problems = {**self.beside, **problems}
            tries_ms = {key: at_ms + round(1000 * (each.retry_s - now_s)) for key, each in stopped.items()}
            seen = {receipt.key for receipt in receipts}
            self._met = self._meeting(problems, tries_ms, counted=seen, at_ms=at_ms)
            self._report = replace(
                self._report,
                epochs=self._report.epochs + 1,
                minutes=with_counts(self._report.minutes, counts_of(receipts, at_ms // 60_000)),
                shards=tuple(map(_reading, receipts[:MOST_SHARDS])),
                reported=self.reported.shown(),
            )
            self._write(at_ms)

    def finished(self, receipts: Sequence[Receipt]) -> None:
        """Counts what was read since the last epoch; `ended` writes it."""
        with self._lock:
            new = counts_of(receipts, self.now_ms() // 60_000)
            minutes = with_counts(self._report.minutes, new)
            self._report = replace(self._report, minutes=minutes, reported=self.reported.shown())

    def failed(self, error: FirnlineError) -> None:
        """An epoch, or the query: nothing new is known of the shards."""
        with self._lock:
            self._look_back()
            self._meet_own(error)
            self._write(self.now_ms())

    def loads(self, streams: Sequence[str]) -> bool:
        """Notes of which streams rows go by file from now on. Returns whether the ledger has it."""
        with self._lock:
            self._look_back()
            self._report = replace(self._report, loading=tuple(streams))
            return self._write(self.now_ms())

    def ended(self, error: FirnlineError | None) -> None:
        """The run ends, for `error` where it was one; problems of shards stay as they were."""
        with self._lock:
            self._look_back()
            if error is not None:
                self._meet_own(error)
            self._met |= self._meeting(self.beside, {}, counted=(), at_ms=self.now_ms())
            self._report = replace(self._report, ended_ms=self.now_ms())
            self._write(self._report.ended_ms)

    def _look_back(self) -> None:
        if self._has_looked_back:
            return
        try:
            before = self.ledger.report()
        except FirnlineError:
            return  # the write says so
        self._has_looked_back = True
        if before is not None and before.run_id != self.run.run_id:
            carried = (replace(each, has_stopped=False, next_try_ms=0) for each in before.problems)
            self._met = {
                (each.stream, each.shard, each.id): each for each in carried
            }  # this run has stopped nothing yet
            minutes = with_counts(before.minutes, self._report.minutes)
            self.reported.remember(before.reported)
            self._report = replace(self._report, minutes=minutes, reported=self.reported.shown())

    def _meet_own(self, error: FirnlineError) -> None:
        of_shards = {name: each for name, each in self._met.items() if each.stream}
        own = {OF_THE_ENGINE: ShardProblem.of(error)}
        self._met = of_shards | self._meeting(own, {}, counted=own, at_ms=self.now_ms())

    def _meeting(
        self,
        problems: Mapping[ShardKey, ShardProblem],
        tries_ms: Mapping[ShardKey, int],
        *,
        counted: Collection[ShardKey],
        at_ms: int,
    ) -> dict[tuple[str, str, str], EngineProblem]:
        met: dict[tuple[str, str, str], EngineProblem] = {}
        for key, problem in problems.items():
            name = (key.stream, key.shard_id, problem.id)
            before = self._met.get(name)
            met[name] = EngineProblem(
                id=problem.id,
                what=_shown(problem.what),
                next_step=_shown(problem.next_step),
                stream=key.stream,
                shard=key.shard_id,
                since_ms=before.since_ms if before else at_ms,
                tries=(before.tries if before else 0) + (key in counted or before is None),
                next_try_ms=tries_ms.get(key, 0),
                has_stopped=key in tries_ms,
            )
        return met

    def _write(self, at_ms: int) -> bool:
        """Returns whether the ledger has it."""
        ordered = sorted(self._met.values(), key=lambda each: (bool(each.stream), not each.has_stopped, each.since_ms))
        problems = tuple(ordered[:MOST_PROBLEMS])
        self._report = replace(self._report, at_ms=at_ms, problems=problems, all_problems=len(ordered))
        return self.is_ours() and written(lambda: self.ledger.write_report(self._report))


def counts_of(receipts: Iterable[Receipt], minute: int) -> list[MinuteCounts]:
    """One a stream."""
    found: dict[str, MinuteCounts] = {}
    for receipt in receipts:
        one = MinuteCounts(
            receipt.stream,
            minute,
            receipt.records,
            receipt.rows,
            receipt.bytes,
            receipt.dead_letters,
            receipt.rejected_rows,
            receipt.behind_ms or 0,
        )
        found[receipt.stream] = found[receipt.stream].plus(one) if receipt.stream in found else one
    return list(found.values())


def with_counts(known: Sequence[MinuteCounts], new: Sequence[MinuteCounts]) -> tuple[MinuteCounts, ...]:
    """Bounded: the last MOST_MINUTES of MOST_STREAMS streams by name, and the sum of all others.

    The last one is that of the new counts: where the clock was set back, later ones but the next go.
    """
    names = sorted({each.stream for each in (*known, *new)} - {OTHERS})
    own = set(names[:MOST_STREAMS])
    newest = max((each.minute for each in new or known), default=0)
    merged: dict[tuple[int, str], MinuteCounts] = {}
    for each in (*known, *new):
        if newest - MOST_MINUTES < each.minute <= newest + 1:
            one = each if each.stream in own else replace(each, stream=OTHERS)
            key = (one.minute, one.stream)
            merged[key] = merged[key].plus(one) if key in merged else one
    return tuple(merged[key] for key in sorted(merged))


def _shown(text: str) -> str:
    """Escapes what UTF-8 has no bytes for, half of a surrogate pair."""
    return redacted(text)[:LONGEST_TEXT].encode(errors="backslashreplace").decode()


def _reading(receipt: Receipt) -> ShardReading:
    state, delay_ms = receipt.state.value, receipt.proof_delay_ms
    waits = receipt.uncommitted_s, receipt.uncommitted_rows
    return ShardReading(receipt.stream, receipt.shard_id, state, receipt.behind_ms, delay_ms, receipt.rows, *waits)


def written(write: Callable[[], None]) -> bool:
    try:
        write()
    except FirnlineError as error:
        log.warning("ledger.unreachable", extra=describe(error))
        return False
    return True
