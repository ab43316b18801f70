"""One shard in one process, whatever the epoch: read, keep what can't be ingested, append, prove, write the ledger.

The order of effects is that of docs/design/ledger.md, section 6: a dead letter is durable before any append that
accounts for it, and the ledger never runs ahead of a proof. One thread at a time uses a session.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from firnline_ingest.config.pipeline import Aggregation
from firnline_ingest.dead_letters.errors import StoppedByRecord
from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis.aggregate import UserRecords
from firnline_ingest.kinesis.consumer_errors import SubscriptionTaken
from firnline_ingest.kinesis.errors import RecordsLost, ShardExpired
from firnline_ingest.kinesis.lineage import read_hash_range
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.reader import Read, ShardReader
from firnline_ingest.kinesis.sources import Subscriber, page_source
from firnline_ingest.kinesis.start import After
from firnline_ingest.ledger.errors import Fenced
from firnline_ingest.ledger.incident import Incident, IncidentKind
from firnline_ingest.ledger.losses import described
from firnline_ingest.records.rows import RowMaker, Rows
from firnline_ingest.shard.abreast import HeldPage
from firnline_ingest.shard.books import Books
from firnline_ingest.shard.cautions import Cautions
from firnline_ingest.shard.demand import Demand
from firnline_ingest.shard.errors import RecordsUnaccounted
from firnline_ingest.shard.idle import IdleWatch
from firnline_ingest.shard.letters import ShardLetters, first_unusable
from firnline_ingest.shard.opening import Opened
from firnline_ingest.shard.outlet import Outlet
from firnline_ingest.shard.outlets import Outlets
from firnline_ingest.shard.places import position_of
from firnline_ingest.shard.receipt import ShardState, Tally
from firnline_ingest.shard.report import Doing, ShardReport, Shown
from firnline_ingest.shard.retention import RetentionWatch
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.shard.work import ShardServices, ShardWork
from firnline_ingest.snowflake.baseline import state_at_rest
from firnline_ingest.snowflake.errors import ChannelLost, ClientLost
from firnline_ingest.snowflake.in_flight import Chunk
from firnline_ingest.values import Fence, Position

UNPROVEN_BYTES = 64_000_000  # per shard: past it reading waits for commits, so that memory is bounded
COMMIT_POLL_S = 0.2
LONGEST_BACKOFF_S = 30.0  # between two attempts at the books of a shard
READERS_COUNTS = ("reads", "throttled", "unreadable_pages")


class TargetMoved(Exception):
    """The shard is asked for with another table or pipe: not one more row goes to the one that is open. Or it is to be read
    by another consumer.
    """


class ShardSession:
    """Holds an open channel and a reader; a session that raised is closed and never used again."""

    def __init__(
        self, work: ShardWork, services: ShardServices, opened: Opened, report: ShardReport, cautions: Cautions
    ) -> None:
        start, reads_by = opened.start, work.pipeline.reader
        clients = services.clients_of(work.pipeline)
        subscriber = Subscriber(clients.subscriber or clients.kinesis, clients.consumers, work.registered_arn)
        source = page_source(subscriber, work.key, reads_by, services.polling, clock=time.monotonic)
        self.reader = ShardReader(
            clients.kinesis,
            work.key,
            start,
            services.polling,
            retries=services.retries,
            source=source,
            jitter=services.jitter,
        )
        self._held = HeldPage(report)
        self._idle = IdleWatch(opened.row.arrived_ms)
        self._work = work
        self._services = services
        self._report = report
        self._demand: Demand | None = None
        outlets = [
            Outlet(
                each,
                opened.row,
                work=work,
                services=services,
                report=report,
                patience=cautions.patience(each.destination.channel),
            )
            for each in opened.channels
        ]
        self._outlets = Outlets(outlets, self._appended, self._sends)
        self._retention = RetentionWatch(opened.row, opened.start, work.retention_hours)
        self._books = Books(work, services, opened.row, self._retention, self._outlets, report.incident)
        self._cautions = cautions
        self._letters = ShardLetters(work, services, self._books.keeps)
        self._user_records = _user_records(work, services, opened)
        self._rows = RowMaker(
            work.pipeline, work.key.stream, work.key.shard_id, services.schemas, now_ms=services.now_ms
        )
        self._next_proof_s = self._next_write_s = 0.0
        self._next_heartbeat_s = self._heartbeat_after_s()
        self._books_failed = 0
        self._counted = dict.fromkeys(READERS_COUNTS, 0)
        self._proven_before = self.proven

    @property
    def accounted(self) -> Position | None:
        """Every record up to here was appended, or is a durable dead letter."""
        return self._outlets.accounted

    def unproven(self, channel: str) -> Sequence[Chunk]:
        return self._outlets.unproven(channel)

    @property
    def proven(self) -> Position | None:
        return self._outlets.proven

    @property
    def fence(self) -> Fence:
        return self._books.row.fence

    def ingest(self, demand: Demand) -> ShardState:
        """Takes in the shard until its end, a bounded run's end, or nobody wants it any more; then everything is proven.

        Raises what stops the shard or makes it open its channel again, and TargetMoved.
        """
        self._demand = demand
        state, children = ShardState.READING, tuple[str, ...]()
        while state is ShardState.READING and not demand.is_over:
            self._rows.know(demand.work.columns if len(demand.work.destinations) == 1 else None)
            read = self._held.next(demand, self._read)
            self._tell_what_waits()
            self._refuse_a_moved_target()
            self._retention.lasts(demand.work.retention_hours)
            if read is not None:
                self._report.doing(Doing.SENDING)
                self._report.tally.read(read)
                state, children = self._take_in(read, demand, self._report.tally), read.children
            is_kept = self._keep_books()
            self._show(is_settled=is_kept and read is not None)
        self._finish(ended=state is ShardState.ENDED, children=children)
        return state

    def _tell_what_waits(self) -> None:
        """Soon: the others' bound follows from where the slowest shard has come to, as the ledger has it."""
        if self._held.waits_ms > self._books.waits_ms:
            self._books.waits_ms, self._report.tally.idle_s = self._held.waits_ms, 0
            self._next_heartbeat_s = 0.0

    def _finish(self, *, ended: bool, children: tuple[str, ...]) -> None:
        self._report.doing(Doing.SENDING)
        self._outlets.flush()
        if self._outlets.past:
            self._report.doing(Doing.PROVING)
            self._outlets.await_proof(str(self._work.key), self._services.final_commit_s, COMMIT_POLL_S)
        self._report.doing(Doing.WRITING)
        self._books.write(ended=ended, children=children, is_last=True)
        self._show(is_settled=False)

    def close(self) -> None:
        self.reader.close()
        self._outlets.close()

    def _read(self, demand: Demand) -> Read | None:
        self._report.doing(Doing.READING)
        unproven_bytes = self._outlets.bytes
        if unproven_bytes < UNPROVEN_BYTES:
            try:
                return self.reader.read(demand.wait)
            except ShardExpired:
                return self._expired()
            finally:
                self._count()
                trouble = self.reader.trouble
                if isinstance(trouble, SubscriptionTaken):
                    self._next_write_s = self._next_heartbeat_s = (
                        0.0  # by whoever has the shard now, as the ledger will say
                    )
                self._report.answered(self.reader.answered_at_s, trouble.what if trouble else "")
        self._report.answered(0.0, f"{unproven_bytes:,} bytes of rows wait for Snowflake to commit them")
        demand.wait(COMMIT_POLL_S)
        return None

    def _count(self) -> None:
        """The reader counts from when it was made, the tally for as long as the process has the shard."""
        tally = self._report.tally
        for name in READERS_COUNTS:
            now = getattr(self.reader, name)
            setattr(tally, name, getattr(tally, name) + now - self._counted[name])
            self._counted[name] = now

    def _refuse_a_moved_target(self) -> None:
        if self._demand is None:
            return
        work = self._demand.work
        if (work.destinations, work.registered_arn) != (self._work.destinations, self._work.registered_arn):
            raise TargetMoved

    def _appended(self) -> None:
        self._services.observer(EpochStep.APPENDED, self._work.key)
        self._refuse_a_moved_target()

    def _sends(self, outlet: Outlet) -> None:
        if outlet.in_flight.is_only_read_again:
            outlet.prove(time.monotonic())  # before its token moves on: what a person accepted is told by its place
        self._books.sends(outlet)

    def _show(self, *, is_settled: bool) -> None:
        """`is_settled`: what was read in this turn went well, and nothing keeps the books from being kept."""
        self._report.tally.watermark_ms = self._books.row.known_ms
        self._report.show(Shown(replace(self._report.tally), self.accounted, self.proven))
        if is_settled and (self._outlets.is_empty or self.proven != self._proven_before):
            self._report.healed()

    def _take_in(self, read: Read, demand: Demand, tally: Tally) -> ShardState:
        self._services.observer(EpochStep.READ, self._work.key)
        if loss := self._retention.loss(read, self._services.now_ms()):
            lost = RecordsLost(str(self._work.key), what=loss.detail, lost=described(loss.loss))
            self._account_for_loss(loss, lost)
        if read.records:
            self._books.begins_with(read.records[0].position)
        known = max(filter(None, (self._outlets.known_before, self._books.row.kept_through)), default=None)
        records = _arrived_by(read.records, demand.arrival_ms, known)
        is_cut = len(records) < len(read.records)
        for number, piece in enumerate(self._user_records.pieces(records)):
            if number:
                self._keep_books()
            self._ingest_records(piece, tally)
        is_done = is_cut or (read.is_at_tip and self._retention.was_at_tip and not demand.work.is_closed)
        self._retention.took(read, self.accounted, is_cut=is_cut)
        tally.idle_s = self._idle.took(read)
        if read.is_end and not is_cut:
            return ShardState.ENDED
        return ShardState.DONE if demand.arrival_ms is not None and is_done else ShardState.READING

    def _ingest_records(self, records: Sequence[Record], tally: Tally) -> None:
        """All at once, unless the channel was lost here before."""
        while records:
            some = records[: self._cautions.records_at_once(records)]
            taken = self._ingest_at_once(some, tally)
            if self._cautions.are_needed_for(some):
                self._settle()
            records = records[taken:]

    def _settle(self) -> None:
        """Proves what was sent, and says so in the ledger, before anything that could cost the channel is appended."""
        self._outlets.flush()
        past = self._outlets.past
        if not past:
            return
        sent = [outlet.name for outlet in past if not outlet.in_flight.is_empty]
        while not self._outlets.prove(time.monotonic()):
            time.sleep(COMMIT_POLL_S)
        self._cautions.passed(sent)
        self._outlets.draw_lines()
        self._books.write()

    def _ingest_at_once(self, records: Sequence[Record], tally: Tally) -> int:
        """How many of them: the rest waits where their rows would be too many at once."""
        self._report.doing(Doing.CONVERTING)
        made = self._made(records)
        self._report.doing(Doing.SENDING)
        records = records[: made.taken]
        if made.rejected:
            try:
                self._letters.take(made.rejected, records, tally)
            except StoppedByRecord:
                self._prove_before(records[: first_unusable(made.rejected).index], tally)
                raise
        self._outlets.append(records, made, tally)
        tally.took(made.ingested, made.left_out)
        tally.unknown_keys += made.unknown_keys
        if made.is_to_be_settled:
            self._settle()
        if sights := self._rows.first_sights(records, made):
            tally.sighted({key: (records[index].SequenceNumber, kind) for key, (index, kind) in sights.items()})
        return made.taken

    def _made(self, records: Sequence[Record]) -> Rows:
        """Raises RecordsUnaccounted before anything of them is appended, or of what stands behind them."""
        made = self._cautions.without_refused(self._rows.convert(records), records)
        if made.unaccounted:
            raise RecordsUnaccounted(self._work.key, made.unaccounted, records[0], records[made.taken - 1])
        return made

    def _prove_before(self, records: Sequence[Record], tally: Tally) -> None:
        """What stands in front of the record that the shard stops at, so that a restart begins with that one."""
        while records:
            made = self._rows.convert(records)
            if made.rejected:
                self._letters.take(made.rejected, records, tally)
            self._outlets.append(records[: made.taken], made, tally)
            tally.took(made.ingested, made.left_out)
            tally.unknown_keys += made.unknown_keys
            records = records[made.taken :]
        self._finish(ended=False, children=())

    def _keep_books(self) -> bool:
        """False where proof or ledger can't be had for a while: reading goes on, and they are asked for again."""
        now_s = time.monotonic()
        try:
            self._prove_and_write(now_s)
        except (Fenced, ChannelLost, ClientLost):
            raise
        except FirnlineError as error:
            if not error.is_retryable:
                raise
            self._books_failed += 1
            self._report.noted(error)
            longest_s = min(LONGEST_BACKOFF_S, 2.0 ** min(self._books_failed, 10))
            self._next_proof_s = self._next_write_s = now_s + longest_s * self._services.jitter()
        if overdue := self._outlets.overdue(now_s):
            self._report.noted(overdue)
        return self._books_failed == 0 and overdue is None

    def _prove_and_write(self, now_s: float) -> None:
        is_due = now_s >= self._next_proof_s
        if is_due and self._outlets.past:
            self._report.doing(Doing.PROVING)
            self._outlets.prove(now_s)
        is_news = self._outlets.read_through != self._books.row.read_through
        is_urgent = self._books.has_news and not self._books_failed
        if is_urgent or (now_s >= self._next_write_s and (is_news or now_s >= self._next_heartbeat_s)):
            self._report.doing(Doing.WRITING)
            self._books.write()
            self._next_write_s = now_s + self._services.write_every_s
            self._next_heartbeat_s = self._heartbeat_after_s()
        if is_due:
            self._next_proof_s = now_s + self._services.prove_every_s
            self._books_failed = 0

    def _heartbeat_after_s(self) -> float:
        """An idle shard writes too: that shows when its tip was seen last, and that it is still its own. Not all at once."""
        return time.monotonic() + self._services.heartbeat_every_s * (0.5 + self._services.jitter() / 2)

    def _account_for_loss(self, loss: Incident, error: FirnlineError) -> None:
        """Records that left retention unread: an incident, and the end of the shard's run where the policy says so.

        What was committed and not proven lay among them, while reading has not come to where the channel stood when it was
        opened: then the count begins anew.
        """
        behind = [outlet for outlet in self._outlets if not outlet.is_past_what_was_committed]
        self._books.incidents.append(replace(loss, kind=IncidentKind.UNPROVABLE_RANGE) if behind else loss)
        if self._work.pipeline.fail_on_data_loss:
            self._books.write()
            raise error
        for outlet in behind:
            committed = outlet.committed_before
            assert committed is not None
            self._report.doing(Doing.WAITING)
            self._books.rebase(outlet, state_at_rest(outlet.channel, committed, self._services.counters_rest_s))
            if loss.through is None or loss.through > committed:
                outlet.in_flight.accounted = committed  # what is left to read lies behind it

    def _expired(self) -> Read:
        """The shard left the stream unread; where the policy goes on without the rest, this was its end."""
        rest = self._retention.rest(self.accounted, self._services.now_ms())
        self._account_for_loss(rest, ShardExpired(str(self._work.key), described(rest.loss)))
        return Read((), None, is_end=True)


def _user_records(work: ShardWork, services: ShardServices, opened: Opened) -> UserRecords:
    """Of a session that goes on where the shard was left, perhaps inside an aggregate."""
    start, is_on = opened.start, work.pipeline.aggregation is Aggregation.AUTO
    client = services.clients_of(work.pipeline).kinesis
    own_range = partial(read_hash_range, client, work.key.stream, work.key.shard_id)
    return UserRecords(own_range, start.position if isinstance(start, After) else None, is_on=is_on)


def _arrived_by(records: Sequence[Record], arrival_ms: int | None, known: Position | None) -> Sequence[Record]:
    """The records before the first one that arrived after a bounded run's end, and can't be a row or a dead letter already."""
    if arrival_ms is None:
        return records
    for index, record in enumerate(records):
        is_late = (record.ApproximateArrivalTimestamp or 0) * 1000 > arrival_ms
        if is_late and (known is None or position_of(record) > known):
            return records[:index]
    return records
