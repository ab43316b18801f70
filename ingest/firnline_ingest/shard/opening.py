"""Opening a shard: take the fence, open the channel, read the row again, reconcile (docs/design/ledger.md, section 5).

Opening the channel invalidates every earlier opener at the server; the generation rises with it. An engine that finds the
generation moved afterwards yields.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from uuid import uuid4

from firnline_ingest.kinesis.errors import ShardExpired
from firnline_ingest.kinesis.start import After, Start
from firnline_ingest.ledger.errors import ChannelDropped, Fenced, TokenMissing
from firnline_ingest.ledger.incident import Incident, IncidentKind, Loss, log_incident
from firnline_ingest.ledger.losses import described
from firnline_ingest.ledger.reconcile import Case, ChannelLookup, Resume, TargetSnapshot, reconcile
from firnline_ingest.ledger.row import ChannelEntry, ReadAgain, RunningTotals, Sending, ShardRow
from firnline_ingest.new_columns import NO_CHANNEL, Opening
from firnline_ingest.shard.dead_letters import refuse_stopped
from firnline_ingest.shard.retention import HOUR_MS, UNKNOWN_MS
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.shard.work import Destination, ShardServices, ShardWork
from firnline_ingest.snowflake.channel import ShardChannel, settled_counters
from firnline_ingest.values import ChannelState, Fence, Position

Noted = Callable[[Incident], None]

BEFORE_ALL = Position(0)
"""Before the first record of any shard."""
COUNTED_ANEW = (Case.LEDGER_REBUILT, Case.DECIDED)
REBUILT = "the ledger had no row for a channel that had a committed token; what lies before it can't be proven"
FROM_OFFSET = "the ledger had no row, and no channel a token: reading goes on at what Spark's offset knew"
COMPARE = (
    "A dead letter beyond {} is read again: if it was replayed meanwhile, or is a row by the configuration of now, its "
    "row and the dead letter's are both there. Compare: firnline audit says which records are in the table twice, firnline "
    "dead-letters list --shard {} which dead letters lie beyond it"
)


@dataclass(frozen=True, slots=True)
class OpenedChannel:
    """A channel that was opened, as it stood then."""

    destination: Destination
    channel: ShardChannel
    state: ChannelState


@dataclass(frozen=True, slots=True)
class ResumedChannel:
    """A channel, and what to go on with in it."""

    destination: Destination
    channel: ShardChannel
    resume: Resume


@dataclass(frozen=True, slots=True)
class OpenedShard:
    """A shard that this process holds: its row, its channels in the order of its destinations, and where to go on."""

    row: ShardRow
    channels: tuple[ResumedChannel, ...]
    start: Start
    opening: Opening = NO_CHANNEL

    def close(self) -> None:
        """Gives the channels back; their committed tokens stay."""
        for each in self.channels:
            each.channel.close()


def open_shard(work: ShardWork, services: ShardServices, noted: Noted = lambda _: None) -> OpenedShard:
    """May block as long as another opener's rows are uncommitted.

    Raises Fenced, the refusals of ledger/reconcile.py, ShardExpired for a parent that no engine read, RowsRejected, and what
    the opening of a channel raises.
    """
    taken = _take(work, services)
    services.observer(EpochStep.TAKEN, work.key)
    refuse_stopped(taken, work.pipeline)
    held: list[OpenedChannel] = []
    new_columns = services.new_columns_of(work.pipeline)
    begun_s = new_columns.begin_opening(work.pipeline, work.tables) if new_columns else NO_CHANNEL.begun_s
    try:
        for destination in work.destinations:
            channel, state = services.channels_of(work.pipeline).open(destination.target, destination.channel)
            held.append(OpenedChannel(destination, channel, state))
        opening = Opening(begun_s, new_columns.clock()) if new_columns else NO_CHANNEL
        services.observer(EpochStep.OPENED, work.key)
        found = _read_again(taken, services)
        services.observer(EpochStep.REREAD, work.key)
        row = _as_spark_knows(found, work)
        opened = _Reconciliation(work, services, held, noted, is_rebuilt=row != found).of(row)
        services.observer(EpochStep.RECONCILED, work.key)
    except BaseException:
        for each in held:
            each.channel.close()
        raise
    return replace(opened, opening=opening)


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
    """Decisions of a reconciliation, written into the row: every channel is listed before anything is appended to one."""

    work: ShardWork
    services: ShardServices
    held: Sequence[OpenedChannel]
    noted: Noted
    is_rebuilt: bool
    """True if the row knows nothing but what Spark's offset did."""

    def of(self, row: ShardRow) -> OpenedShard:
        found = row
        row = self._without_unread_parents(_since(row, self.work))
        now_ms = self.services.now_ms()
        try:
            channels = self._reconciled(row, now_ms)
        except TokenMissing:
            self._note_missing(row, now_ms)
            raise
        except ChannelDropped as error:
            self._write(row, Incident(IncidentKind.CHANNEL_DROPPED, now_ms, error.what))
            raise
        for each in channels:
            self._refuse_unseen(row, each)
        incidents = [incident for each in channels for incident in _incidents(row, each, now_ms)]
        has_token = any(each.resume.case is Case.LEDGER_REBUILT for each in channels)
        if has_token or self.is_rebuilt:
            what = REBUILT if has_token else FROM_OFFSET
            incidents.insert(0, _rebuilt(row, what, channels[0].resume.start, now_ms))
        made_ms = [each.state.created_ms for each in self.held]
        totals = _totals(found, channels, self.work.reported, is_rebuilt=has_token or self.is_rebuilt)
        return OpenedShard(
            self._write(replace(_listed(row, self.work, channels, made_ms, now_ms), totals=totals), *incidents),
            channels,
            channels[0].resume.start,
        )

    def _reconciled(self, row: ShardRow, now_ms: int) -> tuple[ResumedChannel, ...]:
        held = self.held
        resumes = self._resumes(row, held, now_ms)
        if any(resume.case in COUNTED_ANEW for resume in resumes):
            pairs = zip(held, resumes, strict=True)
            held = [self._settled(each) if resume.case in COUNTED_ANEW else each for each, resume in pairs]
            resumes = self._resumes(row, held, now_ms)
        return tuple(
            ResumedChannel(each.destination, each.channel, resume) for each, resume in zip(held, resumes, strict=True)
        )

    def _resumes(self, row: ShardRow, held: Sequence[OpenedChannel], now_ms: int) -> list[Resume]:
        lookups = [
            ChannelLookup(each.destination.channel, each.state, self._snapshot(each.destination, now_ms))
            for each in held
        ]
        return reconcile(row, lookups, self.work.pipeline.conversion_hash)

    def _snapshot(self, destination: Destination, now_ms: int) -> TargetSnapshot:
        return TargetSnapshot(destination.target, self.services.run_id, self.work.epoch, now_ms)

    def _settled(self, held: OpenedChannel) -> OpenedChannel:
        assert held.state.committed is not None
        return replace(held, state=settled_counters(held.channel, held.state.committed, self.services.counter_settle_s))

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

    def _note_missing(self, row: ShardRow, now_ms: int) -> None:
        """Notes the epoch in which a token was missed first; keeps the heartbeat, which says how long no engine was here."""
        missing = {}
        for each in self.held:
            entry = row.channels.get(each.destination.channel)
            if entry is not None and each.state.committed is None and not entry.missed:
                missing[each.destination.channel] = replace(entry, missed=self._snapshot(each.destination, now_ms).id)
        if missing:
            self._write(replace(row, channels=MappingProxyType({**row.channels, **missing})))

    def _refuse_unseen(self, row: ShardRow, opened: ResumedChannel) -> None:
        """Raises RowsRejected before the row is written: the next opening finds the same."""
        resume = opened.resume
        if resume.unseen_errors:
            assert resume.committed is not None
            cause = opened.channel.last_error()
            unseen, up_to = resume.unseen_errors, resume.committed
            self.work.refuse_rejected(opened.destination, row, unseen, up_to=up_to, cause=cause)

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


