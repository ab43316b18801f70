"""The report of a shard's thread on itself, and the receipts that others make of it while it goes on.

The thread shows a consistent state after each turn, as one object; a caller takes the last one. Neither waits for
the other, so a call that does not return delays no caller: it is reported as late.
"""

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from firnline_ingest.config.transform import called_by
from firnline_ingest.errors import FirnlineError
from firnline_ingest.ledger.incident import Incident
from firnline_ingest.ledger.row import RunningTotals, ShardRow
from firnline_ingest.shard.errors import OpeningLasts, ShardLate, ShardUnanswered
from firnline_ingest.shard.receipt import UNTOLD, Receipt, ShardProblem, ShardState, Tally
from firnline_ingest.shard.work import ShardWork
from firnline_ingest.snowflake.channel_errors import ChannelStalled
from firnline_ingest.snowflake.errors import SnowflakeUnavailable
from firnline_ingest.snowflake.in_flight import Chunk
from firnline_ingest.values import Position, ShardKey

LATE_S = 30.0  # no call of a healthy shard takes as long
OPENING_S = 180.0  # the SDK waits two minutes for another opener's rows
UNANSWERED_S = UNCOMMITTED_S = 120.0
COMMITS = (SnowflakeUnavailable.id, ChannelStalled.id)
"""Problems that say no more than that nothing is committed; any other one is the cause."""
LONGEST_CAUSE = 500  # characters
LETTERS, RECORDS = "", "records"
"""The dead letters, and what is counted by records, among what is counted by channels."""
MOST_WRITTEN = 20  # totals of writes without an answer
FAILING = 5  # troubles in a row, without progress between, after which a shard counts as failing


class ShardActivity(StrEnum):
    """ShardActivity that a shard's thread is inside of; the words go after "has been"."""

    WAITING = "waiting"
    OPENING = "opening its channel"
    READING = "reading from Kinesis"
    CONVERTING = "making rows of records"
    ADDING_COLUMNS = "adding columns for its keys"
    SENDING = "sending rows to Snowflake"
    PROVING = "asking Snowflake what is committed"
    WRITING = "writing its row of the ledger"


@dataclass(frozen=True, slots=True)
class ShardSnapshot:
    """One consistent state of a shard."""

    tally: Tally
    accounted: Position | None = None
    proven: Position | None = None
    totals: RunningTotals | None = None
    """None before the first opening."""
    uncommitted_rows: int = 0
    """Behind the totals; the tally has them."""


