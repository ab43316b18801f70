"""The application from one engine to another that stands by: the new one comes up while the old one still reads.

Until the old engine is asked to stop, nothing of it was touched: what fails before that leaves it running. From there on the
ledger decides, as ever: the old one gives the application back once its rows are proven, and the new one, which was let in,
takes it then. Each step looks at what there is, so that a deploy that was killed is gone on with by the next.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from firnline_infra.rollout.bounds import Bounds
from firnline_infra.rollout.shards import EngineLedger
from firnline_infra.rollout.stopping import Stopping
from firnline_infra.runtimes.service import EngineService, Run, RunState
from firnline_ingest.ledger.standby import Standby, StandbyState


class NoRoom(Exception):
    """The program of the run that is to stand by has not begun in time: it finds no machines beside the old one's."""


class StandbyFailed(Exception):
    """Why the new engine does not stand by; the old one runs on."""


def holder_among(ledger: EngineLedger, runs: Sequence[Run]) -> Run | None:
    """The run whose engine holds the application, where both say of which start they are: else nobody could tell two apart."""
    engine = ledger.current_run()
    return next((run for run in runs if engine and run.start and run.start == engine.start), None)


def standby_of(ledger: EngineLedger, run: Run) -> Standby | None:
    """The row of the run that stands by, or has stood by; None where the row is another one's."""
    row = ledger.standby()
    return row if row is not None and run.start and row.start == run.start else None


@dataclass(frozen=True, slots=True)
class HandOver:
    """To one run, which was started to stand by."""

    runtime: EngineService
    ledger: EngineLedger
    bounds: Bounds
    clock: Callable[[], float]
    wait: Callable[[], None]
    """Between two looks; tells whoever has to know that this deployer lives."""
    stopping: Stopping
    say: Callable[[str], None]
    run: Run

    def until_it_is_ready(self) -> Standby:
        """Raises StandbyFailed, and NoRoom. Also where it has taken the application over: a deploy was killed after that."""
        began_s, begun_s, is_known, seen = self.clock(), float("inf"), False, -1
        while True:
            now, row = self.runtime.look(self.run), standby_of(self.ledger, self.run)
            if row is not None and (row.state is StandbyState.TAKEN or self._is_ready(row, seen)):
                return row
            seen = row.beat if row is not None else -1
            is_known = is_known or now.state is not RunState.UNKNOWN
            self._refuse_if_failed(now, row, is_young=not is_known and self.clock() - began_s < self.bounds.known_s)
            if row is not None:
                begun_s = min(begun_s, self.clock())
            elif self.clock() - began_s > self.bounds.room_s:
                raise NoRoom(f"run {now.id} is {now.state}{_words(now)}, and its program has not begun")
            if self.clock() - begun_s > self.bounds.begin_s:
                raise StandbyFailed(f"run {now.id} is {now.state}{_words(now)}, and its engine does not get ready")
            self.wait()

    def let_in(self) -> bool:
        """Whether the standby is the same as it was; else it has been started again, and has to get ready."""
        row = standby_of(self.ledger, self.run)
        return row is not None and (row.state is StandbyState.TAKEN or self.ledger.admit(row.run_id))

    def from_(self, old: Run) -> None:
        """The old engine gives the application back, or is ended. Raises StillThere."""
        if not self.stopping.ask(old):
            self.stopping.remove(old)

    def _is_ready(self, row: Standby, seen: int) -> bool:
        return row.state is StandbyState.READY and 0 <= seen < row.beat

    def _refuse_if_failed(self, now: Run, row: Standby | None, *, is_young: bool) -> None:
        why = row.told if row is not None and row.told else now.reason or "its service does not say why"
        if not now.state.is_active and not is_young:
            raise StandbyFailed(f"run {now.id} is {now.state}: {why}")
        if now.attempt - self.run.attempt + 1 >= self.bounds.attempts:
            raise StandbyFailed(f"run {now.id} was started {now.attempt} times by its service: {why}")


def _words(run: Run) -> str:
    return f" ({run.reason})" if run.reason else ""
