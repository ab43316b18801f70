"""Whose an engine is that holds the application: the ledger has the token of its start, and so has the run that was started.

An engine that somebody started by hand says so. One of an older release says nothing, and neither does a run that somebody
else has started: then nobody can tell, and what runs where ours should is taken for ours.
"""

from collections.abc import Sequence

from firnline_infra.runtimes.service import Run
from firnline_ingest.ledger.backend import Run as EngineRun


def may_be_of(engine: EngineRun, run: Run) -> bool:
    """Whether the engine is not known to be of another start than the run's."""
    return not engine.start or not run.start or engine.start == run.start


def is_foreign(engine: EngineRun, runs: Sequence[Run]) -> bool:
    """Whether the engine is of none of the runs."""
    return not any(may_be_of(engine, run) for run in runs)
