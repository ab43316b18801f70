"""Brings the ledger up to what a shard's channels have proven, never ahead of it, and owns the times at which that happens.

Three things are due again and again: asking for proofs, writing what is new, and a heartbeat if nothing is. Trouble that
passes delays them, with full jitter, and holds no reading up (docs/design/ledger.md, sections 3, 4 and 7).
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis.errors import RecordsLost, ShardExpired
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.reader import Read, Wait
from firnline_ingest.kinesis.start import Start
from firnline_ingest.ledger.errors import Fenced
from firnline_ingest.ledger.incident import Incident, IncidentKind
from firnline_ingest.ledger.losses import described
from firnline_ingest.records.rows import Rows
from firnline_ingest.shard.channel_writer import ChannelWriter
from firnline_ingest.shard.channel_writers import ChannelWriters
from firnline_ingest.shard.ledger_writer import LedgerWriter, with_what_was_sent
from firnline_ingest.shard.left_out import LeftOutRecords
from firnline_ingest.shard.report import ShardActivity, ShardReport
from firnline_ingest.shard.retention import RetentionWatch
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.shard.work import ShardServices, ShardWork
from firnline_ingest.snowflake.channel import settled_counters
from firnline_ingest.snowflake.channel_errors import ChannelLost, ClientLost, RowsRejected
from firnline_ingest.values import ChannelState

COMMIT_POLL_S = 0.2
LONGEST_BACKOFF_S = 30.0


class SettlingStopped(Exception):
    """The shard is not wanted any more: what follows is not taken in."""


class Checkpointer:
    """Proves a session's rows and writes the ledger; not thread-safe."""

    def __init__(
        self,
        work: ShardWork,
        services: ShardServices,
        *,
        ledger: LedgerWriter,
        writers: ChannelWriters,
        retention: RetentionWatch,
        report: ShardReport,
        start: Start,
        unusable: Callable[[], Mapping[int, int]],
    ) -> None:
        """`start`: where the session's reading begins.

        `unusable` says how many unusable records each minute had (ShardDeadLetters)."""
        self._work, self._services = work, services
        self._ledger, self._writers = ledger, writers
        self._retention, self._report, self._unusable = retention, report, unusable
        self._left_out = LeftOutRecords(ledger.row, start, work.pipeline)
        self._held_back_ms = 0
        self._failures = 0
        self._next_proof_s = self._next_write_s = 0.0
        self._next_heartbeat_s = self._heartbeat_after_s()

    def takes(self, records: Sequence[Record], made: Rows) -> None:
        """Takes what is about to be accounted for, before it is."""
        self._left_out.note(records, made)

    def tick(self) -> bool:
        """Proves and writes what is due. Returns False while proof or ledger can't be had: reading goes on meanwhile.

        Raises Fenced, ChannelLost, ClientLost, and what time can't heal.
        """
        now_s = time.monotonic()
        try:
            self._prove_and_write(now_s)
        except (Fenced, ChannelLost, ClientLost):
            raise
        except FirnlineError as error:
            if not error.is_retryable:
                raise
            self._failures += 1
            self._report.noted(error)
            longest_s = min(LONGEST_BACKOFF_S, 2.0 ** min(self._failures, 10))
            self._next_proof_s = self._next_write_s = now_s + longest_s * self._services.jitter()
        if overdue := self._writers.overdue(now_s):
            self._report.noted(overdue)
        return self._failures == 0 and overdue is None

    def settle(self, wait: Wait) -> None:
        """Proves what was sent, and writes it into the ledger, before anything is appended that could cost the channel.

        Raises SettlingStopped where `wait` says to give up.
        """
        self._writers.flush()
        caught_up = self._writers.caught_up
        if not caught_up:
            return
        sent = [writer for writer in caught_up if not writer.in_flight.is_empty]
        while not self._writers.prove(time.monotonic()):
            if wait(COMMIT_POLL_S):
                raise SettlingStopped
        for writer in sent:
            writer.bisection.passed()
        self._writers.skip_settled()
        self.checkpoint()

    def finish(self, *, ended: bool = False, children: tuple[str, ...] = ()) -> None:
        """Proves everything that was sent and writes the last row of this session. Raises as `ChannelWriters.await_proof`."""
        self._report.set_activity(ShardActivity.SENDING)
        self._writers.flush()
        if self._writers.caught_up:
            self._report.set_activity(ShardActivity.PROVING)
            self._writers.await_proof(str(self._work.key), self._services.final_commit_s, COMMIT_POLL_S)
        self._report.set_activity(ShardActivity.WRITING)
        self.checkpoint(ended=ended, children=children, is_last=True)

    def checkpoint(self, *, ended: bool = False, children: tuple[str, ...] = (), is_last: bool = False) -> None:
        """Brings the ledger's row up to what is proven. Raises Fenced if the shard is another's by now.

        `is_last`: nothing is appended after it. The row then says that all is quiet, if everything is proven.
        """
        read_through, row, receipts = self._writers.read_through, self._ledger.row, self._report.receipts
        totals = self._report.counted_up_to(read_through)
        untold = self._report.writes(totals)
        known = self._retention.known(read_through, is_all=self._writers.is_empty)
        entries = {writer.name: self._ledger.entry(writer, read_through) for writer in self._writers}
        row = replace(
            row,
            heartbeat_ms=self._services.now_ms(),
            read_through=read_through,
            first_read=None if read_through else row.first_read,
            tip_ms=known.tip_ms,
            arrived_ms=known.arrived_ms,
            held_back_ms=max(row.held_back_ms, self._held_back_ms),
            retention_hours=known.retention_hours,
            ended=ended,
            children=children,
            channels=MappingProxyType({**row.channels, **entries}),
            untold=MappingProxyType({} if is_last else untold),
            totals=totals,
            counted_through=self._writers.accounted,
            left_out=self._left_out.up_to(read_through, self._services.now_ms(), known.retention_hours),
            unusable=self._unusable(),
            decided=tuple(each for each in row.decided if read_through is None or each.through > read_through),
        )
        self._ledger.write_with_incidents(with_what_was_sent(row, list(self._writers), is_last=is_last or ended))
        self._report.checkpointed(receipts)
        for writer in self._writers:
            writer.bisection.forget(read_through)
        self._services.observer(EpochStep.LEDGERED, self._work.key)

    def request_flush(self) -> None:
        """Makes the next tick write the ledger's row: another attempt may own the shard now, which that write finds out."""
        self._next_write_s = self._next_heartbeat_s = 0.0

    def set_held_back_ms(self, held_back_ms: int) -> None:
        """Notes that records that arrived before `held_back_ms` were handed on, and a later one waits for the other shards.

        The ledger is written soon, because the other shards' bound depends on the slowest shard's progress.
        """
        if held_back_ms > self._held_back_ms:
            self._held_back_ms, self._next_heartbeat_s = held_back_ms, 0.0

    def records_lost(self, page: Read) -> None:
        """Accounts for records that left retention before this page. Raises RecordsLost if the policy stops the shard."""
        if loss := self._retention.loss(page, self._services.now_ms()):
            self._account_for(loss, RecordsLost(str(self._work.key), how=loss.detail, lost=described(loss.loss)))
            self._ledger.row = replace(self._ledger.row, first_read=None)
            self.checkpoint()  # together: what was lost is not looked for again

    def shard_expired(self) -> None:
        """Accounts for a shard that left the stream unread. Raises ShardExpired if the policy stops the shard."""
        rest = self._retention.rest(self._writers.accounted, self._services.now_ms())
        self._account_for(rest, ShardExpired(str(self._work.key), described(rest.loss)))

    def _prove_and_write(self, now_s: float) -> None:
        is_due = now_s >= self._next_proof_s
        if is_due and self._writers.caught_up:
            self._report.set_activity(ShardActivity.PROVING)
            self._writers.prove(now_s)
        row = self._ledger.row
        is_news = self._writers.read_through != row.read_through
        is_urgent = (self._has_first_token or self._report.tells_more) and not self._failures
        if is_urgent or (now_s >= self._next_write_s and (is_news or now_s >= self._next_heartbeat_s)):
            self._report.set_activity(ShardActivity.WRITING)
            self.checkpoint()
            self._next_write_s = now_s + self._services.write_every_s
            self._next_heartbeat_s = self._heartbeat_after_s()
        if is_due:
            self._next_proof_s = now_s + self._services.prove_every_s
            self._failures = 0

    @property
    def _has_first_token(self) -> bool:
        """True if the ledger must know at once: that a channel has committed anything at all tells one that was dropped from
        one that is new.
        """
        return any(writer.seen and not self._ledger.row.channels[writer.name].seen for writer in self._writers)

    def _heartbeat_after_s(self) -> float:
        """An idle shard writes too: that shows when its tip was seen last, and that it is still its own. Not all at once."""
        return time.monotonic() + self._services.heartbeat_every_s * (0.5 + self._services.jitter() / 2)

    def _account_for(self, loss: Incident, error: FirnlineError) -> None:
        """Records an incident, and raises the error if the policy stops the shard at lost records.

        What was committed and not proven lay among the records, while reading has not come to where the channel stood when it was
        opened: then the count begins anew.
        """
        behind = [writer for writer in self._writers if not writer.has_caught_up]
        self._ledger.incidents.append(replace(loss, kind=IncidentKind.UNPROVABLE_RANGE) if behind else loss)
        if self._work.pipeline.fail_on_data_loss:
            self.checkpoint()
            raise error
        for writer in behind:
            committed = writer.committed_before
            assert committed is not None
            self._report.set_activity(ShardActivity.WAITING)
            self._rebase(writer, settled_counters(writer.channel, committed, self._services.counter_settle_s))
            if loss.through is None or loss.through > committed:
                writer.in_flight.accounted = committed  # what is left to read lies behind it

    def _rebase(self, writer: ChannelWriter, state: ChannelState) -> None:
        """Counts from `state` on, with the rejected rows that it takes along as an incident."""
        if unseen := writer.rejected_before(state):
            self._ledger.incidents.append(unseen)
        try:
            writer.rebase(state)
        except RowsRejected:
            self.checkpoint()
            raise
