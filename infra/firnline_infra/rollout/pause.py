"""Pausing one pipeline of an engine that runs: a word in the ledger that its next plan reads. The others are not touched.

Its shards prove what they sent and give their channels back. That this has happened is seen in their rows: nobody writes them
any more, and they say that nothing is in flight. What goes by file the engine's report says.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from firnline_infra.rollout.errors import NotQuiet, UnknownPipeline
from firnline_infra.rollout.shards import EngineLedger, shard_rows
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.values import ShardKey

UNWRITTEN_S = 45.0
"""An engine writes the row of each shard that it reads every half a minute, also where nothing arrives."""
LONGEST_S = 1200.0
"""An epoch's length, twice that until nobody waits for the shard any more, the proof of its last rows, and the epoch that has to
pass after that."""
LOOK_S = 2.0


class PausingLedger(EngineLedger, Protocol):
    def pause(self, stream: str, paused: bool) -> bool: ...


@dataclass(frozen=True, slots=True)
class Pause:
    ledger: PausingLedger
    stream: str
    epoch_s: float
    """How long an epoch of the engine lasts: so long after the pause a plan from before it may yet be carried out, by an
    executor that came late."""
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic

    def begin(self, *, written: Callable[[], object] = lambda: None) -> None:
        """Returns when nothing of the pipeline is in flight and nobody reads it; calls `written` once the ledger says that it
        is paused. Raises UnknownPipeline, NotQuiet.
        """
        if not self.ledger.pause(self.stream, True):
            raise UnknownPipeline(self.stream)
        written()
        if self.ledger.current_run() is not None:
            self._await_quiet()
        elif unproven := _unproven(self._rows()):
            raise NotQuiet(self.stream, 0, unproven, is_engine_there=False)

    def end(self) -> None:
        """The engine's next plan has it again. Raises UnknownPipeline."""
        if not self.ledger.pause(self.stream, False):
            raise UnknownPipeline(self.stream)

    def _await_quiet(self) -> None:
        rows, began_s = self._rows(), self.clock()
        unwritten_since_s = began_s
        while True:
            self.sleep(LOOK_S)
            now, now_s = self._rows(), self.clock()
            if _written(now) != _written(rows):
                rows, unwritten_since_s = now, now_s
            unproven = _unproven(now)
            if now_s - unwritten_since_s >= UNWRITTEN_S + self.epoch_s and not unproven and not self._is_loading():
                return
            if now_s - began_s > LONGEST_S:
                raise NotQuiet(self.stream, LONGEST_S, unproven, is_loading=self._is_loading())

    def _is_loading(self) -> bool:
        """Returns whether the engine that runs may have a file of the stream on its way (`oversize_rows`)."""
        report, run = self.ledger.report(), self.ledger.current_run()
        return report is not None and run is not None and report.run_id == run.run_id and self.stream in report.loading

    def _rows(self) -> dict[ShardKey, ShardRow]:
        return shard_rows(self.ledger, [self.stream])


def _unproven(rows: Mapping[ShardKey, ShardRow]) -> list[str]:
    return sorted(str(key) for key, row in rows.items() if row.is_sending and not row.ended)


def _written(rows: Mapping[ShardKey, ShardRow]) -> dict[ShardKey, tuple[int, str, object, bool]]:
    return {key: (row.heartbeat_ms, row.fence.owner, row.read_through, row.is_sending) for key, row in rows.items()}
