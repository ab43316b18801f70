"""One engine per application: the run that beats holds the name, and a second one is refused.

No clock is compared: a run is alive if its beat was seen to rise. The beats begin with the lease and come from a thread of
their own, so that neither Spark's start nor a busy driver looks like death. A run that was killed is replaced after a look
of ten beats; one that was replaced, because it was frozen for so long, writes nothing more.
"""

import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from uuid import uuid4

from firnline_ingest.errors import FirnlineError
from firnline_ingest.ledger.backend import LeaseLedger, Run
from firnline_ingest.ledger.errors import AnotherEngineRuns, RunDisplaced
from firnline_ingest.ledger.standby import BY_HAND
from firnline_ingest.native import native

START_VARIABLE = "FIRNLINE_START"
"""The environment variable with the token of the start; `firnline deploy` sets it in every job that it starts."""
BEAT_S = 1.0
LOOKS = 10  # one a beat: a busy machine or a slow answer of DynamoDB delays beats by seconds
BELIEVED_S = 3.0  # a run that beat so lately is ours still
REPORT_EVERY_S = 60.0

log = logging.getLogger(__name__)


def new_run(configuration: str = "") -> Run:
    """`configuration`: the hash of an engine's. Commands that compare what runs with what should run read it from the ledger."""
    holder = f"process {os.getpid()} on {socket.gethostname()}"
    own_version = version("firnline-ingest") if configuration else ""
    rows_by = str(native()) if configuration else ""
    start = os.environ.get(START_VARIABLE) or BY_HAND
    run_id = uuid4().hex[:12]
    return Run(run_id, holder, configuration=configuration, version=own_version, rows_by=rows_by, start=start)


@dataclass(slots=True)
class RunLease:
    """The driver's hold on the application's name."""

    ledger: LeaseLedger
    application: str
    run: Run = field(default_factory=new_run)
    sleep: Callable[[float], bool | None] = time.sleep
    """Says True where the engine is not wanted any more."""
    every_s: float = BEAT_S

    def begin(self, *, is_told: bool = True) -> bool:
        """Returns whether the name is ours; False if it is not wanted any more. `is_told`: in the log, where that takes a while.

        Raises AnotherEngineRuns where another run's heart beats, or was faster.
        """
        found = self.ledger.current_run()
        if found is not None and is_told:
            log.info("engine.looks", extra={"holder": found.holder, "for_s": LOOKS * self.every_s})
        for _ in range(LOOKS):
            if found is None:
                break
            if self.sleep(self.every_s):
                return False
            found = self._unless_it_beats(found)
        if not self.ledger.begin_run(self.run, found):
            raise AnotherEngineRuns(self.application, self._holder("one that started at the same time"))
        return True

    def _unless_it_beats(self, found: Run) -> Run | None:
        again = self.ledger.current_run()
        if again is not None and (again.run_id, again.beat) != (found.run_id, found.beat):
            raise AnotherEngineRuns(self.application, again.holder)
        return again

    def beat(self) -> bool:
        """Returns whether the run is asked to stop. Raises RunDisplaced if the name was taken over."""
        run = self.ledger.beat(self.run.run_id)
        if run is None:
            raise RunDisplaced(self.application, self._holder("one that has ended since"))
        return run.stop_requests > 0

    def _holder(self, unknown: str) -> str:
        run = self.ledger.current_run()
        return run.holder if run else unknown

    def end(self) -> None:
        """Gives the name back; a ledger that can't be reached now is found dead by the next run."""
        try:
            self.ledger.end_run(self.run.run_id)
        except FirnlineError:
            return


def is_alive(ledger: LeaseLedger, run: Run, sleep: Callable[[float], object] = time.sleep) -> bool:
    """Returns whether the run's heart beats within a few seconds, or it has given its name back; for a person who asks
    it to stop.
    """
    for _ in range(int(BELIEVED_S / BEAT_S)):
        sleep(BEAT_S)
        found = ledger.current_run()
        if found is None or (found.run_id, found.beat) != (run.run_id, run.beat):
            return True
    return False


class Heartbeat:
    """Beats for a run from `start` to `stop`, and tells `changed` once when the run has to end."""

    def __init__(
        self,
        lease: RunLease,
        changed: Callable[[], None],
        *,
        every_s: float = BEAT_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.is_asked_to_stop = False
        self.failure: FirnlineError | None = None
        """What no later beat will heal."""
        self._lease = lease
        self._changed = changed
        self._every_s = every_s
        self._clock = clock
        self._beat_s = clock()
        self._reported_s = float("-inf")
        self._beating = threading.Lock()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._beat_on, name="heart", daemon=True)

    @property
    def is_displaced(self) -> bool:
        """Another run holds the application."""
        return isinstance(self.failure, RunDisplaced)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Returns when the last beat is over, or hangs: then it finds the name given back."""
        self._stopped.set()
        self._thread.join(BELIEVED_S)

    def look(self) -> None:
        """Beats at once: whatever was asked before this call is known after it. Not for the heart's thread."""
        if self.failure is None:
            self._beat()

    def is_ours(self) -> bool:
        """Returns whether the run still holds the application; asks if it has not beaten lately. Not for the heart's thread."""
        if not self.is_displaced and self._clock() - self._beat_s > BELIEVED_S:
            self._beat()
        return not self.is_displaced

    def make_sure(self) -> None:
        """Beats at once, before something that no engine may meet. Raises why the name is not ours any more."""
        self.look()
        if self.failure is not None:
            raise self.failure

    def _beat_on(self) -> None:
        while not self._stopped.wait(self._every_s) and self.failure is None:
            self._beat()

    def _beat(self) -> None:
        with self._beating:
            try:
                asked = self._lease.beat()
            except FirnlineError as error:
                self._report(error)
                if not error.is_retryable:
                    self.failure = error
                    self._changed()
                return
            self._beat_s = self._clock()
        if asked and not self.is_asked_to_stop:
            self.is_asked_to_stop = True
            self._changed()

    def _report(self, error: FirnlineError) -> None:
        """Logs the error at once, and then every minute."""
        if self._clock() - self._reported_s >= REPORT_EVERY_S:
            self._reported_s = self._clock()
            log.warning(
                "ledger.unreachable", extra={"problem": error.id, "what": error.what, "next_step": error.next_step}
            )


@contextmanager
def held(lease: RunLease) -> Iterator[Heartbeat]:
    """The application's name for a person's command: no engine runs meanwhile, and the heart beats, because an engine takes over
    from one that does not. Raises AnotherEngineRuns.
    """
    lease.begin()
    heart = Heartbeat(lease, lambda: None, every_s=lease.every_s)
    heart.start()
    try:
        yield heart
    finally:
        heart.stop()
        lease.end()
