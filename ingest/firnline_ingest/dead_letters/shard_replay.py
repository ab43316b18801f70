"""Replays the dead letters of one shard: batches that were begun are finished, then new ones are made of what can be rows now.

The order is: rows made ①, channel opened ②, batch written ③, rows sent ④, proven ⑤, end written ⑥. From ③ on the batch's
dead letters are taken, and its rows are what they are; the next replay finishes it first. A kill anywhere leaves the dead letters
as they were (before ③), or a batch that the next replay finishes (docs/design/replay.md).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from firnline_ingest.dead_letters import DeadLetter
from firnline_ingest.dead_letters.conversion import Conversion
from firnline_ingest.dead_letters.errors import ReplayedElsewhere, ReplayUnfinished, ReplayUnprovable
from firnline_ingest.dead_letters.file_errors import FileUnprovable
from firnline_ingest.dead_letters.journal import (
    Batch,
    BatchEnd,
    BatchHeader,
    BatchLetter,
    Journal,
    Outcome,
    ReplayedRecords,
    ReplayedRows,
    place_of,
)
from firnline_ingest.dead_letters.presence import Lacking, SentBatch, sent_batches
from firnline_ingest.dead_letters.put_journal import RecordPlace
from firnline_ingest.dead_letters.transport import BY_FILE, OpenTransport, ReplayTable
from firnline_ingest.ledger.row import Proven
from firnline_ingest.values import ShardKey, TargetTable

BATCH_LETTERS, BATCH_BYTES = 1_000, 4_000_000
RACES = 20
REFUSED = "the table refused it"
OTHER_ROWS = "other rows"
"""It has another number of rows than when the first of them were sent."""
OTHER_TABLE = "its other rows are in another table"
REPLACED = "replayed before, into a table that was recreated since"
LOST = "replayed before, and not in the table any more (a replica has less): --again sends it"
UNKNOWN = (
    "replayed before, through a channel or pipe that is another one now: firnline audit says whether it is in the table; "
    "then --unfinished accept, or forget"
)
NO_FILES = "a route sends it to a table without a pipe for files (file_replay); replay it without --by-file"


@dataclass
class ReplayReport:
    """Outcome of a replay: what became of the dead letters that it was asked for."""

    letters: int = 0
    """Replayed by this run; those of batches that an earlier one had begun included."""
    rows: int = 0
    rejected: int = 0
    """Rows among them that the table refused; they are in its error table."""
    rejection: str = ""
    already: int = 0
    """Replayed before, or by another replay meanwhile."""
    remaining: Counter[str] = field(default_factory=Counter)
    """The reason why others stay dead letters, and how many."""
    failure: str = ""
    """What a shard's replay ended with; empty where it came to its end."""

    def add(self, other: "ReplayReport") -> None:
        self.letters += other.letters
        self.rows += other.rows
        self.rejected += other.rejected
        self.rejection = other.rejection or self.rejection
        self.already += other.already
        self.remaining += other.remaining


@dataclass(frozen=True, slots=True)
class LetterRows:
    """A dead letter and the rows of it that go into one batch: all, or one of several."""

    letter: DeadLetter
    rows: Sequence[msgspec.Raw]
    first: int = 0
    of: int = 0

    @property
    def entry(self) -> BatchLetter:
        token = self.letter.key.position.token
        return BatchLetter(token, self.letter.stage, len(self.rows), self.first, self.of)


class _Raced(Exception):
    """Another replay's batch has the number that ours was to have."""


