"""Ingests one shard in one process, across epochs, in the order of effects of docs/design/ledger.md, section 6.

A page is read; its dead letters are durable before any append that accounts for them; its rows are appended; committed rows
are proven; the ledger never runs ahead of a proof.
"""

from collections.abc import Sequence
from dataclasses import replace

from firnline_ingest.dead_letters.errors import StoppedByRecord, TooManyUnusable
from firnline_ingest.kinesis.errors import ShardExpired
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.reader import Read
from firnline_ingest.records.rows import Rows
from firnline_ingest.shard.append_bisection import AppendBisections
from firnline_ingest.shard.channel_writer import ChannelWriter
from firnline_ingest.shard.channel_writers import ChannelWriters
from firnline_ingest.shard.checkpointer import Checkpointer, SettlingStopped
from firnline_ingest.shard.dead_letters import DecidedBefore, ShardDeadLetters, first_unusable, stopped_by
from firnline_ingest.shard.errors import RecordsUnaccounted
from firnline_ingest.shard.ledger_writer import LedgerWriter
from firnline_ingest.shard.opening import OpenedShard
from firnline_ingest.shard.pages import ShardPages, user_records_of
from firnline_ingest.shard.receipt import ShardState
from firnline_ingest.shard.report import RECORDS, ShardActivity, ShardReport, ShardSnapshot
from firnline_ingest.shard.request import ShardRequest, arrived_by
from firnline_ingest.shard.retention import RetentionWatch
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.shard.work import ShardServices, ShardWork


class TargetMoved(Exception):
    """The planned table, pipe or consumer changed, or the table's columns: this session sends nothing more."""


