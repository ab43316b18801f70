"""Treatment of records that can't be rows by a shard: it keeps them as dead letters, skips and counts them, or stops.

Whatever it is, it is done before anything behind these records is appended (docs/design/ledger.md, section 6). One object
serves one session. How many unusable records a minute had goes on from the ledger's count, so that no restart and no other
try lets a producer that turned bad have as many again.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType

from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.config.rows import UnusableRecords
from firnline_ingest.dead_letters import DeadLetter
from firnline_ingest.dead_letters.errors import TooManyUnusable, UnusableRecord
from firnline_ingest.kinesis.page import Record
from firnline_ingest.ledger.row import DecidedRange, ShardRow
from firnline_ingest.records.rejection import UNDECIDED, RejectedRecord, RejectReason
from firnline_ingest.records.rows import Rows
from firnline_ingest.schemas.errors import SchemaForgotten
from firnline_ingest.shard.receipt import Tally
from firnline_ingest.shard.report import LETTERS, ShardReport
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.shard.work import ShardServices, ShardWork
from firnline_ingest.values import Position, ShardKey, row_number

MINUTE_S = 60
MINUTES_KEPT = 10  # arrivals are in order but for a little
KNOWN_SINCE = "the registry had no schema of its id when it was read first."

BeforeKeeping = Callable[[Position | None, Sequence[DecidedRange]], None]


class ShardDeadLetters:
    """The dead letters of one shard, under its pipeline's policy. Before any is kept, `before_keeping` is told how far they
    reach and which of them another reading could decide otherwise."""

    def __init__(
        self,
        work: ShardWork,
        services: ShardServices,
        before_keeping: BeforeKeeping,
        report: ShardReport,
        row: ShardRow,
    ) -> None:
        """`row` is the ledger's as the session begins with it."""
        self._report = report
        self._key, self._end_of = work.key, work.end_of
        self._policy = work.pipeline.on_error
        self._goes_by_file = work.pipeline.goes_by_file
        self._services = services
        self._before_keeping = before_keeping
        self._limit = ArrivalLimit(work.pipeline.max_unusable_per_minute, row.unusable)
        self._counted_through = row.counted_through if row.read_again is None else None

    @property
    def unusable(self) -> Mapping[int, int]:
        """Count of unusable records of what was taken in, by the last minutes of their arrival; empty where there is no limit."""
        return MappingProxyType(dict(self._limit.by_minute))

    def take(self, rejected: Sequence[RejectedRecord], records: Sequence[Record], tally: Tally) -> None:
        """Returns when every rejected record is durable, or is meant to be left out.

        Raises UnusableRecord or TooManyUnusable, and then kept none of them; DeadLetterError where one can't be kept, and what
        `before_keeping` raises.
        """
        if unusable := [each for each in rejected if is_unusable(each) and not self._becomes_row(each)]:
            self._refuse(unusable, records)
        decided = list(self._decided(rejected, records))
        if self._policy is UnusableRecords.SKIP:
            if decided:
                self._before_keeping(None, decided)
            tally.refused(skipped=len(rejected))
            return
        self._before_keeping(max(self._end_of(records[each.index]) for each in rejected), decided)
        letters = [DeadLetter.of(each, records[each.index], self._key) for each in rejected]
        kept = self._services.dead_letters.put(letters)
        counted = self._report.counted_of(LETTERS)
        # a process that was lost may have kept those beyond, and reported none
        kept = max(kept, sum(letter.key.position > counted for letter in letters))
        self._report.kept(letter.key.position for letter in letters)
        tally.refused(kept=kept, kept_before=len(letters) - kept)
        self._report.counts(LETTERS, max(letter.key.position for letter in letters))
        self._services.observer(EpochStep.DEAD_LETTERED, self._key)

    def _decided(self, rejected: Sequence[RejectedRecord], records: Sequence[Record]) -> Iterator[DecidedRange]:
        """No row is made between records that a registry had no schema for (RowMaker.convert)."""
        unknown = [records[each.index] for each in rejected if each.reason in UNDECIDED]
        if unknown:
            yield DecidedRange(unknown[0].position, self._end_of(unknown[-1]))
        for each in rejected:
            if each.reason is RejectReason.REFUSED:
                first = replace(records[each.index].position, row=row_number(each.row, each.rows))
                yield DecidedRange(first, self._end_of(records[each.index]), each.detail)

    def _refuse(self, rejected: Sequence[RejectedRecord], records: Sequence[Record]) -> None:
        first = rejected[0]
        number = records[first.index].SequenceNumber
        if self._policy is UnusableRecords.STOP:
            raise UnusableRecord(str(self._key), number, first.reason, first.detail)
        now_s = self._services.now_ms() / 1000
        fresh = [records[each.index] for each in rejected if self._is_fresh(records[each.index])]
        arrivals_s = [record.ApproximateArrivalTimestamp or now_s for record in fresh]
        minute = self._limit.exceeded_by(arrivals_s)
        if minute is not None:
            assert self._limit.most is not None, "without a limit there is nothing to exceed"
            raise TooManyUnusable(str(self._key), minute, self._limit.most, f"{number} ({first.reason})")

    def _becomes_row(self, rejected: RejectedRecord) -> bool:
        """Returns whether the engine itself makes rows of it, by file: its producer is not a bad one."""
        return self._goes_by_file and rejected.reason is RejectReason.TOO_LARGE

    def _is_fresh(self, record: Record) -> bool:
        """Returns whether the ledger's count is without it."""
        return self._counted_through is None or self._end_of(record) > self._counted_through


