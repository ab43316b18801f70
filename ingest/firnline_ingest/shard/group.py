"""A group of shards in one process, one thread each, for one epoch; runners live on between epochs.

While the shards run, the group watches the application's run: a stop request, or another engine that took over, ends
the epoch early. A runner that nobody asked for is closed.
"""

import logging
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from firnline_ingest.errors import LedgerError
from firnline_ingest.ledger.backend import RunLedger
from firnline_ingest.shard.deadline import Deadline
from firnline_ingest.shard.receipt import Receipt, Tally
from firnline_ingest.shard.runner import ShardRunner
from firnline_ingest.shard.work import ShardServices, ShardWork
from firnline_ingest.values import ShardKey

WATCH_EVERY_S = 1.0

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Watch:
    """The run that asked for this epoch; the epoch ends when it is asked to stop, or is no longer the current one."""

    ledger: RunLedger
    run_id: str

    def wants_a_stop(self) -> bool:
        try:
            run = self.ledger.current_run()
        except LedgerError as error:
            log.warning("ledger.unwatched", extra={"problem": error.id, "cause": error.what})
            return False
        return run is None or run.run_id != self.run_id or run.stop_requests > 0


@dataclass(slots=True)
class ShardGroup:
    """All shards of this process, whatever group the driver made of them."""

    services: ShardServices
    progress_every_s: float = 5.0
    _runners: dict[ShardKey, ShardRunner] = field(default_factory=dict)

    def run(self, works: Sequence[ShardWork], deadline: Deadline, watch: Watch | None = None) -> list[Receipt]:
        """One receipt a shard, in no particular order. Raises nothing that one shard could cause."""
        self._close_all_but({work.key for work in works})
        self.services.channels.look_for_new_key()
        tallies = {work.key: Tally() for work in works}
        with ThreadPoolExecutor(len(works), thread_name_prefix="shard") as threads:
            running = [threads.submit(self._runner(work).run, work, deadline, tallies[work.key]) for work in works]
            self._supervise(running, deadline, tallies, watch)
        return [future.result() for future in running]

    def close(self) -> None:
        self._close_all_but(set())

    def _runner(self, work: ShardWork) -> ShardRunner:
        return self._runners.setdefault(work.key, ShardRunner(self.services))

    def _close_all_but(self, asked: set[ShardKey]) -> None:
        for key in set(self._runners) - asked:
            self._runners.pop(key).close()

    def _supervise(
        self,
        running: Sequence["Future[Receipt]"],
        deadline: Deadline,
        tallies: Mapping[ShardKey, Tally],
        watch: Watch | None,
    ) -> None:
        next_progress_s = next_watch_s = time.monotonic()
        while wait(running, timeout=min(WATCH_EVERY_S, self.progress_every_s)).not_done:
            now_s = time.monotonic()
            if watch is not None and not deadline.is_over and now_s >= next_watch_s:
                next_watch_s = now_s + WATCH_EVERY_S
                if watch.wants_a_stop():
                    deadline.stop()
            if now_s >= next_progress_s:
                next_progress_s = now_s + self.progress_every_s
                _report(tallies)


def _report(tallies: Mapping[ShardKey, Tally]) -> None:
    for key, tally in tallies.items():
        log.info("shard.progress", extra={"stream": key.stream, "shard": key.shard_id, **tally.as_dict()})
