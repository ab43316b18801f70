"""A batch: letters that are replayed together, with the very rows that are sent for them.

It is written once, before the first row is sent, and never changed. So whoever goes on with it sends the same bytes under
the same tokens, whatever the configuration says by then. Rows are numbered from 1, and a row's token is the batch's number,
a digest of its content, and the row's number: a channel's committed token says which rows of which batch are in.
"""

import gzip
import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import msgspec

from firnline_ingest.ledger.row import Proven
from firnline_ingest.replay.errors import JournalUnreadable
from firnline_ingest.values import DIGITS, Position, ShardKey, TargetTable


class BatchLetter(msgspec.Struct, frozen=True):
    """A letter of the batch."""

    position: str
    """As a token."""
    stage: str
    rows: int


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
    """False where the table kept no rejected rows when it was begun: what it refused is in no table, whoever finishes it."""
    letters: tuple[BatchLetter, ...]


_DIGESTS: int = 10**DIGITS
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(BatchHeader).decode


@dataclass(frozen=True)
class Batch:
    """Its rows may be some megabytes."""

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
            raise JournalUnreadable(place, f"it holds {len(rows)} rows, and its letters have another number")
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
        """Of the row with this number, from 1."""
        return Position(self.header.number, self.digest, row)

    @property
    def end(self) -> Position:
        return self.position(len(self.rows))

    @property
    def shard(self) -> ShardKey:
        return ShardKey(self.header.stream, self.header.stream_created_ms, self.header.shard_id)

    @property
    def baseline(self) -> Proven:
        before = self.header.before
        return Proven(
            Position.from_token(before) if before else None, self.header.rows_inserted, self.header.rows_error
        )

    def __str__(self) -> str:
        return f"{self.header.number} of {self.shard}"
