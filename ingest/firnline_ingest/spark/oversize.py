"""Rows that no channel takes: the driver replays their dead letters by file, in rounds on a thread of its own.

Nothing is remembered between two rounds that a restart would miss: the dead letter is durable before, the journal has what is
on its way, and the pipe's history proves it (docs/design/oversize.md). A round's findings are told, and never stop the engine.
"""

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.dead_letters import Choice, open_objects
from firnline_ingest.dead_letters.file_load import utc_now
from firnline_ingest.dead_letters.journal import JournalMemory
from firnline_ingest.dead_letters.named_objects import NamedObjects
from firnline_ingest.dead_letters.passed import NOT_PASSED
from firnline_ingest.dead_letters.replay import ReplayLedger, ReplayRequest, Replays, ReplayServices, replay_services
from firnline_ingest.dead_letters.shard_replay import ReplayReport
from firnline_ingest.errors import DeadLetterError, FirnlineError
from firnline_ingest.ledger.mark import StreamMark
from firnline_ingest.records.rejection import RejectReason
from firnline_ingest.shard.receipt import Receipt, ShardProblem, ShardState, Tally
from firnline_ingest.values import ShardKey

ROUND_S = 900.0
"""Between two rounds: a load takes a minute or so, and each file is billed."""
CLOCKS_APART = timedelta(minutes=20)
"""More than S3 takes of a caller's clock, which it refuses from 15 minutes on."""
LOOK_AGAIN = timedelta(seconds=5)
"""Between two looks at the ledger for a pause, while a shard's files are loaded."""
REASONS = frozenset({str(RejectReason.TOO_LARGE)})
EVERYWHERE = ShardKey("", 0, "")
"""In place of a shard: what keeps all of them from being replayed."""
LEFT = "`firnline dead-letters list ENV --reason too-large` names them, `replay --reason too-large --by-file` says more"

log = logging.getLogger(__name__)


class OversizeLedger(ReplayLedger, Protocol):
    """Says which records the engine has passed, of which streams, and which of these are paused."""

    def begun_streams(self) -> list[str]: ...

    def mark(self, stream: str) -> StreamMark | None: ...


class _Stopped(Exception):
    """The run is over or not ours any more, or the stream was paused: nothing more of it is sent."""


class OpenServices(Protocol):
    """replay_services, as a round uses it."""

    def __call__(
        self,
        config: EngineConfig,
        objects: NamedObjects,
        ledger: ReplayLedger,
        memories: dict[ShardKey, JournalMemory],
        /,
    ) -> AbstractContextManager[ReplayServices]: ...


