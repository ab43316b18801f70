"""Watches a run that was started until its engine has taken every shard that was read before, or has failed."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from firnline_infra.rollout.bounds import Bounds
from firnline_infra.rollout.ownership import may_be_of
from firnline_infra.rollout.phases import Phase, Phases
from firnline_infra.rollout.shards import EngineLedger, Takeover, shard_rows, takeover, without_paused
from firnline_infra.runtimes.service import EngineService, Run, RunState
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.values import ShardKey

Rows = Mapping[ShardKey, ShardRow]
NOBODY = "-"
"""No run's id; the fence of a shard that nobody has is empty."""


class NewFailed(Exception):
    """Why the new engine did not come up."""


@dataclass(slots=True)
class Watch:
    """Of one run."""

    runtime: EngineService
    ledger: EngineLedger
    bounds: Bounds
    clock: Callable[[], float]
    wait: Callable[[], None]
    """Between two looks; tells whoever has to know that this deployer lives."""
    phases: Phases
    run: Run
    streams: Sequence[str]
    before: Rows
    """The shards' rows before the run began."""
    has_stood_by: bool = False
    """Its program runs already; the old engine may hold the application for a while."""
    _began_s: float = field(init=False)
    _is_known: bool = False
    """Whether its service has told of the run yet."""
    _runs: bool = False

    def __post_init__(self) -> None:
        self._began_s = self.clock()
        self._runs = self.has_stood_by

    def until_it_reads(self, needed: frozenset[ShardKey]) -> Takeover:
        """Until the run's engine has opened every shard that was read before, or at least one where none was. What is paused
        is not waited for. Raises NewFailed.
        """
        self._await_lease()
        self.phases.end(Phase.HELD)
        until_s = self.clock() + self.bounds.serve_s
        while True:
            read = without_paused(self.ledger, self.streams)
            found = self._takeover({key for key in needed if key.stream in read})
            if found.is_complete or not read:
                self.phases.end(Phase.READ)
                return found
            self._refuse_if_failed()
            if self.clock() > until_s:
                missing = ", ".join(sorted(map(str, found.missing))) or "any shard"
                raise NewFailed(f"run {self.run.id} holds the application, and does not read {missing}")
            self.wait()

    def until_the_tip(self) -> bool:
        """Whether it has reached it, in time. Raises NewFailed where it has opened its shards and ended."""
        until_s = self.clock() + self.bounds.tip_s
        while self.clock() < until_s:
            found = self._takeover(())
            is_read = bool(found.opened) or not without_paused(self.ledger, self.streams)
            if is_read and found.opened == found.at_tip:
                return True
            self._refuse_if_failed()
            self.wait()
        return False

    def _takeover(self, needed: Collection[ShardKey]) -> Takeover:
        """By the engine that holds the application now: its service may have started it again while it is watched."""
        engine = self.ledger.current_run()
        now = shard_rows(self.ledger, self.streams)
        run_id = engine.run_id if engine and may_be_of(engine, self.run) else NOBODY
        return takeover(run_id, before=self.before, now=now, needed=needed)

    def _await_lease(self) -> None:
        """Until the run's engine's heart beats. What ran before was gone, or has given the application back."""
        until_s = self.clock() + self.bounds.begin_s
        seen = self.ledger.current_run()
        while True:
            self.wait()
            engine = self.ledger.current_run()
            if engine and seen and engine.run_id == seen.run_id and engine.beat > seen.beat:
                if may_be_of(engine, self.run):
                    return
                raise NewFailed(f"another engine holds the application, which was not started here: {engine.holder}")
            seen = engine
            now = self._refuse_if_failed()
            if self.clock() > until_s:
                why = f" ({now.reason})" if now.reason else ""
                raise NewFailed(f"run {self.run.id} is {now.state}{why}, and its engine does not begin")

    def _refuse_if_failed(self) -> Run:
        now = self.runtime.look(self.run)
        if now.state is RunState.RUNNING and not self._runs:
            self._runs = True
            self.phases.end(Phase.PROGRAM)
        if now.state is RunState.UNKNOWN and not self._is_known and self._is_young():
            return now
        self._is_known = self._is_known or now.state is not RunState.UNKNOWN
        if not now.state.is_active:
            raise NewFailed(f"run {now.id} is {now.state}: {now.reason or 'its service does not say why'}")
        if now.attempt - self.run.attempt + 1 >= self.bounds.attempts:
            raise NewFailed(f"run {now.id} was started {now.attempt} times by its service: {now.reason}")
        return now

    def _is_young(self) -> bool:
        return self.clock() - self._began_s < self.bounds.known_s