@dataclass(kw_only=True)
class ShardReplay:
    """Replays one shard; not thread-safe. `make` says what a dead letter would be now."""

    shard: ShardKey
    journal: Journal
    tables: Mapping[str, ReplayTable]
    """By what the pipeline's routes call them, its own table under nothing (Conversion.table)."""
    make: Callable[[DeadLetter], Conversion]
    most_letters: int | None = None
    """A batch; by default as many as the table's keeping of rejected rows allows."""
    again: bool = False
    """True if those go once more that went into a table that was recreated since, or has less than was proven in it."""
    report: ReplayReport = field(default_factory=ReplayReport)
    _opened: dict[TargetTable, OpenTransport] = field(default_factory=dict)
    _opened_behind: int = 0
    """The last batch that they know of: the replay that made the next one may have had their channels since."""
    _own: set[int] = field(default_factory=set)
    """Batches that this replay has counted."""
    _in_rows: set[RecordPlace] = field(default_factory=set)
    """Letters that it has counted whose rows went one by one."""
    _number: int = 0
    """Of the last batch."""
    _unknown: set[int] = field(default_factory=set)
    """Batches of which nothing says whether they are still in the table."""
    _word: Outcome | None = None
    """A person's, about what can't be known."""

    def run(self, letters: Callable[[], Iterable[DeadLetter]]) -> ReplayReport:
        """`letters` gives those that are asked for, each time anew. Raises DeadLetterError and
        SnowflakeError.
        """
        for _ in range(RACES):
            self.report.already = 0
            self.report.remaining.clear()
            try:
                self._compare()
                self.finish_begun()
                self._replay(letters())
            except _Raced:
                continue
            else:
                return self.report
            finally:
                self._give_back()
        raise ReplayUnfinished(str(self.shard), f"others replay the same shard, and were faster {RACES} times")

    def _give_back(self) -> None:
        for opened in self._opened.values():
            opened.channel.close()
        self._opened.clear()

    def _compare(self) -> None:
        """The journal with the tables as they are. What a table is without is noted, because the next batch hides it; the
        rest of a batch of which the table has the first rows is sent.
        """
        sent = list(sent_batches(self.journal))
        for table in self.tables.values():
            is_asked = self.again or not table.transport.channel.startswith(BY_FILE)
            if not is_asked or not any(table.has(each) for each in sent):
                continue
            lacking = self._lacking(table, sent)
            for each in sent:
                if each.number in lacking.lost and each.outcome is None:
                    self.journal.finish(self.journal.batch(each.number), BatchEnd(outcome=Outcome.VOID))
                is_forgotten = self.again and self._word is Outcome.VOID and each.number in lacking.unknown
                if each.number in lacking.lost or is_forgotten:
                    self.journal.lose(each.number, "forgotten" if is_forgotten else "the channel's token is before it")
            if lacking.part is not None:
                table.transport.load(self.journal.batch(lacking.part)).opened.channel.close()
            if self._word is None:
                self._unknown |= lacking.unknown

    def _lacking(self, table: ReplayTable, sent: Sequence[SentBatch]) -> Lacking:
        try:
            return table.transport.lacking([each for each in sent if table.has(each)])
        except ReplayedElsewhere:
            if max(self.journal.numbers(), default=0) > max((each.number for each in sent), default=0):
                raise _Raced from None
            raise

    def finish_begun(self) -> None:
        """Batches that a replay left half-done."""
        for batch in self._begun():
            self._finish_begun(batch)

    def _begun(self) -> Iterator[Batch]:
        for number, is_over in self.journal.numbers().items():
            if not is_over:
                yield self.journal.batch(number)

    def _finish_begun(self, batch: Batch) -> None:
        """The batch's dead letters are free again where it turns out to be void."""
        self._finish(batch, self._table_of(batch))

    def _table_of(self, batch: Batch) -> ReplayTable:
        """Raises ReplayUnprovable where it went another way, or into a table that is no longer the pipeline's."""
        for table in self.tables.values():
            if table.has(batch):
                return table
        raise ReplayUnprovable(str(batch), self._why_not_ours(batch))

    def _why_not_ours(self, batch: Batch) -> str:
        if not self._goes_another_way(batch):
            return f"it went into {batch.header.target}, which was recreated since, or is not a table of the pipeline's"
        if batch.header.channel.startswith(BY_FILE):
            return "it was begun by file; run the same command with --by-file, which can tell"
        return "it was not begun by file; run the same command without --by-file, which can tell"

    def decide(self, outcome: Outcome) -> int:
        """A person's word about batches that can't be finished; those that can be are, because then the word may be wrong.
        How many can't. Raises what `run` raises.
        """
        decided, self._word = 0, outcome
        try:
            self._compare()
            for batch in self._begun():
                try:
                    self._finish_begun(batch)
                except (ReplayUnprovable, FileUnprovable):
                    if self._goes_another_way(batch):
                        raise
                    self.journal.finish(batch, BatchEnd(outcome=outcome))
                    decided += 1
                except _Raced:
                    continue
        finally:
            self._give_back()
        return decided

    def _goes_another_way(self, batch: Batch) -> bool:
        """Returns whether it was begun by file and this replay goes by channel, or the reverse: the other one can tell more."""
        is_by_file = any(table.transport.channel.startswith(BY_FILE) for table in self.tables.values())
        return batch.header.channel.startswith(BY_FILE) is not is_by_file

    def _replay(self, letters: Iterable[DeadLetter]) -> None:
        replayed = self.journal.replayed(table.transport.target for table in self.tables.values())
        if not replayed.are_over:
            raise _Raced
        self._number = replayed.last_batch
        for table, group in _grouped(self._in_batches(letters, replayed), self.most_letters or BATCH_LETTERS):
            self._replay_batch(self.tables[table], group)

    def _in_batches(self, letters: Iterable[DeadLetter], replayed: ReplayedRecords) -> Iterator[tuple[str, LetterRows]]:
        """Yields the dead letters that can share a batch, each with its table. Replays the others row by row here, and so
        whatever is partly in its table already: the table may keep rejected rows by now."""
        for name, letter in self._made(letters, replayed):
            table, in_table = self.tables[name], replayed.rows_of.get(place_of(letter.letter.key.position))
            if in_table is not None or (self.most_letters is None and not table.keeps_rejected):
                self._replay_rows(table, letter, in_table)
            else:
                yield name, letter

    def _replay_rows(self, table: ReplayTable, letter: LetterRows, replayed: ReplayedRows | None) -> None:
        """Sends those that are not in the table yet, each by itself."""
        rows = letter.rows
        if len(rows) == 1 and replayed is None:
            self._replay_batch(table, [letter])
            return
        outcomes = {
            self._replay_batch(table, [LetterRows(letter.letter, [row], first=index, of=len(rows))])
            for index, row in enumerate(rows)
            if replayed is None or index not in replayed.indexes
        }
        if Outcome.VOID in outcomes:
            self.report.remaining[REFUSED] += 1
        else:
            self._count_in_rows(place_of(letter.letter.key.position))

    def _count_in_rows(self, place: RecordPlace) -> None:
        """Counts a dead letter whose rows went one by one, once the last of them is in."""
        if place not in self._in_rows:
            self._in_rows.add(place)
            self.report.letters += 1

    def _replay_batch(self, table: ReplayTable, letters: Sequence[LetterRows]) -> Outcome:
        self._number += 1
        batch, opened = self._begin(self._number, table, letters)
        outcome = self._finish(batch, table, opened)
        if outcome is Outcome.VOID:
            self.report.remaining[REFUSED] += batch.whole_letters
        return outcome

    def _made(self, letters: Iterable[DeadLetter], replayed: ReplayedRecords) -> Iterator[tuple[str, LetterRows]]:
        taken: set[RecordPlace] = set()
        for letter in letters:
            place = place_of(letter.key.position)
            if replayed.has(place) or place in taken:
                if self.again and replayed.batch_of.get(place) in self._unknown:
                    self.report.remaining[UNKNOWN] += 1
                    continue
                is_own = replayed.batch_of.get(place) in self._own
                self.report.already += not is_own
                if is_own and place in replayed.rows_of:
                    self._count_in_rows(place)
                continue
            if place in replayed.in_replaced and not self.again:
                self.report.remaining[REPLACED] += 1
                continue
            if place in replayed.in_lost and not self.again:
                self.report.remaining[LOST] += 1
                continue
            made = self.make(letter)
            if why_not := made.why_not.partition(":")[0] or self._why_not(made, replayed.rows_of.get(place)):
                self.report.remaining[why_not] += 1
            else:
                taken.add(place)
                yield made.table, LetterRows(letter, made.rows)

    def _why_not(self, made: Conversion, in_table: ReplayedRows | None) -> str:
        """Returns why these rows don't go; empty where they do. `in_table`: where some of the record's are, by an earlier
        replay."""
        if made.table not in self.tables:
            return NO_FILES
        if in_table is None:
            return ""
        if in_table.table != self.tables[made.table].transport.target.table:
            return OTHER_TABLE
        return OTHER_ROWS if in_table.of != len(made.rows) else ""

    def _begin(self, number: int, table: ReplayTable, letters: Sequence[LetterRows]) -> tuple[Batch, OpenTransport]:
        """Raises _Raced where the number is taken: then what is replayed is not what this replay knew."""
        if self._opened_behind != number - 1:
            self._give_back()
        opened = self._opened.get(table.transport.target) or self._open(number, table)
        proven = opened.proven
        header = BatchHeader(
            stream=self.shard.stream,
            stream_created_ms=self.shard.stream_created_ms,
            shard_id=self.shard.shard_id,
            number=number,
            target=table.transport.target,
            channel=table.transport.channel,
            channel_created_ms=opened.created_ms,
            before=proven.position.token if proven.position else None,
            rows_inserted=proven.rows_inserted,
            rows_error=proven.rows_error,
            begun_ms=opened.begun_ms,
            keeps_rejected=msgspec.UNSET if table.keeps_rejected else False,
            letters=tuple(each.entry for each in letters),
        )
        batch = Batch(header, [bytes(row) for each in letters for row in each.rows])
        if not self.journal.begin(batch):
            opened.channel.close()
            raise _Raced
        return batch, opened

    def _open(self, number: int, table: ReplayTable) -> OpenTransport:
        """Raises _Raced where a batch came meanwhile, and what `ChannelTransport.open` raises."""
        numbers = self.journal.numbers()
        if max(numbers, default=0) >= number:
            raise _Raced
        there = (self.journal.batch(each) for each in reversed(numbers) if each not in self.journal.lost)
        last = next((each for each in there if table.has(each)), None)
        counters = self.journal.end(last.header.number).counters if last else None
        try:
            return table.transport.open(last, Proven(last.end, *counters) if last and counters else None)
        except ReplayedElsewhere:
            if max(self.journal.numbers(), default=0) >= number:
                raise _Raced from None
            raise

    def _finish(self, batch: Batch, table: ReplayTable, opened: OpenTransport | None = None) -> Outcome:
        """Raises _Raced where another replay finished it, and what `ChannelTransport.load` raises."""
        try:
            proof = table.transport.load(batch, opened)
        except ReplayedElsewhere:
            if not self.journal.numbers()[batch.header.number]:
                raise
            self._count(batch)
            raise _Raced from None
        keeps_rejected = table.keeps_rejected and batch.header.keeps_rejected is not False
        is_void = not keeps_rejected and proof.rejected == len(batch.rows)
        counters = proof.opened.proven
        end = BatchEnd(
            outcome=Outcome.VOID if is_void else Outcome.PROVEN,
            rejected=proof.rejected,
            rejection=proof.rejection,
            counters=(counters.rows_inserted, counters.rows_error),
        )
        self.journal.finish(batch, end)
        self._opened[table.transport.target], self._opened_behind = proof.opened, batch.header.number
        self.report.rejection = proof.rejection or self.report.rejection
        if not is_void:
            self._count(batch)
            self.report.rejected += proof.rejected
        return end.outcome

    def _count(self, batch: Batch) -> None:
        self._own.add(batch.header.number)
        self.report.letters += batch.whole_letters
        self.report.rows += len(batch.rows)


def _grouped(made: Iterable[tuple[str, LetterRows]], most: int) -> Iterator[tuple[str, list[LetterRows]]]:
    """Groups dead letters into batches of one table each; holds at most one incomplete batch a table."""
    waiting: dict[str, list[LetterRows]] = {}
    sizes = Counter[str]()
    for table, letter in made:
        added = sum(map(len, letter.rows))
        if table in waiting and (len(waiting[table]) == most or sizes[table] + added > BATCH_BYTES):
            yield table, waiting.pop(table)
            del sizes[table]
        waiting.setdefault(table, []).append(letter)
        sizes[table] += added
    yield from waiting.items()
