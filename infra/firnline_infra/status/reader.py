"""Reads the status of an environment, once or again and again: the ledger each time, what costs more now and then."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from firnline_infra.redshift.status import ViewStatus
from firnline_infra.rollout.shards import EngineLedger, shard_rows
from firnline_infra.runtimes.service import Run
from firnline_infra.status.history import NOT_DEPLOYED, History
from firnline_infra.status.model import (
    CheckStatus,
    EnvironmentStatus,
    LetterStatus,
    ServiceStatus,
    StandbyStatus,
)
from firnline_infra.status.shards import incidents_of, shards_of
from firnline_ingest.errors import FirnlineError
from firnline_ingest.ledger.backend import Run as EngineRun
from firnline_ingest.ledger.lease import is_alive
from firnline_ingest.ledger.standby import BY_HAND, Standby, StandbyState

CHECKS_S, SERVICE_S, LETTERS_S, VIEWS_S, HISTORY_S = 5.0, 15.0, 60.0, 300.0, 300.0
"""Between two questions, where the status is read again and again."""
DEAD_AFTER_S = 10.0
WAITING = (StandbyState.PREPARING, StandbyState.READY)

Found = TypeVar("Found")


class HeartbeatWatch:
    """Observation of the engine's heartbeats: the first look waits for one, the later ones compare."""

    def __init__(self, sleep: Callable[[float], object], clock: Callable[[], float]) -> None:
        self._sleep, self._clock = sleep, clock
        self._seen: tuple[str, int] | None = None
        self._rose_s = float("-inf")

    def beats(self, ledger: EngineLedger, engine: EngineRun | None) -> bool:
        """May take three seconds where the run is a new one."""
        if engine is None:
            return False
        seen, before = (engine.run_id, engine.beat), self._seen
        self._seen = seen
        is_known = before is not None and before[0] == engine.run_id
        if seen != before and (is_known or is_alive(ledger, engine, self._sleep)):
            self._rose_s = self._clock()
        return self._clock() - self._rose_s < DEAD_AFTER_S


@dataclass(slots=True)
class Remembered:
    """An answer that is asked for again after `every_s`. What can't be asked is a note, and what was known stays."""

    ask: Callable[[], Any]
    every_s: float
    clock: Callable[[], float]
    value: Any = None
    note: str = ""
    _asked_s: float = float("-inf")

    def now(self) -> Any:
        if self.clock() - self._asked_s >= self.every_s:
            try:
                self.value, self.note = self.ask(), ""
            except FirnlineError as error:
                self.note = f"[{error.id}] {error.what}"
            self._asked_s = self.clock()
        return self.value


@dataclass(kw_only=True)
class StatusReader:
    """Services that the status is asked of; each part but the ledger may be absent."""

    application: str
    ledger: EngineLedger
    streams: Callable[[], Mapping[str, int]]
    """With `idle_after_seconds` of each."""
    service: Callable[[], ServiceStatus] = ServiceStatus
    letters: Callable[[], LetterStatus | None] = lambda: None
    checks: Callable[[], Sequence[CheckStatus]] = tuple
    views: Callable[[], Sequence[ViewStatus]] = tuple
    """Each look has Redshift work, and so costs."""
    notes: Callable[[], Sequence[str]] = tuple
    kept_history: Callable[[], History] = lambda: NOT_DEPLOYED
    """Each look may cost a request of CloudWatch's."""
    sleep: Callable[[float], object] = time.sleep
    clock: Callable[[], float] = time.monotonic
    now_ms: Callable[[], int] = field(default=lambda: time.time_ns() // 1_000_000)

    def __post_init__(self) -> None:
        self._heart = HeartbeatWatch(self.sleep, self.clock)
        self._service = Remembered(self.service, SERVICE_S, self.clock, ServiceStatus())
        self._letters = Remembered(self.letters, LETTERS_S, self.clock)
        self._views = Remembered(self.views, VIEWS_S, self.clock, ())
        self._checks = Remembered(self.checks, CHECKS_S, self.clock, ())
        self._history = Remembered(self.kept_history, HISTORY_S, self.clock, NOT_DEPLOYED)
        self._notes = Remembered(self.notes, LETTERS_S, self.clock, ())

    def read(self, *, with_letters: bool = False) -> EnvironmentStatus:
        """Looks at the engine's heart for some seconds the first time. Raises LedgerError; the other parts' trouble is noted."""
        engine = self.ledger.current_run()
        is_beating = self._heart.beats(self.ledger, engine)
        streams = self.streams()
        rows = sorted(shard_rows(self.ledger, streams).values(), key=lambda row: str(row.key))
        marks = {stream: self.ledger.mark(stream) for stream in streams}
        paused = {stream for stream, mark in marks.items() if mark and mark.is_paused}
        service, report, at_ms = self._service.now() or ServiceStatus(), self.ledger.report(), self.now_ms()
        is_own = bool(engine and report and report.run_id == engine.run_id)
        return EnvironmentStatus(
            application=self.application,
            at_ms=at_ms,
            service=service,
            holder=engine.holder if engine else "",
            whose=_whose(engine, (*service.runs, *filter(None, (service.last_run,)))) if engine else "",
            is_beating=is_beating,
            heard_ms=max((report.at_ms if report and is_own else 0, *(row.heartbeat_ms for row in rows))),
            version=engine.version if engine else "",
            configuration=engine.configuration if engine else "",
            rows_by=engine.rows_by if engine else "",
            waiting=engine.waiting if engine else 0,
            report=report,
            is_own_report=is_own,
            standby=_standby(self.ledger.standby(), service.runs),
            shards=shards_of(
                rows,
                engine if is_beating else None,
                report if is_own else None,
                now_ms=at_ms,
                paused=paused,
                idle_after_s=streams,
            ),
            incidents=incidents_of(rows),
            letters=self._letters.now() if with_letters else None,
            checks=self._checks.now() or (),
            views=self._views.now() or (),
            notes=tuple(self._all_notes()),
        )

    def history(self) -> History:
        """Returns the last day, no older than five minutes; where it can't be read, the reason."""
        found: History = self._history.now()
        return replace(found, where=self._history.note) if self._history.note else found

    def _all_notes(self) -> Iterator[str]:
        yield from self._notes.now() or ()
        yield from (each.note for each in (self._service, self._letters, self._views, self._notes) if each.note)


def _standby(row: Standby | None, runs: Sequence[Run]) -> StandbyStatus | None:
    of = next((run for run in runs if row and run.start and run.start == row.start), None)
    if row is None or of is None or row.state not in WAITING:
        return None
    return StandbyStatus(
        holder=row.holder, whose=of.id, hash=of.hash, state=row.state.value, is_promoted=row.is_admitted
    )


def _whose(engine: EngineRun, runs: Sequence[Run]) -> str:
    of = next((run.id for run in runs if run.start and run.start == engine.start), "")
    return of or (BY_HAND if engine.start == BY_HAND else "")