class ShardSession:
    """Holds open channels and a reader; a session that raised is closed and never used again. One thread at a time uses it."""

    def __init__(
        self,
        work: ShardWork,
        services: ShardServices,
        opened: OpenedShard,
        report: ShardReport,
        bisections: AppendBisections,
    ) -> None:
        self._work, self._services, self._report = work, services, report
        self._request: ShardRequest | None = None
        self._opening = opened.opening
        report.adopt(opened.row, work.reported)
        self.ledger = LedgerWriter(services, opened.row, report.incident)
        self.writers = ChannelWriters(
            [
                ChannelWriter(
                    each,
                    opened.row,
                    work=work,
                    services=services,
                    report=report,
                    bisection=bisections.of(each.destination.channel),
                    before_append=self.ledger.before_append,
                    after_append=self._appended,
                )
                for each in opened.channels
            ]
        )
        self._retention = RetentionWatch(opened.row, opened.start, work.retention_hours)
        self._dead_letters = ShardDeadLetters(work, services, self.ledger.before_keeping, report, opened.row)
        self._checkpointer = Checkpointer(
            work,
            services,
            ledger=self.ledger,
            writers=self.writers,
            retention=self._retention,
            report=report,
            start=opened.start,
            unusable=lambda: self._dead_letters.unusable,
        )
        self._pages = ShardPages(work, services, opened.start, report, arrived_ms=opened.row.arrived_ms)
        self._user_records = user_records_of(work, services, opened.start)
        self._rows = services.queries.row_maker(
            work.pipeline,
            work.key,
            services.schemas,
            typed_by=services.typed_by,
            look=self._waits_for_query,
            now_ms=services.now_ms,
        )
        self._decided, self._proven_before = DecidedBefore(work.key, opened.row.decided), self.writers.proven

    def ingest(self, request: ShardRequest) -> ShardState:
        """Ingests the shard until its end, a bounded run's end, or the request's; then everything is proven.

        Raises the error that stops the shard or makes it reopen its channel, and TargetMoved.
        """
        self._request = request
        state, children = ShardState.READING, tuple[str, ...]()
        while state is ShardState.READING and not request.is_over:
            page = self._next_page(request)
            if page is not None:
                try:
                    state, children = self._take_in(page, request), page.children
                except SettlingStopped:
                    break
            is_kept = self._checkpointer.tick()
            self._show(is_settled=is_kept and page is not None)
        self._finish(ended=state is ShardState.ENDED, children=children)
        return state

    def close(self) -> None:
        self._pages.close()
        self.writers.close()

    def _waits_for_query(self) -> None:
        """While a page waits for its pipeline's query, what was sent before goes on being proven.

        Raises SettlingStopped where the shard is not wanted any more.
        """
        assert self._request is not None, "only what is asked for is ingested"
        self._checkpointer.tick()
        self._report.set_activity(ShardActivity.WAITING)
        self._refuse_a_moved_target()
        if self._request.is_over:
            raise SettlingStopped

    def _next_page(self, request: ShardRequest) -> Read | None:
        self._rows.set_tables(self._services.known_columns(request.work, self._opening))
        try:
            page = self._pages.next(request, self.writers.unproven_bytes)
        except ShardExpired:  # if the policy goes on without the rest, this was its end
            self._checkpointer.shard_expired()
            page = Read((), None, is_end=True)
        if self._pages.is_taken:
            self._checkpointer.request_flush()
        self._checkpointer.set_held_back_ms(self._pages.held_back_ms)
        self._refuse_a_moved_target()
        self._retention.set_retention_hours(request.work.retention_hours)
        return page

    def _take_in(self, page: Read, request: ShardRequest) -> ShardState:
        self._report.set_activity(ShardActivity.SENDING)
        self._report.tally.read(page)
        self._services.observer(EpochStep.READ, self._work.key)
        self._checkpointer.records_lost(page)
        if page.records:
            self.ledger.begins_with(page.records[0].position)
        known = max(filter(None, (self.writers.known_before, self.ledger.row.kept_through)), default=None)
        records = arrived_by(page.records, request.arrival_ms, known)
        is_cut = len(records) < len(page.records)
        for number, piece in enumerate(self._user_records.pieces(records)):
            if number:
                self._checkpointer.tick()
            self._ingest_records(piece)
        is_done = is_cut or (page.is_at_tip and self._retention.was_at_tip and not request.work.is_closed)
        self._retention.took(page, self.writers.accounted, is_cut=is_cut)
        self._pages.took(page)
        if page.is_end and not is_cut:
            return ShardState.ENDED
        return ShardState.DONE if request.arrival_ms is not None and is_done else ShardState.READING

    def _ingest_records(self, records: Sequence[Record]) -> None:
        """Ingests all records at once, unless a channel was lost here before."""
        while records:
            at_once = self.writers.records_at_once(records), self._decided.records_at_once(records)
            some = records[: min(*at_once, self._counted_at_once(records))]
            taken = self._ingest_at_once(some)
            if self.writers.are_bisecting(some):
                self._settle()
            records = records[taken:]

    def _ingest_at_once(self, records: Sequence[Record]) -> int:
        """Returns how many of them were taken in: the rest waits if their rows would be too many at once."""
        self._report.set_activity(ShardActivity.CONVERTING)
        made = self._converted(records)
        self._report.set_activity(ShardActivity.SENDING)
        records = records[: made.taken]
        try:
            self._keep_and_append(records, made)
        except StoppedByRecord as error:
            self._prove_before(records[: first_unusable(made.rejected).index])
            if isinstance(error, TooManyUnusable):
                self.ledger.write(replace(self.ledger.row, stopped_by=stopped_by(self._work.pipeline, error)))
            raise
        if made.is_to_be_settled:
            self._settle()
        if sights := self._rows.first_sights(records, made):
            self._report.tally.sighted(
                {key: (records[index].SequenceNumber, kind) for key, (index, kind) in sights.items()}
            )
        return made.taken

    def _converted(self, records: Sequence[Record]) -> Rows:
        """Raises RecordsUnaccounted before anything of them is appended, or of what stands behind them."""
        made = self._decided.applied(self._with_columns(records), records)
        made = self.writers.without_refused(made, records)
        self._decided.refuse_forgotten(made.rejected, records, self.writers.known_before)
        if made.unaccounted:
            first, last = records[0].SequenceNumber, records[made.taken - 1].SequenceNumber
            raise RecordsUnaccounted(self._work.key, made.unaccounted, first, last)
        return made

    def _with_columns(self, records: Sequence[Record]) -> Rows:
        """Converts records of which each key has a column, or had one refused. Raises what keeps columns from being added, and
        TargetMoved once everything sent is proven where a channel may not know a value's column."""
        made = self._rows.convert(records)
        new_columns = self._services.new_columns_of(self._work.pipeline)
        if not made.unanswered_keys or new_columns is None:
            return made
        self._report.set_activity(ShardActivity.ADDING_COLUMNS)
        pipeline, shard = self._work.pipeline, str(self._work.key)
        with_columns = new_columns.rows_of(
            self._rows, records, pipeline, self._work.tables, shard, opening=self._opening
        )
        if with_columns is None:
            self._settle()
            raise TargetMoved
        return with_columns

    def _keep_and_append(self, records: Sequence[Record], made: Rows) -> None:
        """Dead letters are durable before any append that accounts for them. Raises StoppedByRecord before either."""
        tally = self._report.tally
        if made.rejected:
            self._dead_letters.take(made.rejected, records, tally)
        self._checkpointer.takes(records, made)
        self.writers.append(records, made, tally)
        tally.took(made.ingested, made.left_out)
        if made.unknown_keys and self._work.end_of(records[-1]) > self._report.counted_of(RECORDS):
            tally.unknown_keys += made.unknown_keys
        self._report.counts(RECORDS, self._work.end_of(records[-1]))

    def _counted_at_once(self, records: Sequence[Record]) -> int:
        """Returns how many of these records were all counted before, or all not."""
        counted = self._report.counted_of(RECORDS)
        if records[0].position > counted:
            return len(records)
        beyond = (n for n, each in enumerate(records) if n and self._work.end_of(each) > counted)
        return next(beyond, len(records)) if self._work.end_of(records[0]) <= counted else len(records)

    def _prove_before(self, records: Sequence[Record]) -> None:
        """Proves what stands in front of the record that the shard stops at, so that a restart begins with that one."""
        while records:
            made = self._rows.convert(records)
            self._keep_and_append(records[: made.taken], made)
            records = records[made.taken :]
        self._finish()

    def _settle(self) -> None:
        assert self._request is not None, "only what is asked for is ingested"
        self._checkpointer.settle(self._request.wait)

    def _finish(self, *, ended: bool = False, children: tuple[str, ...] = ()) -> None:
        self._checkpointer.finish(ended=ended, children=children)
        self._show(is_settled=False)

    def _appended(self) -> None:
        self._services.observer(EpochStep.APPENDED, self._work.key)
        self._refuse_a_moved_target()

    def _refuse_a_moved_target(self) -> None:
        if self._request is None:
            return
        work = self._request.work
        if (work.destinations, work.registered_arn) != (self._work.destinations, self._work.registered_arn):
            raise TargetMoved

    def _show(self, *, is_settled: bool) -> None:
        """`is_settled`: what was read in this turn went well, and nothing keeps proof and ledger from being had."""
        self._report.tally.watermark_ms = self.ledger.row.known_ms
        accounted = self.writers.accounted
        self._report.counted_up_to(self.writers.read_through)
        self._report.show(ShardSnapshot(replace(self._report.tally), accounted, self.writers.proven))
        has_nothing_left = self.writers.is_empty and self._report.is_back(accounted)
        if is_settled and (has_nothing_left or self.writers.proven != self._proven_before):
            self._report.healed()
