"""Spark as the job sees it, without Spark: a thread that calls for one epoch after another."""

import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.errors import FirnlineError
from firnline_ingest.ledger.backend import Ledger
from firnline_ingest.shard.receipt import Receipt, ShardProblem, ShardState
from firnline_ingest.spark.epoch import EpochRunner
from firnline_ingest.spark.job import EngineJob
from firnline_ingest.spark.signals import EndingSignals
from tests.fakes.configs import DOCUMENT, reading
from tests.fakes.ledger import MemoryLedger

CONFIG: dict[str, Any] = {
    **DOCUMENT,
    "pipelines": [reading("orders"), reading("clicks")],
    "spark": {"checkpoint": "/nowhere", "master": "local[2]"},
}


def config(**changes: Any) -> EngineConfig:
    return EngineConfig.model_validate({**CONFIG, **changes}, strict=None)


def receipt(stream: str = "orders", shard: str = "shard-0", **changes: Any) -> Receipt:
    fields: dict[str, Any] = {"epoch": 1, "state": ShardState.READING, "stream_created_ms": 1, **changes}
    return Receipt(stream=stream, shard_id=shard, **fields)


def problem(*, passes: bool = False) -> ShardProblem:
    return ShardProblem("FL-3006", "no such table", "make it", is_retryable=passes)


class StandIn:
    """`epoch(n)` is the n-th epoch's work: receipts, or whatever a test wants to happen in it."""

    def __init__(
        self,
        epoch: Callable[[int], list[Receipt]],
        *,
        opens: Callable[[], None] = lambda: None,
        finish: Callable[[], list[Receipt]] = list,
        closes: Callable[[], None] = lambda: None,
        ledger: MemoryLedger | None = None,
    ) -> None:
        self.ledger = ledger or MemoryLedger()
        self.starts = self.begun = self.prepared = 0
        self.error: FirnlineError | None = None
        self.committed: list[int] = []
        """Epochs that came back to Spark."""
        self.runner: EpochRunner | None = None
        """The last run's own, which runs nothing."""
        self.cancelled, self.killed, self.closed = threading.Event(), threading.Event(), threading.Event()
        self._epoch, self._opens, self._finish, self._closes = epoch, opens, finish, closes
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def job(self, ledger: Ledger | None = None, signals: EndingSignals | None = None, **changes: Any) -> EngineJob:
        clock = changes.pop("clock", None)
        bounded, standby_s = changes.pop("is_bounded", False), changes.pop("standby_s", None)
        return EngineJob(
            config(**changes),
            ledger or self.ledger,
            is_bounded=bounded,
            signals=signals,
            standby_s=standby_s,
            new_query=lambda *_: self,
            new_runner=self._runner,
            **({"clock": clock} if clock else {}),
        )

    def _runner(self, *given: Any) -> Any:
        self.runner = EpochRunner(*given)
        return SimpleNamespace(run=self._epoch, finish=self._finish)

    def prepare(self, *_: Any) -> None:
        self._opens()
        self.prepared += 1

    def open(self) -> Any:
        self._opens()

    def start(self, on_epoch: Callable[[Any, int], None]) -> None:
        self.starts += 1
        self.error, self._over = None, threading.Event()
        self._thread = threading.Thread(target=self._run, args=(on_epoch, self._over), daemon=True)
        self._thread.start()

    def _run(self, on_epoch: Callable[[Any, int], None], over: threading.Event) -> None:
        number = len(self.committed)
        while not over.is_set():
            self.begun += 1
            on_epoch(number, number)
            self.committed.append(number)
            number += 1
            over.wait(0.01)

    def breaks(self, error: FirnlineError) -> None:
        self._over.set()
        self.error = error

    def failure(self) -> FirnlineError | None:
        return self.error

    def cancel_jobs(self) -> None:
        self.cancelled.set()

    def progress(self) -> dict[str, int]:
        return {"tasks": 2, "completed": 1, "active": 1, "failed": 0}

    def end(self) -> None:
        """Ends as Spark does: it waits for a batch that is with our Python, which it can't interrupt."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def close(self) -> None:
        self.end()
        self._closes()
        self.closed.set()

    def kill(self) -> None:
        self._over.set()
        self.killed.set()
