"""One shard in one process, from epoch to epoch: read, keep what can't be ingested, append, prove, write the ledger.

The order of effects is that of docs/design/ledger.md, section 6: a dead letter is durable before any append that
accounts for it, and the ledger never runs ahead of a proof. One thread at a time uses a session.
"""

import time
from collections.abc import Sequence
from dataclasses import replace

from firnline_ingest.deadletter.errors import StoppedByRecord
from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis.errors import RecordsLost, ShardExpired
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.reader import Read, ShardReader
from firnline_ingest.ledger.incident import Incident, IncidentKind
from firnline_ingest.records.rows import RowMaker
from firnline_ingest.shard.appender import Appender, position_of
from firnline_ingest.shard.deadline import Deadline
from firnline_ingest.shard.in_flight import InFlightRows
from firnline_ingest.shard.letters import ShardLetters
from firnline_ingest.shard.opening import Opened
from firnline_ingest.shard.pace import Pace
from firnline_ingest.shard.prover import Prover
from firnline_ingest.shard.receipt import ShardState, Tally
from firnline_ingest.shard.retention import RetentionWatch, described
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.shard.window import SendWindow
from firnline_ingest.shard.work import ShardServices, ShardWork
from firnline_ingest.snowflake.errors import SnowflakeUnavailable
from firnline_ingest.values import Position

UNPROVEN_BYTES = 64_000_000  # per shard: past it reading waits for commits, so that memory is bounded
COMMIT_POLL_S = 0.2


