"""What a shard does with records that can't be rows: keeps them as dead letters, skips and counts them, or stops.

Whatever it is, it is done before anything behind these records is appended (docs/design/ledger.md, section 6). One object
serves one session: what a session reads again it counts again.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from firnline_ingest.config.rows import UnusableRecords
from firnline_ingest.dead_letters import DeadLetter
from firnline_ingest.dead_letters.errors import TooManyUnusable, UnusableRecord
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rejection import RejectedRecord, RejectReason
from firnline_ingest.shard.receipt import Tally
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.shard.work import ShardServices, ShardWork
from firnline_ingest.values import Position

MINUTE_S = 60
MINUTES_KEPT = 10  # arrivals are in order but for a little


class ShardDeadLetters:
    """Of one shard, under its pipeline's policy. `before_keeping` gets how far they reach before any is kept."""

    def __init__(self, work: ShardWork, services: ShardServices, before_keeping: Callable[[Position], None]) -> None:
        self._key, self._end_of = work.key, work.end_of
        self._policy = work.pipeline.unusable_records
        self._services = services
        self._before_keeping = before_keeping
        self._limit = ArrivalLimit(work.pipeline.max_unusable_per_minute)

    def take(self, rejected: Sequence[RejectedRecord], records: Sequence[Record], tally: Tally) -> None:
        """When this returns, every rejected record is durable, or is meant to be left out.

        Raises UnusableRecord or TooManyUnusable, and then kept none of them; DeadLetterError where one can't be kept, and what
        `before_keeping` raises.
        """
        if unusable := [each for each in rejected if is_unusable(each)]:
            self._refuse(unusable, records)
        if self._policy is UnusableRecords.SKIP:
            tally.refused(skipped=len(rejected))
            return
        self._before_keeping(max(self._end_of(records[each.index]) for each in rejected))
        letters = [DeadLetter.of(each, records[each.index], self._key) for each in rejected]
        kept = self._services.dead_letters.put(letters)
        tally.refused(kept=kept, kept_before=len(letters) - kept)
        self._services.observer(EpochStep.DEAD_LETTERED, self._key)

    def _refuse(self, rejected: Sequence[RejectedRecord], records: Sequence[Record]) -> None:
        first = rejected[0]
        number = records[first.index].SequenceNumber
        if self._policy is UnusableRecords.STOP:
            raise UnusableRecord(str(self._key), number, first.reason, first.detail)
        now_s = self._services.now_ms() / 1000
        arrivals_s = [records[each.index].ApproximateArrivalTimestamp or now_s for each in rejected]
        minute = self._limit.exceeded_by(arrivals_s)
        if minute is not None:
            assert self._limit.most is not None, "without a limit there is nothing to exceed"
            raise TooManyUnusable(str(self._key), minute, self._limit.most, f"{number} ({first.reason})")


def is_unusable(rejected: RejectedRecord) -> bool:
    """Whether the policy is asked. Of a misplaced record only this copy is of no use, and nobody has to decide."""
    return rejected.reason is not RejectReason.MISPLACED


def first_unusable(rejected: Sequence[RejectedRecord]) -> RejectedRecord:
    return next(each for each in rejected if is_unusable(each))


class ArrivalLimit:
    """So many a minute by the time at which records arrived: a backlog that is read fast is no storm."""

    def __init__(self, most: int | None) -> None:
        self.most = most
        self._by_minute: Counter[int] = Counter()

    def exceeded_by(self, arrivals_s: Sequence[float]) -> str | None:
        """Counts them. The first minute with more than are allowed."""
        if self.most is None:
            return None
        self._by_minute.update(int(arrival_s // MINUTE_S) for arrival_s in arrivals_s)
        for minute in sorted(self._by_minute)[:-MINUTES_KEPT]:
            del self._by_minute[minute]
        over = min((minute for minute, count in self._by_minute.items() if count > self.most), default=None)
        return None if over is None else f"{datetime.fromtimestamp(over * MINUTE_S, UTC):%Y-%m-%dT%H:%MZ}"
