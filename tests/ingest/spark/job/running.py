"""A run on a thread of its own, with a stand-in for Spark."""

import threading
import time
from collections.abc import Callable
from typing import Any

from firnline_ingest.ledger.backend import Run
from firnline_ingest.shard.receipt import Receipt
from firnline_ingest.spark.job import EngineJob
from tests.fakes.ledger import MemoryLedger
from tests.ingest.spark.standing_in import receipt

HANGS_S = 30


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

    def ends(self) -> int | None:
        self._thread.join(HANGS_S)
        assert not self._thread.is_alive(), "the run did not end"
        return self.status


def until(condition: Callable[[], Any]) -> None:
    give_up_s = time.monotonic() + HANGS_S
    while not condition():
        assert time.monotonic() < give_up_s
        time.sleep(0.002)


def run_of(ledger: MemoryLedger) -> Run:
    run = ledger.current_run()
    assert run is not None
    return run


def read_on(_: int) -> list[Receipt]:
    return [receipt()]