class ShardReport:
    """The report of one shard in this process. Its thread writes, any other may read."""

    def __init__(self, key: ShardKey, clock: Callable[[], float] = time.monotonic) -> None:
        self.tally = Tally()
        """The thread's own; it only ever rises."""
        self.failures = 0
        """Troubles in a row, without progress between."""
        self.has_news = False
        """Whether the shard's thread has ended with something that no receipt has reported."""
        self._key = key
        self._clock = clock
        self._shown = self._told = ShardSnapshot(Tally())
        self._problem: ShardProblem | None = None
        self._is_over = False
        self._told_at = self._told_written = 0
        """After how many receipts counts were reported last, and how many the ledger knows of."""
        self._totals = RunningTotals(through=Position(0))
        self._sent: list[Chunk] = []
        self._kept: list[Position] = []
        """Rows and dead letters behind the totals, of this session: a row that is not proven may become a dead letter."""
        self._tallied_through = Position(0)
        self._uncommitted_since_s: float | None = None
        """When the first row was sent, or the last one was proven, while rows wait for their commit; also in channels before."""
        self._sent_through = Position(0)
        self._written: tuple[RunningTotals, ...] = ()
        """The totals of this report that the ledger may have: those of the last write that was answered, and of later ones."""
        self._counted: dict[str, Position] = {}
        """Up to where the tally has counted, by channel: a session that ends inside a page has counted more than it shows."""
        self._receipts = 0
        self._delay = -1, 0
        """After how many receipts it was reported, and the milliseconds: one object, as `_shown` is."""
        self.begin()

    def adopt(self, row: ShardRow, reported: RunningTotals | None = None) -> None:
        """A session begins with the counts that the ledger has; what a process that was lost had not reported is this one's.
        `reported` is what the driver has heard of the shard: nothing up to there is counted once more.

        Nothing changes where they are this one's own. Otherwise what it counted itself and did not report is another's: who
        begins at the ledger's position counts it again.
        """
        self._sent, self._kept = [], []
        if row.totals is None or row.totals in self._written:
            return
        own = self._shown.totals if self._written else None
        if own is not None and not row.totals.goes_on_from(own):
            again = {name: getattr(self.tally, name) for name in UNTOLD if name != "rejected_rows"}
            self._told = replace(self._told, tally=replace(self._told.tally, **again))
        counted = max(filter(None, (row.counted_through, row.totals.through)))
        tallied = [each.tallied_through for each in (row.totals, reported) if each and each.tallied_through]
        is_told = any(each >= counted for each in tallied)
        for name, count in row.untold.items():
            if name in UNTOLD and not is_told:
                setattr(self.tally, name, getattr(self.tally, name) + count)
        self._totals, self._written = row.totals, (row.totals,)
        self._tallied_through = max([counted, *tallied])
        self._counted.clear()

    def known(self, heard: RunningTotals | None) -> RunningTotals | None:
        """Returns what is known of a shard whose row is lost: by the driver, or by this process, which may have counted more."""
        own = self._shown.totals if self._written else None
        return max(filter(None, (heard, own)), key=lambda each: each.known_through, default=None)

    def sent(self, chunk: Chunk) -> None:
        """Notes rows, also those that were there before, and some that the totals have."""
        self._sent_through = max(self._sent_through, chunk.end)
        self._sent.append(replace(chunk))  # the original loses its rows when they are proven

    def kept(self, letters: Iterable[Position]) -> None:
        """Notes dead letters, also those that were there before, and some that the totals have."""
        self._kept += letters

    def counts(self, what: str, through: Position) -> None:
        """Notes up to where the tally has counted the rows of a channel, or the dead letters."""
        self._counted[what] = max(through, self._counted.get(what, through))

    def counted_of(self, what: str) -> Position:
        """The position beyond which the tally has counted nothing that is in this channel, or kept."""
        return max(self._tallied_through, self._counted.get(what, self._tallied_through))

    def counted_up_to(self, read_through: Position | None) -> RunningTotals:
        """Returns the totals of a session that has come so far: nothing up to there can become something else."""
        before = self._totals
        if read_through is None:
            return before
        if read_through > before.through:
            rows = sum(chunk.rows_up_to(read_through) - chunk.rows_up_to(before.through) for chunk in self._sent)
            letters = sum(before.known_through < each <= read_through for each in self._kept)
            self._uncommitted_since_s = None
            self._totals = replace(
                before,
                through=read_through,
                rows=before.rows + rows,
                dead_letters=before.dead_letters + letters,
                reported_through=before.reported_through if before.known_through > read_through else None,
                tallied_through=before.tallied_through if before.known_through > read_through else None,
            )
        if any(chunk.end <= read_through for chunk in self._sent):  # also where the totals have them already
            self._uncommitted_since_s = None
            self._sent = [chunk for chunk in self._sent if chunk.end > read_through]
        self._kept = [each for each in self._kept if each > read_through]
        return self._totals

    def writes(self, totals: RunningTotals) -> dict[str, int]:
        """The ledger is about to have these totals. Returns the tally's counts that no receipt has reported."""
        self._written = (*self._written, totals)[-MOST_WRITTEN:]
        told = self._told.tally
        return {name: count for name in UNTOLD if (count := getattr(self.tally, name) - getattr(told, name))}

    def _totals_now(self, accounted: Position | None) -> RunningTotals:
        """Returns the totals with what was kept behind them, which stays a dead letter."""
        known = self._totals.known_through
        ahead = {each for each in self._kept if each > known}
        return replace(
            self._totals,
            dead_letters=self._totals.dead_letters + len(ahead),
            reported_through=max(known, accounted or known, *ahead),
            tallied_through=accounted,
        )

    @property
    def receipts(self) -> int:
        """Returns how many there were."""
        return self._receipts

    def checkpointed(self, receipts: int) -> None:
        """Notes that the ledger has the counts, and which of them so many receipts had reported."""
        self._told_written, self._written = receipts, self._written[-1:]

    @property
    def tells_more(self) -> bool:
        """Returns whether a receipt has reported what the ledger still calls untold: the next process would report it again."""
        return self._told_at > self._told_written

    def begin(self) -> None:
        """A thread takes the shard; what was counted before and not reported yet stays."""
        self.failures, self.has_news = 0, False
        self._reached: Position | None = None
        self._state, self._problem, self._is_over = ShardState.OPENING, None, False
        self._is_followed = False
        self._answered_s = self._opening_since_s = self._clock()
        self._unread_because = ""
        self._activity = ShardActivity.WAITING, self._clock()

    def set_activity(self, activity: ShardActivity) -> None:
        self._activity = activity, self._clock()

    def opening(self) -> None:
        self.set_activity(ShardActivity.OPENING)
        if self._state is not ShardState.OPENING:
            self._state, self._opening_since_s = ShardState.OPENING, self._clock()

    def opened(self) -> None:
        self.tally.opens += 1
        self._state = ShardState.READING

    def incident(self, _incident: Incident) -> None:
        """One more that the ledger has."""
        self.tally.incidents += 1

    def rejected(self, rows: int, cause: str, through: str) -> None:
        """The table refused so many more, the last of them for this, at or before this token; those that are not accepted are
        found again whenever the shard is tried again.
        """
        self.tally.rejected_rows += rows
        self.tally.rejection, self.tally.rejected_through = cause[:LONGEST_CAUSE], through

    def proved(self, delay_ms: int) -> None:
        """The longest since the last receipt is kept."""
        receipts, (since, worst_ms) = self._receipts, self._delay
        self._delay = receipts, max(delay_ms, worst_ms) if since == receipts else delay_ms

    def show(self, shown: ShardSnapshot) -> None:
        """Publishes a snapshot; called after each turn."""
        self._shown = replace(shown, totals=self._totals_now(shown.accounted), uncommitted_rows=self._rows_sent)
        if self._uncommitted_since_s is None and self._sent:
            self._uncommitted_since_s = self._clock()
        elif not self._sent and shown.accounted is not None and shown.accounted >= self._sent_through:
            self._uncommitted_since_s = None

    def _show_counts(self) -> None:
        self._shown = replace(
            self._shown,
            tally=replace(self.tally),
            totals=self._totals_now(self._shown.accounted) if self._written else None,
            uncommitted_rows=self._rows_sent,
        )

    def answered(self, at_s: float, cause: str) -> None:
        """Notes when Kinesis answered last, and what kept it from answering since."""
        self._answered_s, self._unread_because = max(at_s, self._answered_s), cause

    def troubled(self, error: FirnlineError) -> None:
        """The channel is given back where it is open, and opened again."""
        self.tally.interruptions += self._state is ShardState.READING
        self._show_counts()
        self.failures += 1
        self._problem = ShardProblem.of(error)
        self._reached = max(filter(None, (self._reached, self._shown.accounted)), default=None)

    def noted(self, error: FirnlineError) -> None:
        """Trouble that keeps the shard from nothing yet."""
        self._problem = ShardProblem.of(error)

    def healed(self) -> None:
        self.failures, self._problem, self._reached = 0, None, None

    def is_back(self, accounted: Position | None) -> bool:
        """Returns whether it has read as far as it had when it was troubled: what lies before has gone well before, too."""
        return self._reached is None or (accounted is not None and accounted >= self._reached)

    def ended(self, state: ShardState, problem: ShardProblem | None, *, is_followed: bool = False) -> None:
        """Notes what the shard's thread ended with. `is_followed`: another attempt has the shard, and the ledger's row, which has
        how far this one had counted."""
        self._show_counts()
        self._is_followed = is_followed
        if state is ShardState.FENCED:
            self._sent, self._uncommitted_since_s = [], None  # who has the shard next waits for the commit
            self._shown = replace(self._shown, uncommitted_rows=0)
        if is_followed:
            self._told, self._written = self._shown, ()  # the other counts what this one did not, or who follows that
        if state in (ShardState.DONE, ShardState.ENDED):
            self.healed()
        self._state, self._problem, self._is_over = state, problem or self._problem, True
        self.has_news = state is not ShardState.READING

    @property
    def has_ended_untold(self) -> bool:
        """True if the shard itself has ended, and no receipt has reported it."""
        return self._is_over and self.has_news and self._state is ShardState.ENDED

    def so_far(self) -> Tally:
        """Returns what was counted since the last receipt."""
        return self._since(self._shown, self._told)

    def receipt(self, work: ShardWork, fingerprint: str, *, is_due: bool = False) -> Receipt:
        """Returns what was counted since the receipt before, and how the shard stands. `is_due`: it should have ended by now."""
        shown, before = self._shown, self._told
        is_over = self._is_over
        state, problem = self._judged(is_due, work)
        since = self._since(shown, before)
        if any(getattr(since, name) for name in UNTOLD):
            self._told_at = self._receipts + 1
        self._told, self.has_news = shown, self.has_news and not is_over
        (told, delay_ms), receipts, self._receipts = self._delay, self._receipts, self._receipts + 1
        return Receipt.of(
            work.key,
            since,
            epoch=work.epoch,
            state=state,
            start=before.accounted.token if before.accounted else "",
            end=shown.accounted.token if shown.accounted else "",
            proven=shown.proven.token if shown.proven else "",
            proof_delay_ms=delay_ms if told == receipts else None,
            is_idle=is_idle(work, since),
            time_to_trim_s=time_to_trim_s(work, since.behind_ms),
            pid=os.getpid(),
            uncommitted_s=int(self._uncommitted_s),
            uncommitted_rows=self._uncommitted_rows,
            totals=None if self._is_followed else shown.totals,
            fingerprint=fingerprint if shown.accounted or self._state is not ShardState.OPENING else "",
            problem=problem,
        )

    def _since(self, shown: ShardSnapshot, before: ShardSnapshot) -> Tally:
        counted = shown.tally.since(before.tally)
        unanswered_s = 0 if self._is_over else int(self._clock() - self._answered_s)
        behind_ms = counted.behind_ms
        if behind_ms is not None:
            behind_ms += unanswered_s * 1000  # at least: how much arrived since is not known
        return replace(counted, unanswered_s=unanswered_s, behind_ms=behind_ms)

    @property
    def _uncommitted_s(self) -> float:
        since_s = self._uncommitted_since_s
        return 0.0 if since_s is None or self._is_over else self._clock() - since_s

    @property
    def _uncommitted_rows(self) -> int:
        return 0 if self._is_over else self._shown.uncommitted_rows

    @property
    def _rows_sent(self) -> int:
        return sum(len(chunk.positions) for chunk in self._sent)

    def _lasting(self, problem: ShardProblem | None) -> ShardProblem | None:
        """Returns the problem, or that nothing is committed: that is one, however often the channel is opened for it."""
        if self._uncommitted_s <= UNCOMMITTED_S or (problem is not None and problem.id not in COMMITS):
            return problem
        waits = f"nothing was committed for {self._uncommitted_s:.0f} s"
        return ShardProblem.of(SnowflakeUnavailable(f"commit {self._uncommitted_rows} rows of {self._key}", waits))

    def _judged(self, is_due: bool, work: ShardWork) -> tuple[ShardState, ShardProblem | None]:
        state, problem, now_s = self._state, self._problem, self._clock()
        if self._is_over:
            return state, problem
        activity, since_s = self._activity
        is_busy = activity not in (ShardActivity.WAITING, ShardActivity.OPENING)
        if is_due or (is_busy and now_s - since_s > LATE_S):
            functions = called_by(work.pipeline.transforms) if activity is ShardActivity.CONVERTING else ()
            late = ShardLate(self._key, doing=activity, for_s=now_s - since_s, functions=functions)
            return ShardState.LATE, ShardProblem.of(late)
        problem = self._lasting(problem)
        if problem is not None:
            is_failing = state is ShardState.OPENING or self.failures > FAILING
            return (ShardState.FAILED if is_failing else state), problem
        if state is ShardState.OPENING:
            for_s = now_s - self._opening_since_s
            if for_s > OPENING_S:
                return ShardState.FAILED, ShardProblem.of(OpeningLasts(self._key, for_s=for_s, cause=""))
        elif now_s - self._answered_s > UNANSWERED_S:
            lasting = ShardUnanswered(self._key, for_s=now_s - self._answered_s, cause=self._unread_because)
            return state, ShardProblem.of(lasting)
        return state, None


def is_idle(work: ShardWork, tally: Tally) -> bool:
    """True for a shard that Kinesis answers for and that had no records for long enough."""
    return tally.unanswered_s < UNANSWERED_S and tally.idle_s >= work.pipeline.idle_after_seconds


def time_to_trim_s(work: ShardWork, behind_ms: int | None) -> int | None:
    """Returns how far the reader is from the end of the stream's retention."""
    if behind_ms is None or not work.retention_hours:
        return None
    return max(0, work.retention_hours * 3600 - behind_ms // 1000)
