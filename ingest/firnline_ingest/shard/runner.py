"""Runs one shard for one epoch, whatever happens to its channel, and says in a receipt how it went.

A runner lives as long as its process, so that an epoch's boundary costs no re-open. It never raises: a failing shard
must not fail its group, and the driver decides by policy.
"""

import logging
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future

from firnline_ingest.errors import FirnlineError
from firnline_ingest.ledger.errors import Fenced
from firnline_ingest.shard.deadline import Deadline
from firnline_ingest.shard.opening import Opened, open_shard
from firnline_ingest.shard.receipt import Receipt, ShardProblem, ShardState, Tally
from firnline_ingest.shard.session import ShardSession
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.shard.work import ShardServices, ShardWork
from firnline_ingest.snowflake.errors import ChannelLost, ClientLost
from firnline_ingest.values import TargetTable

REOPENS = 5  # in one epoch; more of them means that reopening does not help

log = logging.getLogger(__name__)


class ShardRunner:
    """One shard's, in this process; one epoch at a time."""

    def __init__(self, services: ShardServices) -> None:
        self._services = services
        self._session: ShardSession | None = None
        self._opening: Future[Opened] | None = None
        self._opening_on: TargetTable | None = None

    def run(self, work: ShardWork, deadline: Deadline, tally: Tally) -> Receipt:
        state, problem, start = ShardState.FAILED, None, ""
        try:
            self._forget_what_moved(work)
            start = self._start_token()
            state = self._ingest(work, deadline, tally)
        except Fenced as error:
            state, problem = ShardState.FENCED, ShardProblem.of(error)
            self.close()
        except Exception as error:
            if not isinstance(error, FirnlineError):
                log.exception("shard.defect", extra={"shard": str(work.key)})
            problem = ShardProblem.of(error)
            self.close()
        receipt = self._receipt(work, state, problem, start, tally)
        if state in (ShardState.DONE, ShardState.ENDED):
            self.close()  # its reader may have gone past a bounded run's end
        return receipt

    def close(self) -> None:
        """Gives the channel back, also one that is still being opened; the committed token stays where it is."""
        session, self._session = self._session, None
        opening, self._opening = self._opening, None
        if session is not None:
            session.close()
        if opening is not None:
            opening.add_done_callback(_give_back)

    def _forget_what_moved(self, work: ShardWork) -> None:
        if self._session is not None and not self._session.is_still_ours(work):
            self.close()
        if self._opening is not None and self._opening_on != work.target:
            self.close()

    def _ingest(self, work: ShardWork, deadline: Deadline, tally: Tally) -> ShardState:
        reopens = 0
        while True:
            if self._session is None:
                opened = self._open(work, deadline)
                if opened is None:
                    return ShardState.OPENING
                tally.opens += 1
                if opened.row.ended:  # planned from an offset older than the ledger's row
                    opened.channel.close()
                    return ShardState.ENDED
                self._session = ShardSession(work, self._services, opened)
            try:
                state = self._session.ingest(deadline, tally)
            except (ChannelLost, ClientLost) as error:
                reopens += 1
                self._yield_to_a_new_owner(work, error)
                self.close()
                if reopens > REOPENS:
                    raise
                log.info("shard.reopens", extra={"shard": str(work.key), "cause": error.what})
                deadline.wait(self._services.reopen_delay_s)
            except FirnlineError as error:
                if not error.is_retryable:
                    self._yield_to_a_new_owner(work, error)
                raise
            else:
                self._services.observer(EpochStep.RECEIPT, work.key)
                return state

    def _yield_to_a_new_owner(self, work: ShardWork, error: FirnlineError) -> None:
        """Raises Fenced where the shard is another attempt's by now: what this one saw is then the other's doing."""
        assert self._session is not None
        if not self._session.is_still_ours(work):
            row = self._services.ledger.read(work.key)
            raise Fenced(work.key, row.fence.owner if row else "") from error

    def _open(self, work: ShardWork, deadline: Deadline) -> Opened | None:
        """None where the open outlasts the epoch: it goes on in the background, and the next epoch finds it."""
        opening = self._opening or _in_background(lambda: open_shard(work, self._services))
        self._opening, self._opening_on = opening, work.target
        while not opening.done():
            if deadline.wait(0.02):
                return None
        self._opening = None
        return opening.result()

    def _start_token(self) -> str:
        accounted = self._session.accounted if self._session else None
        return accounted.token if accounted else ""

    def _receipt(
        self, work: ShardWork, state: ShardState, problem: ShardProblem | None, start: str, tally: Tally
    ) -> Receipt:
        session = self._session
        return Receipt.of(
            work.key,
            tally,
            epoch=work.epoch,
            state=state,
            start=start,
            end=session.accounted.token if session and session.accounted else "",
            proven=session.proven.token if session and session.proven else "",
            reads=session.reader.reads if session else 0,
            throttled=session.reader.throttled if session else 0,
            pid=os.getpid(),
            fingerprint=self._services.channels.fingerprint if session else "",
            problem=problem,
        )


def _in_background(function: Callable[[], Opened]) -> "Future[Opened]":
    """On a thread of its own that never keeps the process alive."""
    future: Future[Opened] = Future()

    def run() -> None:
        try:
            future.set_result(function())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name="open-shard", daemon=True).start()
    return future


def _give_back(opening: "Future[Opened]") -> None:
    """The channel of an opening that nobody waits for any more."""
    if opening.exception() is None:
        opening.result().channel.close()