def stopped_by(pipeline: PipelineConfig, error: TooManyUnusable) -> str:
    """The reason as the ledger keeps it: a restart or another try does not let it go, another configuration does."""
    return " ".join((_limit_of(pipeline), error.minute, error.first))


def refuse_stopped(row: ShardRow, pipeline: PipelineConfig) -> None:
    """Raises TooManyUnusable where the shard stopped at the limit, and the configuration is the one of then."""
    limit, _, rest = row.stopped_by.partition(" ")
    if limit and limit == _limit_of(pipeline) and pipeline.max_unusable_per_minute is not None:
        minute, _, first = rest.partition(" ")
        raise TooManyUnusable(str(row.key), minute, pipeline.max_unusable_per_minute, first)


def _limit_of(pipeline: PipelineConfig) -> str:
    return f"{pipeline.max_unusable_per_minute}/{pipeline.on_error}/{pipeline.conversion_hash}"


class DecidedBefore:
    """Decisions of a session before: what it reads again, and a registry had no schema for when it was read first,
    stays a dead letter.
    """

    def __init__(self, key: ShardKey, decided: Sequence[DecidedRange]) -> None:
        self._key = key
        self._ranges = [each for each in decided if not each.refused]

    def records_at_once(self, records: Sequence[Record]) -> int:
        """Returns how many of these records are all in one range, or all in none."""
        if not self._ranges:
            return len(records)
        first = self._range_of(records[0].position)
        return next((n for n, one in enumerate(records) if self._range_of(one.position) is not first), len(records))

    def applied(self, made: Rows, records: Sequence[Record]) -> Rows:
        """Returns what is to become of records that were taken at once."""
        if not made.rows or not self._ranges or not self._has(records[0].position):
            return made
        known = [RejectedRecord(at, RejectReason.UNKNOWN_SCHEMA, KNOWN_SINCE) for at in dict.fromkeys(made.indexes)]
        rejected = sorted((*made.rejected, *known), key=lambda each: each.index)
        return Rows((), (), (), rejected, taken=made.taken, left_out=made.left_out)

    def refuse_forgotten(
        self, rejected: Sequence[RejectedRecord], records: Sequence[Record], known: Position | None
    ) -> None:
        """Raises SchemaForgotten for one that may be a row, as those up to `known` may: it is not a dead letter then."""
        for each in rejected:
            record = records[each.index]
            may_be_row = known is not None and record.position <= known
            if may_be_row and each.reason in UNDECIDED and not self._has(record.position):
                raise SchemaForgotten(str(self._key), record.SequenceNumber, each.detail)

    def _has(self, at: Position) -> bool:
        return self._range_of(at) is not None

    def _range_of(self, at: Position) -> DecidedRange | None:
        return next((each for each in self._ranges if each.first <= at <= each.through), None)


def is_unusable(rejected: RejectedRecord) -> bool:
    """Returns whether the policy is asked. Of a misplaced record only this copy is of no use, and no decision is needed."""
    return rejected.reason is not RejectReason.MISPLACED


def first_unusable(rejected: Sequence[RejectedRecord]) -> RejectedRecord:
    return next(each for each in rejected if is_unusable(each))


class ArrivalLimit:
    """A limit of so many records a minute, by their arrival: a backlog that is read fast is not a storm."""

    def __init__(self, most: int | None, counted: Mapping[int, int] = MappingProxyType({})) -> None:
        """`counted` is what was counted before, by the minute since 1970."""
        self.most = most
        self.by_minute = Counter(counted if most is not None else {})

    def exceeded_by(self, arrivals_s: Sequence[float]) -> str | None:
        """Returns the first of their minutes that would have more than are allowed; counts them if there is none.

        Records of a page that is refused are read again, and are counted then if they are unusable still: under a higher limit,
        or another format, they pass.
        """
        if self.most is None:
            return None
        found = Counter(int(arrival_s // MINUTE_S) for arrival_s in arrivals_s)
        over = min(
            (minute for minute, count in found.items() if self.by_minute[minute] + count > self.most), default=None
        )
        if over is not None:
            return f"{datetime.fromtimestamp(over * MINUTE_S, UTC):%Y-%m-%dT%H:%MZ}"
        self.by_minute.update(found)
        for minute in sorted(self.by_minute)[:-MINUTES_KEPT]:
            del self.by_minute[minute]
        return None
