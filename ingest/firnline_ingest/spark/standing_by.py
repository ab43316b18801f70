"""The time of an engine that was started beside another one: until it is let in, and the application is free.

It claims nothing while it waits: it prepares what it can, shows that it lives in a row of its own (ledger/standby.py), and takes
the application's name as any engine does. It never waits without end: an engine that is not let in costs money.
"""

import logging
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from firnline_ingest.errors import FirnlineError, LedgerError
from firnline_ingest.ledger.backend import LeaseLedger
from firnline_ingest.ledger.errors import AnotherEngineRuns
from firnline_ingest.ledger.lease import RunLease
from firnline_ingest.ledger.standby import Standby, StandbyState

STANDBY_VARIABLE = "FIRNLINE_STANDBY"
"""The environment variable that makes a start a standby: the seconds for which it waits to be let in."""
PREPARES_S = 1200.0
"""For Spark to come up, executors and all."""
TAKES_S = 900.0
"""From its admission: the engine before proves its rows in five minutes at the most, and is gone in seven."""

log = logging.getLogger(__name__)


def standby_limit_s() -> float | None:
    """The seconds that this process waits to be promoted; None if it is an engine like any other."""
    return float(said) if (said := os.environ.get(STANDBY_VARIABLE)) else None


class Preparation(Protocol):
    """Work that goes on beside the waiting, on a thread of its own (spark/background_call.py)."""

    failure: Exception | None

    @property
    def is_over(self) -> bool: ...


@dataclass(slots=True)
class StandingBy:
    """One engine's time as a standby."""

    ledger: LeaseLedger
    lease: RunLease
    limit_s: float
    wait: Callable[[float], bool | None]
    """Says True where the engine is not wanted any more."""
    every_s: float
    clock: Callable[[], float] = time.monotonic
    _row: Standby = field(init=False)
    """As it was seen last."""
    _state: StandbyState = StandbyState.PREPARING
    _since_s: float = field(init=False)
    """It has been in its state, or let in, since then."""
    _is_admitted: bool = False

    def __post_init__(self) -> None:
        run = self.lease.run
        self._row = Standby(run.run_id, run.holder, run.start, run.configuration, run.version)
        self._since_s = self.clock()

    def until_it_is_ours(self, preparation: Preparation) -> bool:
        """Returns whether the application is this engine's now. False, with the reason in row and log, if it was not let in, if
        the application was not free in time, and where another standby has its place. Raises what the preparation has raised.
        """
        if not self._has_the_row():
            return self._end("another engine, of a later start, stands by in its place")
        while not self.wait(self.every_s):
            if preparation.failure is not None:
                self._end(_in_words(preparation.failure))
                raise preparation.failure
            if preparation.is_over and self._state is StandbyState.PREPARING:
                self._enter(StandbyState.READY)
            if not self._beat():
                return self._end("another engine stands by in its place")
            if self._takes():
                self._enter(StandbyState.TAKEN)
                self._beat()
                return True
            if self.clock() - self._since_s > self._longest_s:
                return self._end(self._what_did_not_come)
        return self._end("it was told to end")

    def _has_the_row(self) -> bool:
        """Returns whether the row is ours now; looks again if it became another one's, or was let in, between look and write."""
        while True:
            before = self.ledger.standby()
            row = self._row.in_place_of(before)
            if row is None:
                return False
            if self.ledger.stand_by(row, before):
                self._row = row
                return True

    def _takes(self) -> bool:
        if not self._row.is_admitted or self._state is not StandbyState.READY:
            return False
        if not self._is_admitted:
            self._is_admitted, self._since_s = True, self.clock()
            log.info("engine.admitted", extra={"run": self._row.run_id})
        try:
            return self.lease.begin(is_told=False)
        except AnotherEngineRuns:
            return False
        except LedgerError as error:
            self._unheard(error)
            return False

    def _beat(self, told: str = "") -> bool:
        """False where another one has the row. A ledger that is out of reach for a moment says nothing new."""
        try:
            found = self.ledger.beat_standby(self._row.run_id, self._state, told)
        except LedgerError as error:
            self._unheard(error)
            return True
        self._row = found or self._row
        return found is not None

    def _unheard(self, error: LedgerError) -> None:
        if not error.is_retryable:
            raise error
        log.warning("ledger.unreachable", extra={"problem": error.id, "what": error.what})

    def _enter(self, state: StandbyState) -> None:
        self._state, self._since_s = state, self.clock()
        log.info("engine.standby", extra={"run": self._row.run_id, "state": state})

    def _end(self, why: str) -> bool:
        self._enter(StandbyState.ENDED)
        log.warning("engine.not_taken_on", extra={"run": self._row.run_id, "reason": why})
        self._beat(why)
        return False

    @property
    def _longest_s(self) -> float:
        if self._state is StandbyState.PREPARING:
            return PREPARES_S
        return TAKES_S if self._is_admitted else self.limit_s

    @property
    def _what_did_not_come(self) -> str:
        if self._state is StandbyState.PREPARING:
            return f"Spark was not up after {PREPARES_S:.0f} s"
        if self._is_admitted:
            return f"the application was not given back within {TAKES_S:.0f} s"
        return f"nobody let it take over within {self.limit_s:.0f} s: its deploy has ended, or was killed"


def _in_words(error: Exception) -> str:
    return f"[{error.id}] {error.what}" if isinstance(error, FirnlineError) else f"{type(error).__name__}: {error}"
