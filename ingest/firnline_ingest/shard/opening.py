"""Opening a shard: take the fence, open the channel, read the row again, reconcile (docs/design/ledger.md, section 5).

Opening the channel invalidates every earlier opener at the server; the generation rises with it. Whoever finds the
generation moved afterwards yields.
"""

from dataclasses import dataclass, replace
from types import MappingProxyType
from uuid import uuid4

from firnline_ingest.kinesis.errors import ShardExpired
from firnline_ingest.kinesis.start import After
from firnline_ingest.ledger.errors import ChannelDropped, Fenced, TokenMissing
from firnline_ingest.ledger.incident import Incident, IncidentKind, Loss
from firnline_ingest.ledger.losses import described
from firnline_ingest.ledger.reconcile import Case, Look, Resume, reconcile
from firnline_ingest.ledger.row import ChannelEntry, ShardRow
from firnline_ingest.shard.baseline import state_at_rest
from firnline_ingest.shard.channel import ShardChannel
from firnline_ingest.shard.incidents import Noted, log_incident, uncounted
from firnline_ingest.shard.rejected import refuse_rejected
from firnline_ingest.shard.retention import HOUR_MS, UNKNOWN_MS
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.shard.work import ShardServices, ShardWork
from firnline_ingest.values import ChannelState, Fence

REBUILT = "the ledger had no row for a channel that had a committed token; what lies before it can't be proven"


@dataclass(frozen=True, slots=True)
class Opened:
    """A shard that this process holds: its row, its channel, and where to go on."""

    row: ShardRow
    channel: ShardChannel
    resume: Resume


def open_shard(work: ShardWork, services: ShardServices, noted: Noted = uncounted) -> Opened:
    """May block as long as another opener's rows are uncommitted.

    Raises Fenced, the refusals of ledger/reconcile.py, ShardExpired for a parent that nobody read, RowsRejected, and what
    the channel's opening raises.
    """
    taken = _take(work, services)
    services.observer(EpochStep.TAKEN, work.key)
    channel, state = services.channels.open(work.target, work.channel)
    try:
        services.observer(EpochStep.OPENED, work.key)
        row = _as_spark_knows(_read_again(taken, services), work)
        services.observer(EpochStep.REREAD, work.key)
        row, resume = _Reconciliation(work, services, channel, noted).of(row, state)
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
    """A row that was lost begins again at the position that Spark's offset log has; one that a person reset does not."""
    if row.is_new and isinstance(work.start, After):
        return replace(row, read_through=work.start.position)
    return row


@dataclass(frozen=True, slots=True)
class _Reconciliation:
    """What reconcile decides, written into the row: the channel is listed before anything is appended to it."""

    work: ShardWork
    services: ShardServices
    channel: ShardChannel
    noted: Noted

    def of(self, row: ShardRow, state: ChannelState) -> tuple[ShardRow, Resume]:
        work = self.work
        row = self._without_unread_parents(_since(row, work))
        look = Look(work.target, self.services.run_id, work.epoch, self.services.now_ms())
        try:
            resume = reconcile(row, work.channel, state, look, work.pipeline.conversion_hash)
            if resume.case in (Case.LEDGER_REBUILT, Case.DECIDED):
                assert state.committed is not None
                state = state_at_rest(self.channel, state.committed, self.services.counters_rest_s)
                resume = reconcile(row, work.channel, state, look, work.pipeline.conversion_hash)
        except TokenMissing:
            self._note_missing(row, look)
            raise
        except ChannelDropped as error:
            self._write(row, Incident(IncidentKind.CHANNEL_DROPPED, look.now_ms, error.what))
            raise
        if resume.unseen_errors:
            self._refuse_unseen(row, resume)
        listed = _listed(row, work, resume, look, state.created_ms)
        return self._write(listed, *_incidents(row, work, resume, look.now_ms)), resume

    def _without_unread_parents(self, row: ShardRow) -> ShardRow:
        """Raises ShardExpired for parents that left the stream unread, until the shard has begun or the policy goes on."""
        work = self.work
        if not work.trimmed_parents or row.channels:
            return row
        now_ms, parents = self.services.now_ms(), ", ".join(work.trimmed_parents)
        detail = f"these left the stream before anybody read them, with all that was between them and what was read: {parents}"
        loss = Loss(row.since_ms if row.since_ms > UNKNOWN_MS else None, now_ms - work.retention_hours * HOUR_MS)
        row = self._write(row, Incident(IncidentKind.PARENT_UNREAD, now_ms, detail, loss=loss))
        if work.pipeline.fail_on_data_loss:
            raise ShardExpired(f"{work.key.stream}/{parents}", described(loss))
        return row

    def _note_missing(self, row: ShardRow, look: Look) -> None:
        """In which epoch the token was missed first; the heartbeat stays, because it tells how long nobody was here."""
        entry = row.channels[self.work.channel]
        if not entry.missed:
            missed = replace(entry, missed=look.id)
            self._write(replace(row, channels=MappingProxyType({**row.channels, self.work.channel: missed})))

    def _refuse_unseen(self, row: ShardRow, resume: Resume) -> None:
        """Raises RowsRejected before the row is written: the next opening finds the same."""
        assert resume.committed is not None
        refuse_rejected(self.work, row, resume.unseen_errors, up_to=resume.committed, cause=self.channel.last_error())

    def _write(self, row: ShardRow, *incidents: Incident) -> ShardRow:
        for incident in incidents:
            row = row.with_incident(incident)
        self.services.ledger.write(row)
        for incident in incidents:
            log_incident(row.key, incident)
            self.noted(incident)
        return row


def _since(row: ShardRow, work: ShardWork) -> ShardRow:
    """A row that is new knows since when the shard is ours, and how long the stream keeps its records."""
    return replace(
        row,
        since_ms=row.since_ms or work.since_ms,
        retention_hours=row.retention_hours or work.retention_hours,
    )


def _listed(row: ShardRow, work: ShardWork, resume: Resume, look: Look, created_ms: int) -> ShardRow:
    """The row with the channel, of which now everything is known that was ever sent: what it has committed."""
    if isinstance(resume.start, After) and resume.case in (Case.LEDGER_REBUILT, Case.DECIDED):
        row = replace(row, read_through=resume.start.position)
    entry = ChannelEntry(work.target, resume.baseline, seen=resume.committed, created_ms=created_ms)
    return replace(
        row,
        heartbeat_ms=look.now_ms,
        routing=work.pipeline.conversion_hash,
        channels=MappingProxyType({**row.channels, work.channel: entry}),
        sent_through=resume.committed,
        is_sending=False,
        reset=None,
    )


def _incidents(row: ShardRow, work: ShardWork, resume: Resume, now_ms: int) -> list[Incident]:
    found = []
    if resume.case is Case.LEDGER_REBUILT:
        found.append(Incident(IncidentKind.LEDGER_REBUILT, now_ms, REBUILT, resume.committed))
    if resume.case is Case.CHANNEL_EXPIRED:
        proven = row.channels[work.channel].proven.position
        detail = f"the channel {work.channel} was not used for 30 days, and expired; everything sent to it was proven"
        found.append(Incident(IncidentKind.CHANNEL_EXPIRED, now_ms, detail, proven))
    if resume.unseen_errors and resume.committed:
        detail = (
            f"{resume.unseen_errors} rows were rejected up to {resume.committed.token}, and no proof had shown them"
        )
        found.append(Incident(IncidentKind.REJECTED_UNSEEN, now_ms, detail, resume.committed))
    return found