@dataclass(slots=True)
class OversizeRounds:
    """One run's. Receipts come from the thread of the epochs, rounds are another one's; one round runs at a time."""

    config: EngineConfig
    ledger: OversizeLedger
    is_ours: Callable[[], bool]
    """Whether the run holds the application: without it no shard is begun."""
    loads: Callable[[Sequence[str]], bool] = lambda _: True
    """Makes durable of which streams files are loaded from now on, for who pauses one; where it can't, none is loaded."""
    is_wanted: bool = True
    services: OpenServices = replay_services
    objects_of: Callable[[EngineConfig], NamedObjects] = open_objects
    now: Callable[[], datetime] = utc_now
    every_s: float = ROUND_S
    problems: dict[ShardKey, ShardProblem] = field(default_factory=dict)
    """Findings of the last round of each shard, for the engine's report."""
    left: Counter[str] = field(default_factory=Counter)
    """Dead letters that the last rounds of their shards did not replay, by reason."""
    _left_of: dict[ShardKey, Mapping[str, int]] = field(default_factory=dict)
    _left_any: set[ShardKey] = field(default_factory=set)
    """Shards of which a round left dead letters: those behind it do not look at them."""
    _due: set[ShardKey] = field(default_factory=set)
    _all_are_due: bool = True
    """At a start: an earlier run may have left any of them."""
    _since: dict[ShardKey, datetime] = field(default_factory=dict)
    """Dead letters that were written before were looked at, and what stayed one stays one."""
    _rows: dict[ShardKey, int] = field(default_factory=dict)
    """Replayed, of which no receipt tells yet."""
    _memories: dict[ShardKey, JournalMemory] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _at_work: threading.Lock = field(default_factory=threading.Lock)

    @property
    def is_at_work(self) -> bool:
        return self._at_work.locked()

    def look(self, receipts: Sequence[Receipt]) -> None:
        """Takes note of shards that kept dead letters, and tells receipts what was replayed of their streams."""
        if not self.is_wanted:
            return
        with self._lock:
            for receipt in receipts:
                if receipt.shard_id and (receipt.dead_letters or receipt.reread_letters) and self._goes(receipt.stream):
                    self._due.add(receipt.key)
                told = [key for key in self._rows if key.stream == receipt.stream]
                receipt.replayed_rows += sum(self._rows.pop(key) for key in told)

    def conclude(self) -> None:
        """Says how many dead letters are left of those that were to go by file, where a bounded run ends."""
        with self._lock:
            unlooked = len(self._due) + self._all_are_due
        if self.left or self.problems or unlooked or self.is_at_work:
            said = {"letters": self.left.total(), "why": dict(self.left), "problems": sorted(map(str, self.problems))}
            log.warning("oversize.incomplete", extra={**said, "shards_to_look_at": unlooked, "next_step": LEFT})

    def untold(self) -> list[Receipt]:
        """Receipts of what was replayed behind the last ones, and of nothing else."""
        with self._lock:
            rows, self._rows = self._rows, {}
        return [
            Receipt.of(key, Tally(replayed_rows=count), epoch=0, state=ShardState.DONE) for key, count in rows.items()
        ]

    def run(self, over: threading.Event) -> None:
        """One round after another until the run is over, the first one at once."""
        while not over.is_set() and self.is_ours():
            self.round(over.is_set)
            over.wait(self.every_s)

    def last_round(self) -> None:
        """The round with which a bounded run ends: it looks at what stayed a dead letter before, too, so that all are counted."""
        with self._at_work, self._lock:
            self._due |= self._left_any
            for shard in self._left_any:
                self._since.pop(shard, None)
        self.round(lambda: False)

    def round(self, is_over: Callable[[], bool]) -> None:
        """Replays what is due; what it does not come to, fails or has to wait is due again. Never raises."""
        with self._at_work:
            with self._lock:
                due, is_first = self._due, self._all_are_due
                self._due, self._all_are_due = set(), False
            if not due and not is_first:
                return
            try:
                with self.services(self.config, self.objects_of(self.config), self.ledger, self._memories) as services:
                    due |= set(self._with_letters(services)) if is_first else set()
                    is_first = False
                    self.problems.pop(EVERYWHERE, None)
                    for stream in sorted({shard.stream for shard in due}):
                        self._of_stream(services, stream, due, is_over)
            except Exception as error:
                self._failed(EVERYWHERE, error)
            finally:
                with self._lock:
                    self._due |= due
                    self._all_are_due |= is_first

    def _with_letters(self, services: ReplayServices) -> Iterator[ShardKey]:
        for stream in filter(self._goes, self.ledger.begun_streams()):
            yield from services.letters.shards(Choice(stream=stream))

    def _goes(self, stream: str) -> bool:
        pipeline = self.config.find_pipeline(stream)
        return pipeline is not None and pipeline.goes_by_file

    def _of_stream(
        self, services: ReplayServices, stream: str, due: set[ShardKey], is_over: Callable[[], bool]
    ) -> None:
        """Replays what is due of a stream, unless it is paused: whoever pauses it asks for `loads` behind that, and this asks for
        the pause behind `loads`."""
        if is_over() or not self.is_ours() or self._is_paused(stream) or not self.loads([stream]):
            return
        try:
            for shard in sorted((each for each in due if each.stream == stream), key=str):
                if is_over() or not self.is_ours() or self._is_paused(stream):
                    break
                due.discard(shard)
                self._replay(services, shard, is_over)
        finally:
            self.loads([])

    def _is_paused(self, stream: str) -> bool:
        mark = self.ledger.mark(stream)
        return mark is not None and mark.is_paused

    def _watch(self, stream: str, is_over: Callable[[], bool]) -> Callable[[], None]:
        """Returns what a shard's replay asks before each batch; that raises _Stopped where it is not to be begun."""
        looked = self.now()

        def look() -> None:
            nonlocal looked
            if is_over() or not self.is_ours():
                raise _Stopped
            if self.now() - looked >= LOOK_AGAIN:
                looked = self.now()
                if self._is_paused(stream):
                    raise _Stopped

        return look

    def _replay(self, services: ReplayServices, shard: ShardKey, is_over: Callable[[], bool]) -> None:
        began, report, damaged = self.now(), ReplayReport(), list[DeadLetterError]()
        request = ReplayRequest(choice=Choice(reasons=REASONS, since=self._since.get(shard)), by_file=True)
        try:
            watch = self._watch(shard.stream, is_over)
            Replays(self.config, request, services, damaged.append, watch).of_shard(shard, report)
        except _Stopped:
            self._again(shard)
        except Exception as error:
            self._again(shard)
            self._failed(shard, error)
        else:
            if report.remaining[NOT_PASSED] or damaged:
                self._again(shard)
            else:
                self._since[shard] = began - CLOCKS_APART
            if damaged:
                self._failed(shard, damaged[0])
            else:
                self.problems.pop(shard, None)
            self._leave(shard, report)
        self._count(shard, report)

    def _again(self, shard: ShardKey) -> None:
        with self._lock:
            self._due.add(shard)

    def _count(self, shard: ShardKey, report: ReplayReport) -> None:
        if not report.rows:
            return
        log.info("oversize.replayed", extra={"shard": str(shard), "letters": report.letters, "rows": report.rows})
        with self._lock:
            self._rows[shard] = self._rows.get(shard, 0) + report.rows

    def _leave(self, shard: ShardKey, report: ReplayReport) -> None:
        """Says what stays a dead letter when that changes; what only waits for the engine to pass it is not news."""
        left = {why: count for why, count in report.remaining.items() if count}
        before, self._left_of[shard] = self._left_of.get(shard, {}), left
        self._left_any |= {shard} if left else set()
        self.left = sum(map(Counter, self._left_of.values()), Counter[str]())
        if news := {why: count for why, count in left.items() if why != NOT_PASSED and before.get(why) != count}:
            extra = {"shard": str(shard), "why": news, "rejection": report.rejection, "next_step": LEFT}
            log.warning("oversize.left", extra=extra)

    def _failed(self, shard: ShardKey, error: Exception) -> None:
        problem = ShardProblem.of(error)
        if not isinstance(error, FirnlineError):
            log.exception("oversize.defect")
        self.problems[shard] = problem
        told = {"problem": problem.id, "what": problem.what, "next_step": problem.next_step}
        log.warning("oversize.failed", extra={"shard": str(shard) if shard.shard_id else "", **told})