def _totals(
    row: ShardRow, opened: Sequence[ResumedChannel], reported: RunningTotals | None, *, is_rebuilt: bool
) -> RunningTotals:
    """A person's decision may go on after rows that nobody has counted here: the channels have."""
    totals = row.totals or _begun_to_count(row, opened, reported, is_rebuilt=is_rebuilt)
    start = opened[0].resume.start
    if not isinstance(start, After) or start.position <= totals.through:
        return totals
    if not any(each.resume.case is Case.DECIDED for each in opened):
        return totals
    return replace(totals, through=start.position, rows=max(totals.rows, _rows_of(opened)))


def _rows_of(opened: Sequence[ResumedChannel]) -> int:
    return sum(each.resume.baseline.rows_inserted + each.resume.baseline.rows_error for each in opened)


def _begun_to_count(
    row: ShardRow, opened: Sequence[ResumedChannel], reported: RunningTotals | None, *, is_rebuilt: bool
) -> RunningTotals:
    """Before the first count of a row that is new, or that only an earlier release has opened.

    What a channel counted itself is in the totals of a row that was lost; what dead letters there were, receipts say.
    """
    known = [each.resume.committed for each in opened]
    committed = None if None in known else min(filter(None, known))
    if is_rebuilt:
        start = opened[0].resume.start
        through = start.position if isinstance(start, After) else BEFORE_ALL
        rebuilt = RunningTotals(through=through, rows=_rows_of(opened), has_all_rows=committed is not None)
        return rebuilt if reported is None else _gone_on(rebuilt, reported)
    is_new = row.was_never_written or not row.channels
    before = [row.counted_through] if row.counted_through else [row.read_through, None if is_new else committed]
    through = max(filter(None, before), default=BEFORE_ALL)
    return RunningTotals(through=through, begun_by=row.fence.owner, has_all_rows=through == BEFORE_ALL)


