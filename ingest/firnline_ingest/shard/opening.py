"""Opening a shard: take the fence, open the channel, read the row again, reconcile (docs/design/ledger.md, section 5).

Opening the channel invalidates every earlier opener at the server; the generation rises with it. Whoever finds the
generation moved afterwards yields.
"""

from dataclasses import dataclass, replace
from types import MappingProxyType
from uuid import uuid4

from firnline_ingest.kinesis.start import After
from firnline_ingest.ledger.errors import Fenced
from firnline_ingest.ledger.incident import Incident, IncidentKind
from firnline_ingest.ledger.reconcile import Case, Resume, reconcile
from firnline_ingest.ledger.row import ChannelEntry, ShardRow
from firnline_ingest.shard.channel import ShardChannel
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.shard.work import ShardServices, ShardWork
from firnline_ingest.values import Fence


@dataclass(frozen=True, slots=True)
class Opened:
    """A shard that this process holds: its row, its channel, and where to go on."""

    row: ShardRow
    channel: ShardChannel
    resume: Resume


def open_shard(work: ShardWork, services: ShardServices) -> Opened:
    """May block as long as another opener's rows are uncommitted.

    Raises Fenced, the refusals of ledger/reconcile.py, and what the channel's opening raises.
    """
    taken = _take(work, services)
    services.observer(EpochStep.TAKEN, work.key)
    channel, state = services.channels.open(work.target, work.channel)
    try:
        services.observer(EpochStep.OPENED, work.key)
        row = _as_spark_knows(_read_again(taken, services), work)
        services.observer(EpochStep.REREAD, work.key)
        resume = reconcile(row, work.channel, state, work.target, work.pipeline.conversion_hash)
        row = _listed(row, work, resume, services.now_ms())
        services.ledger.write(row)
        services.observer(EpochStep.RECONCILED, work.key)
    except BaseException:
        channel.close()
        raise
    return Opened(row, channel, resume)


def _take(work: ShardWork, services: ShardServices) -> ShardRow:
    before = services.ledger.read(work.key)
    owner = f"{services.run_id}/{uuid4().hex[:12]}"
    return services.ledger.take(work.key, before.fence if before else Fence(), owner, work.pin)


def _read_again(taken: ShardRow, services: ShardServices) -> ShardRow:
    row = services.ledger.read(taken.key)
    if row is None or row.fence != taken.fence:
        raise Fenced(taken.key, row.fence.owner if row else "")
    return row


def _as_spark_knows(row: ShardRow, work: ShardWork) -> ShardRow:
    """A row that was lost begins again at the position that Spark's offset log has, not at the pin."""
    if row.read_through is None and not row.channels and isinstance(work.start, After):
        return replace(row, read_through=work.start.position)
    return row


def _listed(row: ShardRow, work: ShardWork, resume: Resume, now_ms: int) -> ShardRow:
    """The row with the channel listed, before anything is appended to it."""
    if resume.case is Case.LEDGER_REBUILT and resume.committed:
        row = replace(row, read_through=max(resume.committed, row.read_through or resume.committed))
    entry = ChannelEntry(work.target, resume.baseline)
    for incident in _incidents(row, work, resume, now_ms):
        row = row.with_incident(incident)
    return replace(
        row,
        heartbeat_ms=now_ms,
        routing=work.pipeline.conversion_hash,
        channels=MappingProxyType({**row.channels, work.channel: entry}),
    )


def _incidents(row: ShardRow, work: ShardWork, resume: Resume, now_ms: int) -> list[Incident]:
    found = []
    if resume.case is Case.LEDGER_REBUILT:
        detail = "the ledger had no row for a channel that had a committed token; what lies before it can't be proven"
        found.append(Incident(IncidentKind.LEDGER_REBUILT, now_ms, detail, resume.committed))
    if work.trimmed_parents and not row.channels:
        detail = f"parents left the listing before they were read to their end: {', '.join(work.trimmed_parents)}"
        found.append(Incident(IncidentKind.PARENT_UNREAD, now_ms, detail))
    return found
