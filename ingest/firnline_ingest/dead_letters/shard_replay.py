"""Replays the dead letters of one shard: batches that were begun are finished, then new ones are made of what can be rows now.

The order is: rows made ①, channel opened ②, batch written ③, rows sent ④, proven ⑤, end written ⑥. From ③ on the batch's
dead letters are taken, and its rows are what they are; the next replay finishes it first. A kill anywhere leaves the dead letters
as they were (before ③), or a batch that the next replay finishes (docs/design/replay.md).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import msgspec

from firnline_ingest.dead_letters import DeadLetter
from firnline_ingest.dead_letters.conversion import Conversion
from firnline_ingest.dead_letters.errors import FileUnprovable, ReplayedElsewhere, ReplayUnfinished, ReplayUnprovable
from firnline_ingest.dead_letters.journal import (
    Batch,
    BatchEnd,
    BatchHeader,
    BatchLetter,
    Journal,
    Outcome,
    RecordPlace,
    ReplayedRecords,
    ReplayedRows,
    place_of,
)
from firnline_ingest.dead_letters.transport import BY_FILE, OpenTransport, ReplayTransport
from firnline_ingest.ledger.row import Proven
from firnline_ingest.values import ShardKey

BATCH_LETTERS, BATCH_BYTES = 1_000, 4_000_000
RACES = 20
REFUSED = "the table refused it"
OTHER_ROWS = "other rows"
"""It has another number of rows than when the first of them were sent."""


@dataclass
class ReplayReport:
    """What became of the dead letters that a replay was asked for."""

    letters: int = 0
    """ReplayedRecords by this run, those of batches that an earlier one had begun included."""
    rows: int = 0
    rejected: int = 0
    """Rows among them that the table refused; they are in its error table."""
    rejection: str = ""
    already: int = 0
    """ReplayedRecords before, or by somebody else meanwhile."""
    remaining: Counter[str] = field(default_factory=Counter)
    """Why others stay dead letters, and how many."""

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
    """Somebody else's batch has the number that ours was to have."""


