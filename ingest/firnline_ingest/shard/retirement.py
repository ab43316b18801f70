"""Removes what ended shards leave behind, once it is not needed: their channels, of which a pipe has 2,000, and their rows.

A stream that is resharded daily would otherwise fill its pipe within weeks. One process a stream does it, the one that has
its first open shard: once an hour, a bounded number at a time, on a thread that no shard waits for. What one row is kept by
keeps no other.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis.lineage import read_lineage
from firnline_ingest.kinesis.missing import gone_shards
from firnline_ingest.ledger.retired import retired
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.shard.receipt import ShardProblem
from firnline_ingest.shard.work import ShardServices, ShardWork

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

EVERY_S = 3600.0
AT_ONCE = 100

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Retirement:
    """One process's."""

    services: ShardServices
    clock: Callable[[], float] = time.monotonic
    _next_s: dict[str, float] = field(default_factory=dict)
    _kept: dict[str, frozenset[str]] = field(default_factory=dict)
    """By stream, the shards whose rows could not be removed: the others come first."""

    def tick(self, works: Sequence[ShardWork]) -> None:
        """Starts what is due for the streams of these works; returns at once."""
        now_s = self.clock()
        due = {work.key.stream: work for work in works if now_s >= self._next_s.get(work.key.stream, now_s)}
        if due:
            self._next_s |= dict.fromkeys(due, now_s + EVERY_S)
            chosen = [work for work in works if work.key.stream in due]
            threading.Thread(target=self.run, args=(chosen,), name="retirement", daemon=True).start()

    def run(self, works: Sequence[ShardWork]) -> None:
        """Removes rows that nothing needs. Never raises: what could not be removed is removed an hour later."""
        for stream in dict.fromkeys(work.key.stream for work in works):
            mine = [work for work in works if work.key.stream == stream]
            try:
                self._retire(mine)
            except FirnlineError as error:
                log.warning("stream.retire_failed", extra={"stream": stream, "problem": error.id, "cause": error.what})

    def _retire(self, works: Sequence[ShardWork]) -> None:
        key = works[0].key
        rows = self.services.ledger.rows(key.incarnation)
        first = min((shard for shard, row in rows.items() if not row.ended), default="")
        if first not in {work.key.shard_id for work in works}:
            return
        client = self.services.clients_of(works[0].pipeline).kinesis
        lineage = read_lineage(client, key.stream)
        if lineage.incarnation != key.incarnation:
            return
        kept, found = self._kept.get(key.stream, frozenset()), retired(rows, lineage)
        chosen = sorted(found, key=lambda row: row.key.shard_id in kept)[:AT_ONCE]
        problems: list[ShardProblem] = []
        removed = {row.key.shard_id for row in chosen if self._is_removed(row, works[0], client, problems)}
        left = {row.key.shard_id for row in chosen} - removed
        self._kept[key.stream] = frozenset(left | kept.intersection(row.key.shard_id for row in found) - removed)
        if removed:
            log.info("stream.retired", extra={"stream": key.stream, "shards": len(removed)})
        if problems:
            told = {"shards": len(problems), "problem": problems[0].id, "cause": problems[0].what}
            log.warning("stream.retire_failed", extra={"stream": key.stream, **told})

    def _is_removed(
        self, row: ShardRow, work: ShardWork, client: "KinesisClient", problems: list[ShardProblem]
    ) -> bool:
        """Whatever keeps a row concerns no other one. A listing that lacks its shard proves nothing."""
        try:
            if not gone_shards(client, row.key.stream, [row.key.shard_id]):
                return False
            self._remove(row, work)
        except Exception as error:
            problems.append(ShardProblem.of(error))
            return False
        return True

    def _remove(self, row: ShardRow, work: ShardWork) -> None:
        """The channels first: a row that is still there is found again. Those of another table are gone with it.

        Raises what keeps a channel, once the others are dropped.
        """
        targets, failures = {each.target for each in work.destinations}, list[Exception]()
        for name, entry in row.channels.items():
            try:
                if entry.target in targets:
                    self.services.channels_of(work.pipeline).drop(entry.target, name)
            except Exception as error:
                failures.append(error)
        if failures:
            raise failures[0]
        if row.incidents:
            self.services.ledger.write(replace(row, channels=MappingProxyType({})))
        else:
            self.services.ledger.remove(row)
