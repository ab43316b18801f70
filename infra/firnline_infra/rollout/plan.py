"""The plan of a roll-out: its next step follows from what can be observed alone, so that it can be killed at any point,
and gone on with.

A new engine comes up beside the old one if there is room: until the old one is asked to stop, nothing of it was touched. Else
the old one is stopped first. Whoever reads in the end, no two engines ever write: the ledger's lease sees to that, and nothing is
started in turn while anything of another run is left.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from firnline_infra.rollout.ownership import may_be_of
from firnline_infra.rollout.standing_by import standby_of
from firnline_infra.runtimes.service import Run, RunState
from firnline_ingest.ledger.backend import Run as EngineRun
from firnline_ingest.ledger.standby import Standby, StandbyState


class Step(Enum):
    """The next step."""

    START = auto()
    """Start the new engine: nothing else runs."""
    START_BESIDE = auto()
    """Start the new engine to stand by, beside the run."""
    AWAIT_STANDBY = auto()
    """Wait until the run stands by, ready to take over."""
    PROMOTE = auto()
    """Let the run take over as soon as the application is free."""
    HAND_OVER = auto()
    """Ask the run, which holds the application, to prove its rows and give it back."""
    STOP = auto()
    """Ask the run's engine to prove its rows, and wait until nothing of the run is left."""
    CANCEL = auto()
    """End the run, which is one too many, without asking its engine."""
    REFUSE = auto()
    """The run was started while others were stopped, by its service or by somebody: touch nothing more."""
    WATCH = auto()
    """Watch the run until its engine reads every shard."""
    CLEAR_AWAY = auto()
    """Remove what is left of the run, whose engine has given the application back."""
    FINISH = auto()
    """The run reads; wait until it is at the tip."""
    CALL_OFF = auto()
    """The new engine does not come up, and the run was never stopped: it goes on."""
    PUT_BACK = auto()
    """The new engine failed, and nothing runs: start what ran before."""


@dataclass(frozen=True, slots=True)
class Action:
    """One step, with the run that it is about."""

    step: Step
    run: Run | None = None


@dataclass(slots=True, kw_only=True)
class Attempt:
    """Observations of this deploy on its own actions.

    A deploy that was killed leaves none of it, and the next one begins without.
    """

    found: frozenset[str]
    """The ids of the runs that it has found at first."""
    started: Run | None = None
    """The run that it has started: its service may not list it yet, or no more."""
    beside: Run | None = None
    """The run beside which it was started, to stand by: its service may start that one's engine again meanwhile."""
    ready: str = ""
    """The standby that was seen ready, by its engine's run."""
    handed_over: Run | None = None
    """The run to which the old engine has given the application."""
    reads: Run | None = None
    """The run that was seen reading every shard."""
    cleared: frozenset[str] = frozenset()
    """Runs that it has tried to clear away."""
    lacks_room: bool = False
    """There is no room for two runs."""
    standby_failed: str = ""
    """The reason why the new engine does not stand by."""
    silent: Run | None = None
    """The run of the wanted content that read before, and whose engine does not beat: it is stopped, and started anew."""
    failed: str = ""
    """The reason why the new engine does not come up, where the old one was stopped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """Observations of one application."""

    wanted: str
    """The hash of the job that should run."""
    stands_by: bool
    """True if the job is started beside another one, if there is room."""
    runs: Sequence[Run]
    """The active ones, oldest first; one whose engine was asked to stop is STOPPING."""
    engine: EngineRun | None = None
    """What holds the application, alive or dead."""
    standby: Standby | None = None
    attempt: Attempt

    @property
    def new(self) -> Run | None:
        """The run that is what it should be."""
        return unchanged(self.runs, self.wanted) or self.attempt.started

    @property
    def holder(self) -> Run | None:
        return holder_among(self.runs, self.engine)

    @property
    def row(self) -> Standby | None:
        """The new run's, while it stands by; one that has taken the application is an engine like any other."""
        row = standby_of(self.standby, self.new) if self.new else None
        return row if row is not None and row.state is not StandbyState.TAKEN else None

    @property
    def is_free(self) -> bool:
        """True if the new run has the application, or only has to take it."""
        return self.engine is None or self.new_holds

    @property
    def new_holds(self) -> bool:
        return self.new is not None and self.holder is not None and self.new.id == self.holder.id

    @property
    def would_stand_by(self) -> bool:
        """True if a second engine is to be started beside the one that runs, if there is room. One of the same content has to
        be gone first: not every service tells two of them apart.
        """
        attempt = self.attempt
        is_going = attempt.failed or attempt.standby_failed or attempt.reads or attempt.handed_over
        if is_going or attempt.lacks_room or self.new is not None or self.holder is None:
            return False
        return self.stands_by and not self.holder.is_of(self.wanted)

    def others(self, *but: Run | None) -> list[Run]:
        kept = {run.id for run in but if run}
        return [run for run in self.runs if run.id not in kept]


