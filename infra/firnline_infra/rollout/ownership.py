"""Finds which deployment started the running engine: the ledger and the run have the same token of its start.

An engine that was started by hand reports that. A run that another tool started may have no token: if it runs where ours should,
it is taken for ours.
"""

from collections.abc import Sequence
from itertools import islice

from firnline_infra.rollout.context import RolloutContext
from firnline_infra.rollout.errors import EngineElsewhere
from firnline_infra.rollout.records import Deployments
from firnline_infra.runtimes.service import Run, RunState
from firnline_ingest.ledger.backend import Run as EngineRun


def may_be_of(engine: EngineRun, run: Run) -> bool:
    """Returns whether the engine is not known to be of another start than the run's."""
    return not engine.start or not run.start or engine.start == run.start


def is_foreign(engine: EngineRun, runs: Sequence[Run]) -> bool:
    """Returns whether the engine is of none of the runs."""
    return not any(may_be_of(engine, run) for run in runs)


RECORDS = 10
"""Deployments among which the start of an engine is looked for that its service does not list."""


def outliving(context: RolloutContext, records: Deployments, runs: Sequence[Run]) -> Run | None:
    """Returns the run of an engine that is alive and of none of the runs, where a deployment of ours has started it: on EMR on
    EC2 a YARN application lives on when its step is cancelled."""
    engine = context.ledger.current_run()
    if engine is None or not engine.start or not is_foreign(engine, runs):
        return None
    started = islice((record for record in records.newest_first() if record.run), RECORDS)
    listed = (context.service.look(Run(id=each.run, hash=each.hash, state=RunState.STOPPED)) for each in started)
    run = next((run for run in listed if run.start == engine.start), None)
    return run if run is not None and beats(context, run) else None


def beats(context: RolloutContext, run: Run) -> bool:
    """True once a heartbeat of the run's engine was seen; its service may call a run RUNNING whose program has been dead for
    days. False if none came within the time in which any engine beats."""
    seen, until_s = context.ledger.current_run(), context.clock() + context.timeouts.heartbeat_s
    while context.clock() < until_s:
        context.wait()
        engine = context.ledger.current_run()
        if engine and seen and engine.run_id == seen.run_id and engine.beat > seen.beat:
            return may_be_of(engine, run)
        seen = engine
    return False


def refuse_a_foreign_engine(context: RolloutContext, application: str, runs: Sequence[Run]) -> None:
    """Raises EngineElsewhere for an engine that is of none of the runs, and alive; a dead one's row stays, and is nothing."""
    ledger, clock = context.ledger, context.clock
    engine, until_s = ledger.current_run(), clock() + context.timeouts.heartbeat_s
    while engine is not None and is_foreign(engine, runs) and clock() < until_s:
        context.wait()
        again = ledger.current_run()
        if again is not None and (again.run_id, again.beat) != (engine.run_id, engine.beat):
            if is_foreign(again, context.service.runs(application)):  # else another deployer has started it since
                raise EngineElsewhere(application, again.holder)
            return
        engine = again
