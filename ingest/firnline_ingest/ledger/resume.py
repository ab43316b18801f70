"""What a person decided about a shard that the engine refused, written into its row and kept there as an incident.

The engine must be stopped. The fence is raised first, so a running engine fails with Fenced.
"""

from dataclasses import replace

from firnline_ingest.errors import UsageError
from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.backend import Ledger
from firnline_ingest.ledger.errors import AnotherEngineRuns
from firnline_ingest.ledger.incident import Incident, IncidentKind
from firnline_ingest.ledger.row import ResumeFrom, ShardRow
from firnline_ingest.values import Position


class NothingToResume(UsageError):
    id = "FL-1003"

    def __init__(self, stream: str, shard: str | None) -> None:
        super().__init__(
            f"The ledger has no row for {'shard ' + shard if shard else 'any shard'} of {stream!r}.",
            next_step="compare the names with the error that sent you here, and ledger.table with the engine's.",
        )


def resume_from(row: ShardRow, where: ResumeFrom, now_ms: int) -> ShardRow:
    """Marks the row, so that the next open lists its channels anew: after what is proven, or from the oldest record.

    A channel that still has a committed token is gone on with after that token, whatever is said here: no row is
    ever appended twice to one channel.
    """
    detail = f"resumed from {where.value}; {', '.join(row.channels) or 'no channel'} listed anew"
    incident = Incident(IncidentKind.RESUMED, now_ms, detail, row.read_through)
    resumed = replace(row.with_incident(incident), reset=where)
    if where is ResumeFrom.PROVEN:
        return resumed
    return replace(resumed, read_through=None, tip_ms=0, start=TrimHorizon(), ended=False, children=())


def accept_errors(row: ShardRow, through: Position, now_ms: int) -> ShardRow:
    """Rejected rows up to `through` stop the shard no more; they stay in the error table, where there is one."""
    incident = Incident(IncidentKind.ACCEPTED_ERRORS, now_ms, "rejected rows were accepted", through)
    return row.with_incident(incident)


def take_for_resume(ledger: Ledger, application: str, row: ShardRow, now_ms: int) -> ShardRow:
    """The row under a new generation. Raises AnotherEngineRuns where an engine holds the application."""
    run = ledger.current_run()
    if run is not None:
        raise AnotherEngineRuns(application, run.holder)
    return ledger.take(row.key, row.fence, f"resume@{now_ms}", row.start)