class ShardSession:
    """Holds an open channel and a reader; a session that raised is closed and never used again."""

    def __init__(self, work: ShardWork, services: ShardServices, opened: Opened) -> None:
        self.reader = ShardReader(services.kinesis, work.key, opened.resume.start, services.polling)
        self._work = work
        self._services = services
        self._channel = opened.channel
        self._committed_before = opened.resume.committed
        self._in_flight = InFlightRows(work.key, opened.resume.baseline, opened.row.read_through)
        self._retention = RetentionWatch(opened.row, opened.resume.start, work.retention_hours)
        self._prover = Prover(work, services, opened.channel, self._in_flight, opened.row, self._retention)
        self._window = SendWindow(opened.channel)
        self._appender = Appender(
            opened.channel,
            self._in_flight,
            opened.resume.committed,
            Pace(),
            self._window,
            lambda: services.observer(EpochStep.APPENDED, work.key),
            self._prover.sends,
        )
        self._letters = ShardLetters(work, services)
        self._rows = RowMaker(work.pipeline, work.key.stream, work.key.shard_id)
        self._next_proof_s = self._next_write_s = 0.0

    @property
    def accounted(self) -> Position | None:
        """Every record up to here was appended, or is a durable dead letter."""
        return self._in_flight.accounted

    @property
    def proven(self) -> Position | None:
        return self._in_flight.proven.position

    def is_still_ours(self, work: ShardWork) -> bool:
        """Whether nobody opened the shard since, and the table is the same; asked before another epoch."""
        row = self._services.ledger.read(work.key)
        return row is not None and row.fence == self._prover.row.fence and self._work.target == work.target

    def ingest(self, deadline: Deadline, tally: Tally) -> ShardState:
        """Takes in the shard until it is over. Raises what stops the shard, or makes it open its channel again."""
        state, children = ShardState.READING, tuple[str, ...]()
        while state is ShardState.READING and not deadline.is_over:
            read = self._read(deadline)
            if read is not None:
                tally.read(read)
                state, children = self._take_in(read, deadline, tally), read.children
            self._keep_books()
        self._window.empty()
        if self._is_past_what_was_committed:
            if state is not ShardState.READING or deadline.is_stopped:
                self._await_proof()
            else:
                self._prover.prove(time.monotonic())
        self._prover.write(ended=state is ShardState.ENDED, children=children, is_last=True)
        return state

    def close(self) -> None:
        self._channel.close()

    def _read(self, deadline: Deadline) -> Read | None:
        if self._in_flight.bytes < UNPROVEN_BYTES:
            try:
                return self.reader.read(deadline.wait)
            except ShardExpired:
                return self._expired()
        deadline.wait(COMMIT_POLL_S)
        return None

    def _take_in(self, read: Read, deadline: Deadline, tally: Tally) -> ShardState:
        self._services.observer(EpochStep.READ, self._work.key)
        if loss := self._retention.loss(read, self._services.now_ms()):
            lost = RecordsLost(str(self._work.key), what=loss.detail, lost=described(loss.loss))
            self._account_for_loss(loss, lost)
        records = _arrived_by(read.records, deadline.arrival_ms, self._committed_before)
        is_cut = len(records) < len(read.records)
        if records:
            self._ingest_records(records, tally)
        is_done = is_cut or (read.is_at_tip and self._retention.was_at_tip and not self._work.is_closed)
        self._retention.took(read, self.accounted, is_cut=is_cut)
        if read.is_end and not is_cut:
            return ShardState.ENDED
        return ShardState.DONE if deadline.arrival_ms is not None and is_done else ShardState.READING

    def _ingest_records(self, records: Sequence[Record], tally: Tally) -> None:
        made = self._rows.convert(records)
        if made.rejected:
            try:
                self._letters.take(made.rejected, records, tally)
            except StoppedByRecord:
                self._finish(records[: made.rejected[0].index], tally)
                raise
        self._appender.append(records, made, tally)

    def _finish(self, records: Sequence[Record], tally: Tally) -> None:
        """Proves what stands in front of the record that the shard stops at, so that a restart begins with that one."""
        if records:
            self._appender.append(records, self._rows.convert(records), tally)
        self._window.empty()
        if self._is_past_what_was_committed:
            self._await_proof()
        self._prover.write()

    def _keep_books(self) -> None:
        now_s = time.monotonic()
        if now_s >= self._next_proof_s and self._is_past_what_was_committed:
            self._next_proof_s = now_s + self._services.prove_every_s
            self._prover.prove(now_s)
        if self._prover.has_news or (
            now_s >= self._next_write_s and self._in_flight.read_through != self._prover.row.read_through
        ):
            self._next_write_s = now_s + self._services.write_every_s
            self._prover.write()

    @property
    def _is_past_what_was_committed(self) -> bool:
        """Until then the counters hold rows that were not read again yet."""
        known = self._committed_before
        return known is None or (self._in_flight.accounted is not None and self._in_flight.accounted >= known)

    def _await_proof(self) -> None:
        give_up_s = time.monotonic() + self._services.final_commit_s
        while not self._prover.prove(time.monotonic()):
            if time.monotonic() > give_up_s:
                raise SnowflakeUnavailable(
                    f"commit the last rows of {self._work.key}",
                    f"they are not visible after {self._services.final_commit_s:.0f} s",
                )
            time.sleep(COMMIT_POLL_S)

    def _account_for_loss(self, loss: Incident, error: FirnlineError) -> None:
        """Records that left retention unread: an incident, and the end of the shard's run where the policy says so.

        What was committed and not proven lay among them, while reading has not come to where the channel stood when it was
        opened: then the count begins anew.
        """
        is_provable = self._is_past_what_was_committed
        self._prover.incidents.append(loss if is_provable else replace(loss, kind=IncidentKind.UNPROVABLE_RANGE))
        if self._work.pipeline.fail_on_data_loss:
            self._prover.write()
            raise error
        committed = self._committed_before
        if is_provable or committed is None:
            return
        self._prover.rebase(self._channel.state())
        if loss.through is None or loss.through > committed:
            self._in_flight.accounted = committed  # what is left to read lies behind it

    def _expired(self) -> Read:
        """The shard left the stream unread; where the policy goes on without the rest, this was its end."""
        rest = self._retention.rest(self.accounted, self._services.now_ms())
        self._account_for_loss(rest, ShardExpired(str(self._work.key), described(rest.loss)))
        return Read((), None, is_end=True)


def _arrived_by(records: Sequence[Record], arrival_ms: int | None, committed: Position | None) -> Sequence[Record]:
    """The records before the first one that arrived after a bounded run's end, and is not committed already."""
    if arrival_ms is None:
        return records
    for index, record in enumerate(records):
        is_late = (record.ApproximateArrivalTimestamp or 0) * 1000 > arrival_ms
        if is_late and (committed is None or position_of(record) > committed):
            return records[:index]
    return records
