"""Replays the letters of one shard: batches that were begun are finished, then new ones are made of what can be rows now.

The order is: rows made ①, channel opened ②, batch written ③, rows sent ④, proven ⑤, end written ⑥. From ③ on the batch's
letters are taken, and its rows are what they are; whoever comes next finishes it first. A kill anywhere leaves the letters
as they were (before ③), or a batch that the next replay finishes (docs/design/replay.md).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import msgspec

from firnline_ingest.dead_letters import DeadLetter
from firnline_ingest.dead_letters.conversion import Made
from firnline_ingest.dead_letters.errors import FileUnprovable, ReplayedElsewhere, ReplayUnfinished, ReplayUnprovable
from firnline_ingest.dead_letters.journal import (
    Batch,
    BatchEnd,
    BatchHeader,
    BatchLetter,
    Journal,
    Outcome,
    RecordPlace,
    place_of,
)
from firnline_ingest.dead_letters.transport import BY_FILE, Opened, ReplayTransport
from firnline_ingest.ledger.row import Proven
from firnline_ingest.values import ShardKey

BATCH_LETTERS, BATCH_BYTES = 1_000, 4_000_000
RACES = 20
REFUSED = "the table refused it"


@dataclass
class ReplayReport:
    """What became of the letters that a replay was asked for."""

    letters: int = 0
    """Replayed by this run, those of batches that an earlier one had begun included."""
    rows: int = 0
    rejected: int = 0
    """Rows among them that the table refused; they are in its error table."""
    rejection: str = ""
    already: int = 0
    """Replayed before, or by somebody else meanwhile."""
    remaining: Counter[str] = field(default_factory=Counter)
    """Why others stay letters, and how many."""

    def add(self, other: "ReplayReport") -> None:
        self.letters += other.letters
        self.rows += other.rows
        self.rejected += other.rejected
        self.rejection = other.rejection or self.rejection
        self.already += other.already
        self.remaining += other.remaining


class _Raced(Exception):
    """Somebody else's batch has the number that ours was to have."""


@dataclass(kw_only=True)
class ShardReplay:
    """Not thread-safe. `make` says what a letter would be now."""

    shard: ShardKey
    journal: Journal
    transport: ReplayTransport
    keeps_rejected: bool
    """Whether the table has an error table. Where it has none, each letter is a batch of its own, because a row that is refused
    would be nowhere: the letter then stays one.
    """
    make: Callable[[DeadLetter], Made]
    most_letters: int | None = None
    """A batch; by default as many as the table's keeping of rejected rows allows."""
    report: ReplayReport = field(default_factory=ReplayReport)
    _opened: Opened | None = None
    _opened_behind: int = 0
    """The batch at whose end it stands: whoever made the next one has had the channel since."""
    _own: set[int] = field(default_factory=set)

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
            return f"it went into {batch.header.target}, which was made again since, or is another table"
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
        number = replayed.last_batch
        most = self.most_letters or (BATCH_LETTERS if self.keeps_rejected else 1)
        for group in _grouped(self._made(letters, replayed.batch_of), most):
            number += 1
            batch, opened = self._begin(number, group)
            self._own.add(number)
            self._finish(batch, opened)

    def _made(
        self, letters: Iterable[DeadLetter], replayed: dict[RecordPlace, int]
    ) -> Iterator[tuple[DeadLetter, Sequence[msgspec.Raw]]]:
        taken: set[RecordPlace] = set()
        for letter in letters:
            place = place_of(letter.key.position)
            if place in replayed or place in taken:
                self.report.already += replayed.get(place) not in self._own
                continue
            made = self.make(letter)
            if made.rows:
                taken.add(place)
                yield letter, made.rows
            else:
                self.report.remaining[made.why_not.partition(":")[0]] += 1

    def _begin(self, number: int, group: Sequence[tuple[DeadLetter, Sequence[msgspec.Raw]]]) -> tuple[Batch, Opened]:
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
            letters=tuple(BatchLetter(each.key.position.token, each.stage, len(rows)) for each, rows in group),
        )
        batch = Batch(header, [bytes(row) for _, rows in group for row in rows])
        if not self.journal.begin(batch):
            opened.channel.close()
            raise _Raced
        return batch, opened

    def _open(self, number: int) -> Opened:
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

    def _finish(self, batch: Batch, opened: Opened | None = None) -> None:
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
            self.report.remaining[REFUSED] += len(batch.header.letters)
            return
        self._count(batch)
        self.report.rejected += proof.rejected

    def _count(self, batch: Batch) -> None:
        self.report.letters += len(batch.header.letters)
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
