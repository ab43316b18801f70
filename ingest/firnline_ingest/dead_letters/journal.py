"""The journal: which dead letters of a shard were replayed, in numbered batches, beside the dead letters themselves.

    <folder>/replays/<application>/<stream>@<created ms>/<shard>/<number>.jsonl.gz     a batch, made before its first row is sent
    <folder>/replays/<application>/<stream>@<created ms>/<shard>/<number>.done.json    its end, made when its rows are proven
    <folder>/replays/<application>/<stream>@<created ms>/<shard>/<number>.lost.json    its rows are not in the table all the same
    <folder>/replays/<application>/<stream>@<created ms>/<shard>/<number>.put….json    what was put into the stream again

All are only made where there is none of the name, so two replays can't have one number. A dead letter of any batch is replayed,
or is being replayed, and no other batch takes it; only what a batch with the end `void` had is free again. An end says what was
proven then: an account that failed over to a replica may have less, and the channel's token says so (presence.py).

A batch holds the very rows that are sent for its dead letters, and is never changed: any replay sends the same bytes
under the same tokens, whatever the configuration says by then. Rows are numbered from 1, and a row's token is the batch's
number, a digest of its content, and the row's number: a channel's committed token says which rows of which batch are in.
"""

import gzip
import hashlib
import re
import zlib
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Literal

import msgspec

from firnline_ingest.dead_letters.errors import JournalUnreadable
from firnline_ingest.dead_letters.letter import path_name
from firnline_ingest.dead_letters.named_objects import NamedObjects
from firnline_ingest.dead_letters.put_journal import PutJournal, RecordPlace, is_put
from firnline_ingest.ledger.row import Proven
from firnline_ingest.permissions.narrowing import REPLAYS
from firnline_ingest.values import DIGITS, Position, ShardKey, TargetTable

NUMBER_DIGITS = 10
_NAME = re.compile(r"([0-9]{10})\.(jsonl\.gz|done\.json|lost\.json)", re.ASCII)


class BatchLetter(msgspec.Struct, frozen=True, omit_defaults=True):
    """A dead letter of the batch, or one row of a dead letter that has several."""

    position: str
    """As a token."""
    stage: str
    rows: int
    first: int = 0
    """The index of the first row of the batch among all rows of the dead letter."""
    of: int = 0
    """How many rows the dead letter has, where the batch has one of several; else 0."""


