"""A run on a thread of its own, with a stand-in for Spark."""

import threading
from typing import Any

from firnline_ingest.ledger.backend import Run
from firnline_ingest.shard.receipt import Receipt
from firnline_ingest.spark.job import EngineJob
from firnline_ingest.spark.signals import EndingSignals
from tests.fakes.ledger import MemoryLedger
from tests.ingest.spark.standing_in import StandIn, receipt
from tests.ingest.waiting import HANGS_S, until


class Running:
    """A job on a thread of its own, as a process would run it."""

    def __init__(self, job: EngineJob) -> None:
        self.status: int | None = None
        self.error: BaseException | None = None
        self._job = job
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.status = self._job.run()
        except BaseException as error:
            self.error = error

    def stops(self) -> int | None:
        """Stops as it is asked to."""
        ledger = self._job._ledger
        ledger.request_stop(run_of(ledger).run_id)
        return self.ends()

    def ends(self) -> int | None:
        self._thread.join(HANGS_S)
        assert not self._thread.is_alive(), "the run did not end"
        return self.status


def runs(spark: StandIn, signals: EndingSignals | None = None, *, epochs: int = 1, **changes: Any) -> Running:
    """Once so many epochs have come back to Spark."""
    running = Running(spark.job(signals=signals, **changes))
    until(lambda: len(spark.committed) >= epochs)
    return running


def run_of(ledger: MemoryLedger) -> Run:
    return ledger.current_run()


def read_on(_: int) -> list[Receipt]:
    return [receipt()]
