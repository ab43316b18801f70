"""Keeps one shard going for as long as it is asked for, whatever happens to its channel.

It runs on a thread of its own and never raises: a failing shard must not fail its group. What passes is waited out here,
by this shard alone; what time can't heal ends the thread, and the driver decides by policy.
"""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import replace

from firnline_ingest.errors import FirnlineError
from firnline_ingest.ledger.errors import Fenced
from firnline_ingest.shard.append_bisection import AppendBisections
from firnline_ingest.shard.opening import OpenedShard, open_shard
from firnline_ingest.shard.receipt import Receipt, ShardProblem, ShardState
from firnline_ingest.shard.report import ShardActivity, ShardReport
from firnline_ingest.shard.request import ShardRequest
from firnline_ingest.shard.session import ShardSession, TargetMoved
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.shard.work import ShardServices, ShardWork
from firnline_ingest.snowflake.channel_errors import ChannelLost, ClientLost, RowsRejected
from firnline_ingest.snowflake.errors import SdkBlocked
from firnline_ingest.snowflake.sdk_guard import thread_blocked_s

LONGEST_BACKOFF_S = 30.0
OPENING_POLL_S = 0.25  # while a channel opens: how soon a stop is seen

log = logging.getLogger(__name__)


class ShardRunner:
    """Runs one shard in this process. `run` is its thread; everything else is for others."""

    def __init__(
        self,
        services: ShardServices,
        request: ShardRequest,
        report: ShardReport | None = None,
        *,
        delay_s: float = 0.0,
    ) -> None:
        self.request = request
        self.report = report or ShardReport(request.work.key)
        self.report.begin()
        self.over = threading.Event()
        self._thread: int | None = None
        self._services = services
        self._delay_s = delay_s
        self._session: ShardSession | None = None
        self._bisections = AppendBisections(request.work.destinations)

    def start(self) -> None:
        threading.Thread(target=self.run, name=self.request.work.key.shard_id, daemon=True).start()

    def receipt(self, *, is_due: bool = False) -> Receipt:
        """The receipt, at once, even while the shard's thread is inside a call."""
        work = self.request.work
        fingerprint = self._services.channels_of(work.pipeline).fingerprint
        receipt = self.report.receipt(work, fingerprint, is_due=is_due)
        self._services.observer(EpochStep.RECEIPT, work.key)
        return receipt

    @property
    def blocked_s(self) -> float:
        """For how long its thread has been in one call of Snowflake's SDK."""
        return 0.0 if self._thread is None or self.over.is_set() else thread_blocked_s(self._thread)

    def leave(self) -> SdkBlocked:
        """Leaves the shard's thread where it is; if it ever comes back, it finds the shard another's, and ends. Why it was
        left."""
        error = SdkBlocked(self.request.work.key, self.blocked_s)
        log.error(
            "shard.abandoned", extra={"shard": str(self.request.work.key), "problem": error.id, "what": error.what}
        )
        self.request.stop()
        self.request.close()
        return error

    def run(self) -> None:
        """Runs until no epoch asks any more, the shard is done or has ended, or an error that time can't heal stops it."""
        state, problem, is_followed = ShardState.FAILED, None, False
        self._thread = threading.get_ident()
        self.request.wait(self._delay_s)
        try:
            state = self._ingest_until_over()
        except Fenced as error:
            state, problem, is_followed = ShardState.FENCED, ShardProblem.of(error), bool(error.holder)
        except Exception as error:
            if not isinstance(error, FirnlineError):
                log.exception("shard.defect", extra={"shard": str(self.request.work.key)})
            problem = ShardProblem.of(error)
        self._close()
        self.request.close()
        self.report.ended(state, problem, is_followed=is_followed)
        self.over.set()

    def _ingest_until_over(self) -> ShardState:
        """Raises what time can't heal, and Fenced."""
        while True:
            if self.request.is_over:
                self._close()
                if self.request.close_if_over():
                    return ShardState.FAILED if self.report.failures else ShardState.READING
            try:
                state = self._ingest()
            except TargetMoved:
                self._close()
            except FirnlineError as error:
                explained = self._explained(error)
                if isinstance(explained, Fenced) or not explained.is_retryable:
                    raise explained from error
                self._recover(explained)
            else:
                if state is not ShardState.READING:
                    return state

    def _ingest(self) -> ShardState:
        if self._session is None:
            work = self.request.work
            opened = self._open(replace(work, reported=self.report.known(work.reported)))
            if opened is None:
                return ShardState.READING
            self.report.opened()
            for each in opened.channels:
                if each.resume.unseen_errors:
                    through = each.resume.committed.token if each.resume.committed else ""
                    self.report.rejected(each.resume.unseen_errors, each.channel.last_error(), through)
            if opened.row.ended:  # planned from an offset older than the ledger's row
                opened.close()
                return ShardState.ENDED
            self._session = self._session_on(opened, work)
        return self._session.ingest(self.request)

    def _session_on(self, opened: OpenedShard, work: ShardWork) -> ShardSession:
        """Opens a session, without what was learned from losses on another table: it does not apply to this one."""
        if self._bisections.destinations != work.destinations:
            self._bisections = AppendBisections(work.destinations)
        try:
            self._bisections.opened(opened)
        except FirnlineError:
            opened.close()
            raise
        return ShardSession(work, self._services, opened, self.report, self._bisections)

    def _open(self, work: ShardWork) -> OpenedShard | None:
        """None where the shard is not wanted any more; the channel is then given back as soon as it is open."""
        self.report.opening()
        opening = _in_background(lambda: open_shard(work, self._services, self.report.incident))
        while not opening.done():
            wait([opening], timeout=OPENING_POLL_S)
            if not opening.done() and (self.request.is_over or self.request.work.destinations != work.destinations):
                opening.add_done_callback(_give_back)
                return None
        try:
            return opening.result()
        except RowsRejected as error:
            self.report.rejected(error.rows, error.cause, error.up_to)
            raise

    def _explained(self, error: FirnlineError) -> FirnlineError:
        """Fenced where the shard is another attempt's by now: what this one saw is then the other's doing."""
        is_lost = isinstance(error, ChannelLost | ClientLost)
        if self._session is None or (error.is_retryable and not is_lost):
            return error
        try:
            row = self._services.ledger.read(self.request.work.key)
        except FirnlineError as unknown:
            return unknown
        if row is not None and row.fence == self._session.ledger.fence:
            return error
        return Fenced(self.request.work.key, row.fence.owner if row else "")

    def _recover(self, error: FirnlineError) -> None:
        """Waits, longer each time that nothing was achieved in between; full jitter keeps shards from coming at once."""
        if self._session is not None and isinstance(error, ChannelLost):
            self._bisections.lost(error, self._session.writers.unproven)
        self._close()
        self.report.troubled(error)
        shard, cause = str(self.request.work.key), {"problem": error.id, "cause": error.what}
        log.info("shard.reopens", extra={"shard": shard, "failures": self.report.failures, **cause})
        self.report.set_activity(ShardActivity.WAITING)
        longest = self._services.reopen_delay_s * 2.0 ** min(self.report.failures, 10)
        self.request.wait(min(LONGEST_BACKOFF_S, longest) * self._services.jitter())

    def _close(self) -> None:
        """Gives the channel back; the committed token stays where it is."""
        session, self._session = self._session, None
        if session is not None:
            session.close()


def _in_background(function: Callable[[], OpenedShard]) -> "Future[OpenedShard]":
    """On a thread of its own that never keeps the process alive."""
    future: Future[OpenedShard] = Future()

    def run() -> None:
        try:
            future.set_result(function())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name="open-shard", daemon=True).start()
    return future


def _give_back(opening: "Future[OpenedShard]") -> None:
    """The channel of an opening that is not waited for any more."""
    if opening.exception() is None:
        opening.result().close()