@dataclass(kw_only=True)
class ShardReplay:
    """Not thread-safe. `make` says what a dead letter would be now."""

    shard: ShardKey
    journal: Journal
    transport: ReplayTransport
    keeps_rejected: bool
    """Whether the table has an error table. Where it has none, each row is a batch of its own, because a row that is refused
    would be nowhere: its dead letter then stays one, and the next replay sends what is lacking of it.
    """
    make: Callable[[DeadLetter], Conversion]
    most_letters: int | None = None
    """A batch; by default as many as the table's keeping of rejected rows allows."""
    report: ReplayReport = field(default_factory=ReplayReport)
    _opened: OpenTransport | None = None
    _opened_behind: int = 0
    """The batch at whose end it stands: whoever made the next one has had the channel since."""
    _own: set[int] = field(default_factory=set)
    """Batches that this replay has counted."""
    _in_rows: set[RecordPlace] = field(default_factory=set)
    """Letters that it has counted whose rows went one by one."""
    _number: int = 0
    """Of the last batch."""

    def run(self, letters: Callable[[], Iterable[DeadLetter]]) -> ReplayReport:
        """`letters` gives those that are asked for, each time anew. Raises DeadLetterError and
        SnowflakeError.
        """
        for _ in range(RACES):
            self.report.already = 0
            self.report.remaining.clear()
            try:
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
        if self._opened is not None:
            self._opened.channel.close()
            self._opened = None

    def finish_begun(self) -> None:
        """Batches that a replay left half-done."""
        for batch in self._begun():
            self._finish_begun(batch)

    def _begun(self) -> Iterator[Batch]:
        for number, is_over in self.journal.numbers().items():
            if not is_over:
                yield self.journal.batch(number)

    def _finish_begun(self, batch: Batch) -> None:
        if batch.header.target != self.transport.target or batch.header.channel != self.transport.channel:
            raise ReplayUnprovable(str(batch), self._why_not_ours(batch))
        self._finish(batch)

    def _why_not_ours(self, batch: Batch) -> str:
        if batch.header.target != self.transport.target:
            return f"it went into {batch.header.target}, which was recreated since, or is another table"
        if batch.header.channel.startswith(BY_FILE):
            return "it was begun by file; run the same command with --by-file, which can tell"
        return "it was not begun by file; run the same command without --by-file, which can tell"

    def decide(self, outcome: Outcome) -> int:
        """A person's word about batches that can't be finished; those that can be are, because then the word may be wrong.
        How many can't. Raises what `run` raises.
        """
        decided = 0
        try:
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
        """Whether the transport that it was begun on may tell how far it came."""
        return batch.header.target == self.transport.target and batch.header.channel != self.transport.channel

    def _replay(self, letters: Iterable[DeadLetter]) -> None:
        replayed = self.journal.replayed()
        if not replayed.are_over:
            raise _Raced
        self._number = replayed.last_batch
        for group in _grouped(self._in_batches(letters, replayed), self.most_letters or BATCH_LETTERS):
            self._replay_batch([LetterRows(letter, rows) for letter, rows in group])

    def _in_batches(
        self, letters: Iterable[DeadLetter], replayed: ReplayedRecords
    ) -> Iterator[tuple[DeadLetter, Sequence[msgspec.Raw]]]:
        """Those that go together with others. Replays the ones that go row by row, which is also the way of whatever is partly in
        the table: the table may keep rejected rows by now.
        """
        is_row_by_row = self.most_letters is None and not self.keeps_rejected
        for letter, rows in self._made(letters, replayed):
            in_table = replayed.rows_of.get(place_of(letter.key.position))
            if is_row_by_row or in_table is not None:
                self._replay_rows(letter, rows, in_table)
            else:
                yield letter, rows

    def _replay_rows(self, letter: DeadLetter, rows: Sequence[msgspec.Raw], replayed: ReplayedRows | None) -> None:
        """Sends those that are not in the table yet, each by itself."""
        if len(rows) == 1 and replayed is None:
            self._replay_batch([LetterRows(letter, rows)])
            return
        outcomes = {
            self._replay_batch([LetterRows(letter, [row], first=index, of=len(rows))])
            for index, row in enumerate(rows)
            if replayed is None or index not in replayed.indexes
        }
        if Outcome.VOID in outcomes:
            self.report.remaining[REFUSED] += 1
        else:
            self._count_in_rows(place_of(letter.key.position))

    def _count_in_rows(self, place: RecordPlace) -> None:
        """Counts a dead letter whose rows went one by one, once the last of them is in."""
        if place not in self._in_rows:
            self._in_rows.add(place)
            self.report.letters += 1

    def _replay_batch(self, letters: Sequence[LetterRows]) -> Outcome:
        self._number += 1
        batch, opened = self._begin(self._number, letters)
        return self._finish(batch, opened)

    def _made(
        self, letters: Iterable[DeadLetter], replayed: ReplayedRecords
    ) -> Iterator[tuple[DeadLetter, Sequence[msgspec.Raw]]]:
        taken: set[RecordPlace] = set()
        for letter in letters:
            place = place_of(letter.key.position)
            if replayed.has(place) or place in taken:
                is_own = replayed.batch_of.get(place) in self._own
                self.report.already += not is_own
                if is_own and place in replayed.rows_of:
                    self._count_in_rows(place)
                continue
            made, rows = self.make(letter), replayed.rows_of.get(place)
            if made.rows and rows is not None and rows.of != len(made.rows):
                self.report.remaining[OTHER_ROWS] += 1
            elif made.rows:
                taken.add(place)
                yield letter, made.rows
            else:
                self.report.remaining[made.why_not.partition(":")[0]] += 1

    def _begin(self, number: int, letters: Sequence[LetterRows]) -> tuple[Batch, OpenTransport]:
        """Raises _Raced where the number is taken: then what is replayed is not what this replay knew."""
        if self._opened_behind != number - 1:
            self._give_back()
        opened = self._opened or self._open(number)
        proven = opened.proven
        header = BatchHeader(
            stream=self.shard.stream,
            stream_created_ms=self.shard.stream_created_ms,
            shard_id=self.shard.shard_id,
            number=number,
            target=self.transport.target,
            channel=self.transport.channel,
            channel_created_ms=opened.created_ms,
            before=proven.position.token if proven.position else None,
            rows_inserted=proven.rows_inserted,
            rows_error=proven.rows_error,
            begun_ms=opened.begun_ms,
            keeps_rejected=msgspec.UNSET if self.keeps_rejected else False,
            letters=tuple(each.entry for each in letters),
        )
        batch = Batch(header, [bytes(row) for each in letters for row in each.rows])
        if not self.journal.begin(batch):
            opened.channel.close()
            raise _Raced
        return batch, opened

    def _open(self, number: int) -> OpenTransport:
        """Raises _Raced where a batch came meanwhile, and what `ChannelTransport.open` raises."""
        numbers = self.journal.numbers()
        if max(numbers, default=0) >= number:
            raise _Raced
        last = next((each for each in map(self.journal.batch, reversed(numbers)) if self._is_ours(each)), None)
        counters = self.journal.end(last.header.number).counters if last else None
        try:
            return self.transport.open(last, Proven(last.end, *counters) if last and counters else None)
        except ReplayedElsewhere:
            if max(self.journal.numbers(), default=0) >= number:
                raise _Raced from None
            raise

    def _is_ours(self, batch: Batch) -> bool:
        return batch.header.channel == self.transport.channel and batch.header.target == self.transport.target

    def _finish(self, batch: Batch, opened: OpenTransport | None = None) -> Outcome:
        """Raises _Raced where somebody else finished it, and what `ChannelTransport.load` raises."""
        try:
            proof = self.transport.load(batch, opened)
        except ReplayedElsewhere:
            if not self.journal.numbers()[batch.header.number]:
                raise
            self._count(batch)
            raise _Raced from None
        keeps_rejected = self.keeps_rejected and batch.header.keeps_rejected is not False
        is_void = not keeps_rejected and proof.rejected == len(batch.rows)
        counters = proof.opened.proven
        end = BatchEnd(
            outcome=Outcome.VOID if is_void else Outcome.PROVEN,
            rejected=proof.rejected,
            rejection=proof.rejection,
            counters=(counters.rows_inserted, counters.rows_error),
        )
        self.journal.finish(batch, end)
        self._opened, self._opened_behind = proof.opened, batch.header.number
        self.report.rejection = proof.rejection or self.report.rejection
        if is_void:
            self.report.remaining[REFUSED] += batch.whole_letters
        else:
            self._count(batch)
            self.report.rejected += proof.rejected
        return end.outcome

    def _count(self, batch: Batch) -> None:
        self._own.add(batch.header.number)
        self.report.letters += batch.whole_letters
        self.report.rows += len(batch.rows)


def _grouped(
    made: Iterable[tuple[DeadLetter, Sequence[msgspec.Raw]]], most: int
) -> Iterator[list[tuple[DeadLetter, Sequence[msgspec.Raw]]]]:
    group: list[tuple[DeadLetter, Sequence[msgspec.Raw]]] = []
    size = 0
    for letter, rows in made:
        added = sum(map(len, rows))
        if group and (len(group) == most or size + added > BATCH_BYTES):
            yield group
            group, size = [], 0
        group.append((letter, rows))
        size += added
    if group:
        yield group
