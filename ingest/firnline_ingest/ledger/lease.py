"""One engine per application: the run that beats holds the name, and a second one is refused.

No clock is compared: a run is alive if its beat was seen to rise. A run that was killed is replaced after one look.
"""

import os
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import uuid4

from firnline_ingest.errors import LedgerError
from firnline_ingest.ledger.backend import Run, RunLedger
from firnline_ingest.ledger.errors import AnotherEngineRuns

LOOK_S = 3.0  # three beats


def _new_run() -> Run:
    return Run(uuid4().hex[:12], f"process {os.getpid()} on {socket.gethostname()}")


@dataclass(slots=True)
class RunLease:
    """The driver's hold on the application's name."""

    ledger: RunLedger
    application: str
    run: Run = field(default_factory=_new_run)
    sleep: Callable[[float], None] = time.sleep

    def begin(self) -> None:
        """Raises AnotherEngineRuns where another run's heart beats, or was faster."""
        found = self.ledger.current_run()
        if found is not None:
            self.sleep(LOOK_S)
            again = self.ledger.current_run()
            if again is not None and again != found:
                raise AnotherEngineRuns(self.application, again.holder)
            found = again
        if not self.ledger.begin_run(self.run, found):
            holder = self.ledger.current_run()
            raise AnotherEngineRuns(self.application, holder.holder if holder else "one that started at the same time")

    def beat(self) -> bool:
        """Whether the run is asked to stop. Raises AnotherEngineRuns where the name was taken over."""
        run = self.ledger.beat(self.run.run_id)
        if run is None:
            holder = self.ledger.current_run()
            raise AnotherEngineRuns(self.application, holder.holder if holder else "one that has ended since")
        return run.stop_requests > 0

    def end(self) -> None:
        """Gives the name back; a ledger that can't be reached now is found dead by the next run."""
        try:
            self.ledger.end_run(self.run.run_id)
        except LedgerError:
            return