def _gone_on(rebuilt: RunningTotals, reported: RunningTotals) -> RunningTotals:
    """The totals of a row that was lost, where receipts had reported some: these go on, so that nothing is counted twice.

    What lies between them and a start further on is in no receipt: rows are in the channels' counters, if those are as old as
    the totals; dead letters are known to nobody, and those that come are counted by themselves.
    """
    is_whole = rebuilt.has_all_rows and reported.has_all_rows and rebuilt.rows >= reported.rows
    if rebuilt.through > reported.known_through:
        return replace(rebuilt, has_all_rows=rebuilt.has_all_rows and (is_whole or not reported.has_all_rows))
    is_ahead = rebuilt.through > reported.through
    return replace(
        reported,
        through=max(rebuilt.through, reported.through),
        rows=rebuilt.rows if is_ahead and is_whole else reported.rows,
        reported_through=reported.known_through,
        tallied_through=reported.tallied_through,
    )


def _listed(
    row: ShardRow, work: ShardWork, channels: Sequence[ResumedChannel], made_ms: Sequence[int], now_ms: int
) -> ShardRow:
    """The row with the channels, of which now everything is known that was ever sent: what they have committed."""
    start = channels[0].resume.start
    if isinstance(start, After) and any(each.resume.case in COUNTED_ANEW for each in channels):
        row = replace(row, read_through=start.position)
    sent = {each.destination.channel: _sent(row, each) for each in channels}
    entries = {
        each.destination.channel: ChannelEntry(
            each.destination.target,
            each.resume.baseline,
            seen=each.resume.committed,
            created_ms=created_ms,
            drops_through=each.resume.drops_through,
            sending=sent[each.destination.channel] if len(channels) > 1 else None,
        )
        for each, created_ms in zip(channels, made_ms, strict=True)
    }
    return replace(
        row,
        heartbeat_ms=now_ms,
        routing=work.pipeline.conversion_hash,
        read_again=row.read_again and _read_again_by(row, row.read_again, work, channels),
        channels=MappingProxyType({**row.channels, **entries}),
        sent_through=max(filter(None, (each.through for each in sent.values())), default=None),
        sent_ms=max(each.ms for each in sent.values()),
        is_sending=False,
        reset=None,
    )


def _read_again_by(row: ShardRow, again: ReadAgain, work: ShardWork, channels: Sequence[ResumedChannel]) -> ReadAgain:
    conversion = work.pipeline.conversion_hash
    if row.reset is None:
        return again.by(conversion, row.read_through)
    return again.begun(conversion, keeps_rows=any(each.resume.committed for each in channels))


def _sent(row: ShardRow, opened: ResumedChannel) -> Sending:
    return Sending(opened.resume.committed, row.sending_of(opened.destination.channel).ms)


def _rebuilt(row: ShardRow, what: str, start: Start, now_ms: int) -> Incident:
    """One memory is gone, and with it which records beyond `start` were dead letters: a person has to compare."""
    through = start.position if isinstance(start, After) else None
    compare = COMPARE.format(through.token if through else "its start", row.key.shard_id)
    return Incident(IncidentKind.LEDGER_REBUILT, now_ms, f"{what}. {compare}", through)


def _incidents(row: ShardRow, opened: ResumedChannel, now_ms: int) -> list[Incident]:
    found, resume, channel = [], opened.resume, opened.destination.channel
    if resume.case is Case.CHANNEL_EXPIRED:
        proven = row.channels[channel].proven.position
        detail = f"the channel {channel} was not used for 30 days, and expired; everything sent to it was proven"
        found.append(Incident(IncidentKind.CHANNEL_EXPIRED, now_ms, detail, proven))
    if resume.unseen_errors and resume.committed:
        detail = (
            f"{resume.unseen_errors} rows were rejected up to {resume.committed.token}, and no proof had shown them"
        )
        found.append(Incident(IncidentKind.REJECTED_UNSEEN, now_ms, detail, resume.committed))
    return found