class BatchHeader(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The first line of a batch; the others are its rows."""

    version: Literal[1] = 1
    stream: str
    stream_created_ms: int
    shard_id: str
    number: int
    target: TargetTable
    channel: str
    channel_created_ms: int
    before: str | None
    """The channel's token when the batch was made; the counters were these."""
    rows_inserted: int
    rows_error: int
    begun_ms: int = 0
    """Of one that goes by file: when it was begun."""
    keeps_rejected: bool | msgspec.UnsetType = msgspec.UNSET
    """False where the table kept no rejected rows when it was begun: what it refused is in no table, in any replay."""
    letters: tuple[BatchLetter, ...]


_DIGESTS: int = 10**DIGITS
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(BatchHeader).decode


@dataclass(frozen=True)
class Batch:
    """A batch, whose rows may be some megabytes."""

    header: BatchHeader
    rows: Sequence[bytes]

    @classmethod
    def from_bytes(cls, content: bytes, place: str) -> "Batch":
        """Raises JournalUnreadable."""
        try:
            first, *rows = gzip.decompress(content).removesuffix(b"\n").split(b"\n")
            header = _decode(first)
        except (OSError, EOFError, zlib.error, ValueError, msgspec.MsgspecError) as error:
            raise JournalUnreadable(place, str(error) or "it is empty") from error
        if len(rows) != sum(letter.rows for letter in header.letters):
            raise JournalUnreadable(place, f"it holds {len(rows)} rows, and its dead letters have another number")
        return cls(header, rows)

    def to_bytes(self) -> bytes:
        return gzip.compress(self._lines, compresslevel=1, mtime=0)

    @cached_property
    def _lines(self) -> bytes:
        return b"".join(line + b"\n" for line in (_encode(self.header), *self.rows))

    @cached_property
    def digest(self) -> int:
        digest = hashlib.blake2b(self._lines, digest_size=8).digest()
        return int.from_bytes(digest, "big") % _DIGESTS

    def position(self, row: int) -> Position:
        """The position of the row with this number, counted from 1."""
        return Position(self.header.number, self.digest, row)

    @property
    def end(self) -> Position:
        return self.position(len(self.rows))

    @property
    def shard(self) -> ShardKey:
        return ShardKey(self.header.stream, self.header.stream_created_ms, self.header.shard_id)

    @property
    def whole_letters(self) -> int:
        """The number of dead letters that the batch has all rows of."""
        return sum(not letter.of for letter in self.header.letters)

    @property
    def baseline(self) -> Proven:
        before = self.header.before
        return Proven(
            Position.from_token(before) if before else None, self.header.rows_inserted, self.header.rows_error
        )

    def __str__(self) -> str:
        return f"{self.header.number} of {self.shard}"


@dataclass(frozen=True, slots=True)
class BatchSummary:
    """A batch without its rows."""

    header: BatchHeader
    digest: int
    rows: int


class Outcome(StrEnum):
    """The end of a batch."""

    PROVEN = "proven"
    """The rows are in the table, or in its error table."""
    VOID = "void"
    """None of its rows is in the table; its dead letters are as they were."""
    ACCEPTED = "accepted"
    """A person said that its rows are in the table."""


class BatchEnd(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """State of a batch that is over, and the channel's counters then."""

    version: int = 1
    outcome: Outcome
    rejected: int = 0
    """Rows that the table refused."""
    rejection: str = ""
    counters: tuple[int, int] | None = None
    """Of the channel at the proof: rows inserted, rows refused. None where a person decided."""


_decode_end = msgspec.json.Decoder(BatchEnd).decode


@dataclass(slots=True)
class ReplayedRows:
    """The rows of one record that are replayed, by their indexes."""

    of: int
    table: str
    """Where they are."""
    indexes: set[int] = field(default_factory=set)

    @property
    def is_complete(self) -> bool:
        return len(self.indexes) == self.of


@dataclass(frozen=True, slots=True)
class ReplayedRecords:
    """Contents of a journal at one moment."""

    batch_of: dict[RecordPlace, int]
    """By which batch a record, or a row of it, is replayed, or is being replayed."""
    rows_of: dict[RecordPlace, "ReplayedRows"]
    """Of records whose rows are replayed one by one."""
    last_batch: int
    """A batch with the next number is from a replay that knew all of this."""
    are_over: bool
    """True if each of the batches was finished."""
    in_lost: Set[RecordPlace] = frozenset()
    """Records with rows that were proven, and are not in the table any more."""
    in_replaced: Set[RecordPlace] = frozenset()
    """Records with rows in a table that was recreated since; what went there counts as replayed nowhere."""

    def has(self, place: RecordPlace) -> bool:
        """Returns whether the record is replayed in whole."""
        rows = self.rows_of.get(place)
        return place in self.batch_of and (rows is None or rows.is_complete)


@dataclass(frozen=True, slots=True)
class JournalMemory:
    """Remembers what was read of a journal, for readers that come again: batches and ends never change once they are there.

    They may go, with the dead letters that they are about, and the journal then counts from 1 again.
    """

    batches: dict[int, BatchSummary] = field(default_factory=dict)
    ends: dict[int, BatchEnd] = field(default_factory=dict)

    @property
    def last(self) -> BatchSummary | None:
        """The batch with the highest number; None where that of an end is not known, or nothing is."""
        number = max((*self.batches, *self.ends), default=0)
        return self.batches.get(number)

    def forget(self) -> None:
        self.batches.clear()
        self.ends.clear()


class Journal:
    """The journal of one shard's replays by one application: another application that reads the stream replays its dead
    letters into its own table."""

    def __init__(
        self, objects: NamedObjects, application: str, shard: ShardKey, memory: JournalMemory | None = None
    ) -> None:
        self._objects = objects
        self._memory = memory or JournalMemory()
        self._is_compared = memory is None
        self._has_puts = False
        self._newest: Batch | None = None
        """Of those that were read."""
        self._shard = shard
        self.lost: set[int] = set()
        """Batches that are not in the table although their end says so; as `numbers` has seen them last."""
        incarnation = f"{path_name(shard.stream)}@{shard.stream_created_ms}"
        self.folder = f"{REPLAYS}{path_name(application)}/{incarnation}/{path_name(shard.shard_id)}/"

    def numbers(self) -> dict[int, bool]:
        """The numbers of all batches, in order, each with whether it is over."""
        found: dict[int, bool] = {}
        for name in self._objects.names(self.folder):
            match = _NAME.fullmatch(name.removeprefix(self.folder))
            self._has_puts = self._has_puts or is_put(name)
            if match:
                number = int(match[1])
                if match[2] == "lost.json":
                    self.lost.add(number)
                    continue
                found[number] = found.get(number, False) or match[2] == "done.json"
        if not self._is_compared:
            self._compare_memory(found.keys())
        return dict(sorted(found.items()))

    def _compare_memory(self, found: Set[int]) -> None:
        """Forgets what is remembered of a journal that has begun anew. A number comes again only where every batch from it on is
        gone, so the last one that is remembered tells.
        """
        last = self._memory.last
        if last is None or last.header.number not in found or self.batch(last.header.number).digest != last.digest:
            self._memory.forget()
        self._is_compared = True

    def batch(self, number: int) -> Batch:
        if self._newest is not None and self._newest.header.number == number:
            return self._newest
        name = self._name(number, "jsonl.gz")
        batch = Batch.from_bytes(self._objects.read(name), name)
        if (batch.header.number, batch.shard) != (number, self._shard):
            raise JournalUnreadable(name, f"it is the batch {batch}")
        if self._newest is None or self._newest.header.number < number:
            self._newest = batch
        return batch

    def summary(self, number: int) -> BatchSummary:
        """Reads the batch once only."""
        if number not in self._memory.batches:
            batch = self.batch(number)
            self._memory.batches[number] = BatchSummary(batch.header, batch.digest, len(batch.rows))
        return self._memory.batches[number]

    def end(self, number: int) -> BatchEnd:
        """The end of a lost batch: as if none of its rows had ever been in the table, which is how it is now."""
        end = self.end_then(number)
        return msgspec.structs.replace(end, outcome=Outcome.VOID) if number in self.lost else end

    def end_then(self, number: int) -> BatchEnd:
        """The end as it was written."""
        if number not in self._memory.ends:
            name = self._name(number, "done.json")
            try:
                self._memory.ends[number] = _decode_end(self._objects.read(name))
            except msgspec.MsgspecError as error:
                raise JournalUnreadable(name, str(error)) from error
        return self._memory.ends[number]

    def begin(self, batch: Batch) -> bool:
        """False where another's batch has the number. From now on its dead letters are taken."""
        return self._objects.create(self._name(batch.header.number, "jsonl.gz"), batch.to_bytes())

    def finish(self, batch: Batch, end: BatchEnd) -> None:
        self._objects.create(self._name(batch.header.number, "done.json"), msgspec.json.encode(end))

    def lose(self, number: int, why: str) -> None:
        """Notes for good that no row of the batch is in the table: its token may be passed by now."""
        self._objects.create(self._name(number, "lost.json"), msgspec.json.encode({"version": 1, "why": why}))
        self.lost.add(number)

    def replayed(self, tables: Iterable[TargetTable] = ()) -> ReplayedRecords:
        """The records replayed so far; takes some 200 bytes of memory a record. `tables` are the pipeline's, where it
        matters which were recreated."""
        numbers, found, rows_of = self.numbers(), dict[RecordPlace, int](), dict[RecordPlace, ReplayedRows]()
        if self._has_puts:  # those are records of the stream again, and the engine's
            found |= dict.fromkeys(PutJournal(self._objects, self.folder).taken(), 0)
        now, in_replaced, in_lost = list(tables), set[RecordPlace](), set[RecordPlace]()
        for number, is_over in numbers.items():
            if not is_over or self.end_then(number).outcome is not Outcome.VOID:
                batch = self.summary(number).header
                is_replaced = is_over and any(table.has_replaced(batch.target) for table in now)
                for letter in batch.letters:
                    place = place_of(Position.from_token(letter.position))
                    if is_replaced or number in self.lost:
                        (in_replaced if is_replaced else in_lost).add(place)
                        continue
                    found[place] = number
                    if letter.of:
                        rows = rows_of.setdefault(place, ReplayedRows(letter.of, batch.target.table))
                        rows.indexes.add(letter.first)
        return ReplayedRecords(found, rows_of, max(numbers, default=0), all(numbers.values()), in_lost, in_replaced)

    def _name(self, number: int, suffix: str) -> str:
        return f"{self.folder}{number:0{NUMBER_DIGITS}d}.{suffix}"


def place_of(position: Position) -> RecordPlace:
    """A record is replayed in whole: by its place, whatever dead letters it has."""
    return position.sequence_number, position.sub_sequence_number
