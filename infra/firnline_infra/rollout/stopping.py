"""Ends a run: its engine is asked, through the ledger, to prove its rows; then the run is cancelled, and waited for."""

from collections.abc import Callable
from dataclasses import dataclass

from firnline_infra.rollout.bounds import Bounds
from firnline_infra.rollout.errors import StillThere
from firnline_infra.rollout.ownership import may_be_of
from firnline_infra.rollout.phases import Phase, Phases
from firnline_infra.rollout.shards import EngineLedger
from firnline_infra.runtimes.service import EngineService, Run, RunState


@dataclass(frozen=True, slots=True)
class Stopping:
    runtime: EngineService
    ledger: EngineLedger
    bounds: Bounds
    clock: Callable[[], float]
    wait: Callable[[], None]
    """Between two looks; tells whoever has to know that this deployer lives."""
    phases: Phases
    say: Callable[[str], None]

    def stop(self, run: Run, *, is_asked: bool = True) -> None:
        """Raises StillThere. `is_asked`: its engine proves its rows first, where it listens."""
        if is_asked:
            self.ask(run)
        else:
            self.say(f"Run {run.id} ({_content(run)}): is one too many, and cancelled.")
        self.remove(run)

    def ask(self, run: Run) -> bool:
        """Whether its engine has proven its rows and given the application back."""
        self.say(f"Run {run.id} ({_content(run)}): asked to stop, once its rows are proven.")
        has_ended = self._ask(run)
        if not has_ended:
            self.say(
                f"Run {run.id}: its engine does not give the application back; it is cancelled. No row is lost by that."
            )
        return has_ended

    def remove(self, run: Run) -> None:
        """Cancels it, and returns when nothing of it is left. Raises StillThere."""
        now = self.runtime.look(run).state
        if now.is_active or now is RunState.UNKNOWN:
            self.runtime.cancel(run, grace_s=self.bounds.grace_s)
        until_s = self.clock() + self.bounds.gone_s
        while not self.runtime.is_gone(run):
            if self.clock() > until_s:
                raise StillThere(self.runtime.look(run), self.bounds.gone_s, "something of it is still there")
            self.wait()
        self.phases.end(Phase.GONE)
        self.say(f"Run {run.id}: gone.")

    def _ask(self, run: Run) -> bool:
        """Whether the engine has given the application back, with its rows proven. Its service may start it once more
        while it is asked: then that one is asked too. The engine is looked up before the run: while the run is there, the
        engine can't be one that another deployer has started since, however long this one was asleep. One that is of
        another start is somebody else's, and is left alone.
        """
        until_s = self.clock() + self.bounds.stop_s
        asked, seen, seen_s = "", (-1, ""), self.clock()
        while self.clock() < until_s:
            engine = self.ledger.current_run()
            if engine is None or not may_be_of(engine, run):
                self.phases.end(Phase.PROOF)
                return True
            if not self.runtime.look(run).state.is_active:
                break
            if engine.run_id != asked and self.ledger.request_stop(engine.run_id):
                asked = engine.run_id
                self.phases.begin()
            if (engine.beat, engine.run_id) != seen:
                seen, seen_s = (engine.beat, engine.run_id), self.clock()
            elif self.clock() - seen_s > self.bounds.heart_s:
                return False
            self.wait()
        return self.ledger.current_run() is None


def _content(run: Run) -> str:
    return run.hash[:12] or "of unknown content"
