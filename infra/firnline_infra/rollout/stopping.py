"""Ends a run: its engine is asked, through the ledger, to prove its rows; then the run is cancelled, and waited for."""

from firnline_infra.rollout.context import RolloutContext
from firnline_infra.rollout.errors import StillThere
from firnline_infra.rollout.ownership import may_be_of
from firnline_infra.rollout.phases import Phase
from firnline_infra.runtimes.service import Run, RunState

PROOF_SEEN_S = 5.0
"""An engine that gives the application back was heard a moment before; of one that was not, a standby has taken it as of a dead
one, and it proves the last rows itself."""


def stop(context: RolloutContext, run: Run) -> None:
    """The run's engine proves its rows if it listens, and nothing of the run is left. Raises StillThere."""
    ask(context, run)
    remove(context, run)


def stop_outliving(context: RolloutContext, run: Run) -> None:
    """Ends a run that its service calls over and whose engine is alive, as `stop` does. Raises StillThere."""
    context.say(f"Run {run.id} is {run.state}, and its engine reads on.")
    ask(context, run, lives_on=True)
    remove(context, run)


def cancel(context: RolloutContext, run: Run) -> None:
    """Ends a run that is one too many: the ledger doesn't say whose engine holds the application, so none is asked. Raises
    StillThere.
    """
    context.step(f"stop {run.id}")
    context.say(f"Run {run.id} ({_content(run)}): is one too many, and cancelled.")
    remove(context, run)


def hand_over(context: RolloutContext, run: Run) -> None:
    """The run's engine gives the application to the one that stands by, or is ended. Raises StillThere."""
    if not ask(context, run):
        remove(context, run)


def ask(context: RolloutContext, run: Run, *, lives_on: bool = False) -> bool:
    """True once its engine has proven its rows and given the application back. `lives_on` says that it is alive whatever its
    service says of the run."""
    context.step(f"stop {run.id}")
    context.say(f"Run {run.id} ({_content(run)}): asked to stop, once its rows are proven.")
    context.current_state = f"run {run.id} may have been asked to stop"
    has_ended = _ask(context, run, lives_on)
    if not has_ended:
        context.say(
            f"Run {run.id}: its engine does not give the application back; it is cancelled. No row is lost by that."
        )
    return has_ended


def remove(context: RolloutContext, run: Run) -> None:
    """Cancels it, and returns when nothing of it is left. Raises StillThere."""
    service, timeouts = context.service, context.timeouts
    now = service.look(run).state
    if now.is_active or now is RunState.UNKNOWN:
        service.cancel(run, grace_s=timeouts.grace_s)
    until_s = context.clock() + timeouts.gone_s
    while not service.is_gone(run):
        if context.clock() > until_s:
            raise StillThere(service.look(run), timeouts.gone_s, "something of it is still there")
        context.wait()
    context.phases.end(Phase.GONE)
    context.current_state = (
        f"run {run.id} was stopped and is gone, and nothing was started in its place: NO ENGINE READS"
    )
    context.say(f"Run {run.id}: gone.")


def _ask(context: RolloutContext, run: Run, lives_on: bool) -> bool:
    """True once the engine has given the application back, with its rows proven. Its service may start it again
    while it is asked: then that one is asked too. The engine is looked up before the run: while the run is there, the
    engine can't be one that another deployer has started since, however long this one was asleep. One that is of
    another start is another's, and is left alone.
    """
    ledger, timeouts, clock = context.ledger, context.timeouts, context.clock
    until_s = clock() + timeouts.stop_s
    asked, seen, seen_s = "", (-1, ""), clock()
    while clock() < until_s:
        engine = ledger.current_run()
        if engine is None or not may_be_of(engine, run):
            if clock() - seen_s < PROOF_SEEN_S:
                context.phases.end(Phase.PROOF)
            else:
                context.say(f"Run {run.id}: its engine did not answer any more when the new one took the application.")
            return True
        if not lives_on and not context.service.look(run).state.is_active:
            break
        if engine.run_id != asked and ledger.request_stop(engine.run_id):
            asked = engine.run_id
            context.phases.begin()
        if (engine.beat, engine.run_id) != seen:
            seen, seen_s = (engine.beat, engine.run_id), clock()
        elif clock() - seen_s > timeouts.heartbeat_s:
            return False
        context.wait()
    return ledger.current_run() is None


def _content(run: Run) -> str:
    return run.hash[:12] or "of unknown content"