def plan(observed: Observation) -> Action:
    """The first thing to do; the next one is planned from what it has led to."""
    attempt = observed.attempt
    if attempt.failed:
        return next((Action(Step.STOP, run) for run in observed.runs), Action(Step.PUT_BACK))
    if attempt.silent is not None and (left := [run for run in observed.runs if run.id == attempt.silent.id]):
        return Action(Step.STOP, left[0])
    if attempt.standby_failed:
        return _after_a_failed_standby(observed)
    if attempt.reads is not None:
        return _after_the_new_one_reads(observed, attempt.reads)
    if attempt.handed_over is not None:
        return Action(Step.WATCH, attempt.handed_over)
    if attempt.lacks_room and attempt.beside is not None:
        return Action(Step.CANCEL, attempt.started)
    return _beside(observed) if _is_beside(observed) else _in_turn(observed)


def unchanged(runs: Sequence[Run], wanted: str) -> Run | None:
    """The run that is what it should be; of several the oldest, and the others are in its way."""
    return next((run for run in runs if run.is_of(wanted) and run.state is not RunState.STOPPING), None)


def described(runs: Sequence[Run]) -> str:
    """The runs, as a clause for a person."""
    return ", ".join(f"run {run.id} is {run.state}" for run in runs) or "no engine runs"


def holder_among(runs: Sequence[Run], engine: EngineRun | None) -> Run | None:
    """The run whose engine holds the application, if both say of which start they are: else nobody could tell two apart."""
    return next((run for run in runs if engine and run.start and run.start == engine.start), None)


def as_asked(runs: Sequence[Run], engine: EngineRun | None) -> list[Run]:
    """The runs, with the one STOPPING whose engine was asked to stop: its service doesn't know of that until it ends."""
    if engine is None or not engine.stop_requests:
        return list(runs)
    asked = holder_among(runs, engine) or next((run for run in runs if len(runs) == 1 and may_be_of(engine, run)), None)
    return [replace(run, state=RunState.STOPPING) if run is asked else run for run in runs]


def _is_beside(observed: Observation) -> bool:
    attempt = observed.attempt
    if attempt.lacks_room:
        return False
    if observed.new is None:
        return observed.would_stand_by
    return not observed.new_holds and (observed.row is not None or attempt.beside is not None)


def _beside(observed: Observation) -> Action:
    new, old, row = observed.new, observed.holder, observed.row
    if new is not None and row is not None and row.is_admitted and observed.is_free:
        return Action(Step.WATCH, new)
    if others := observed.others(new, old, observed.attempt.beside):
        return Action(Step.CANCEL, others[0])
    if new is None:
        return Action(Step.START_BESIDE, old)
    if row is None or observed.attempt.ready != row.run_id:
        return Action(Step.AWAIT_STANDBY, new)
    if not row.is_admitted:
        return Action(Step.PROMOTE, new)
    return Action(Step.HAND_OVER, old) if old is not None else Action(Step.WATCH, new)


def _in_turn(observed: Observation) -> Action:
    """Chooses the next action when engines follow one another. Beside the right run no other engine is asked to stop: the
    ledger does not say which of them holds the application."""
    new = observed.new
    others = observed.others(new)
    if new is not None:
        return Action(Step.CANCEL, others[0]) if others else Action(Step.WATCH, new)
    if late := [run for run in others if run.id not in observed.attempt.found]:
        return Action(Step.REFUSE, late[0])
    return Action(Step.STOP, others[0]) if others else Action(Step.START)


def _after_a_failed_standby(observed: Observation) -> Action:
    if observed.new is not None:
        return Action(Step.CANCEL, observed.new)
    if observed.holder is not None:
        return Action(Step.CALL_OFF, observed.holder)
    return next((Action(Step.STOP, run) for run in observed.runs), Action(Step.PUT_BACK))


def _after_the_new_one_reads(observed: Observation, new: Run) -> Action:
    """Treats what is left of the old engine's run, which writes nothing any more, whatever its service says of it."""
    left = [run for run in observed.others(new) if run.id not in observed.attempt.cleared]
    return Action(Step.CLEAR_AWAY, left[0]) if left else Action(Step.FINISH, new)
