"""A record that could not be ingested: its exact bytes, its reason and its place.

A dead letter is a function of the record and the reason alone. Nothing in it says when or by which engine it was written,
so a record that is read again after a restart makes the same dead letter under the same key.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Literal, Protocol, Self
from urllib.parse import quote

import msgspec

from firnline_ingest.dead_letters.errors import UnknownDeadLetter
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.user_record import UserRecord
from firnline_ingest.records.rejection import RejectedRecord, RejectReason
from firnline_ingest.values import DIGITS, Position, ShardKey

_KEY = re.compile(rf"([^/@]+)@([0-9]{{1,16}})/([^/]+)/([0-9]{{{2 * DIGITS + 1},256}})\.([a-z]+)", re.ASCII)


class FailedAt(StrEnum):
    """Step at which a record turned out to be unusable."""

    PARSE = "parse"
    APPEND = "append"


@dataclass(frozen=True, slots=True, order=True)
class DeadLetterKey:
    """Names one dead letter for ever; orders dead letters by stream, shard and position."""

    stream: str
    stream_created_ms: int
    shard_id: str
    position: Position
    stage: FailedAt

    def __str__(self) -> str:
        return f"{self.stream}@{self.stream_created_ms}/{self.shard_id}/{self.position.token}.{self.stage}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """The key that str() wrote. Raises UnknownDeadLetter for other text."""
        match = _KEY.fullmatch(text)
        if not match or match[5] not in set(FailedAt):
            raise UnknownDeadLetter(text)
        return cls(match[1], int(match[2]), match[3], Position.from_token(match[4]), FailedAt(match[5]))


class DeadLetter(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A dead letter, whose JSON form is what stores keep: camelCase names, the payload in base64, the sequence number as text."""

    version: Literal[1] = 1
    stream: str
    stream_created_ms: int
    shard_id: str
    sequence_number: str
    sub_sequence_number: int = 0
    row: int = 0
    rows: int | msgspec.UnsetType = msgspec.UNSET
    """How many rows the record had, where Snowflake refused one of them; `row` counts among these."""
    table: str | msgspec.UnsetType = msgspec.UNSET
    """Where Snowflake refused one of them: the table that a route sent them to, unless it was the pipeline's own."""
    stage: FailedAt
    reason: str
    """A RejectReason's value; text, because dead letters outlive the version that wrote them."""
    detail: str
    partition_key: str
    explicit_hash_key: str | msgspec.UnsetType = msgspec.UNSET
    """Of a user record of an aggregate that came with one."""
    approximate_arrival: datetime | None
    data: bytes

    @classmethod
    def of(cls, rejected: RejectedRecord, record: Record, shard: ShardKey) -> Self:
        return cls(
            stream=shard.stream,
            stream_created_ms=shard.stream_created_ms,
            shard_id=shard.shard_id,
            sequence_number=record.SequenceNumber,
            sub_sequence_number=record.position.sub_sequence_number,
            row=rejected.row,
            rows=rejected.rows or msgspec.UNSET,
            table=rejected.table or msgspec.UNSET,
            stage=FailedAt.APPEND if rejected.reason is RejectReason.REFUSED else FailedAt.PARSE,
            reason=str(rejected.reason),
            detail=rejected.detail,
            partition_key=record.PartitionKey,
            explicit_hash_key=(record.ExplicitHashKey if isinstance(record, UserRecord) else None) or msgspec.UNSET,
            approximate_arrival=_to_the_millisecond(record.ApproximateArrivalTimestamp),
            data=record.Data,
        )

    @property
    def key(self) -> DeadLetterKey:
        position = Position(int(self.sequence_number), self.sub_sequence_number, self.row)
        return DeadLetterKey(self.stream, self.stream_created_ms, self.shard_id, position, self.stage)


class DeadLetterStore(Protocol):
    """A store of dead letters: the engine only puts, the command line lists and gets.

    Safe to use from several threads, and from several engines.
    """

    def put(self, letters: Iterable[DeadLetter]) -> int:
        """Keeps dead letters; every one is durable when this returns. How many this call wrote.

        Idempotent for readers: a key has one dead letter, however often it was put. Dead letters that the store saw to be
        there already are not among those that were written; a store that keeps many together, or only appends, can't
        see all of them. Raises DeadLetterError: then some may be kept.
        """

    def list(self) -> Iterator[DeadLetter]:
        """Each dead letter once, by stream, shard and position; of a stream, as they come. Raises DeadLetterError."""

    def get(self, key: DeadLetterKey) -> DeadLetter:
        """Raises UnknownDeadLetter, and what `list` raises."""


def _to_the_millisecond(timestamp: float | None) -> datetime | None:
    return None if timestamp is None else datetime.fromtimestamp(round(timestamp * 1000) / 1000, UTC)


def why_unreadable(error: Exception) -> str:
    """Says why a dead letter could not be decoded; one that a newer version wrote says so."""
    text = str(error)
    return f"a newer version of Firnline wrote it ({text})" if "$.version" in text else text


def path_name(name: str) -> str:
    """Names of streams and shards stand for themselves; one of dots alone, or with a slash, stays in the folder too."""
    return quote(name, safe="") if name.strip(".") else name.replace(".", "%2E")


def shard_path(key: DeadLetterKey) -> str:
    """<stream>@<created ms>/<shard>, without a slash at the end."""
    return f"{path_name(key.stream)}@{key.stream_created_ms}/{path_name(key.shard_id)}"


def sorted_shards(shards: Iterable[tuple[str, int, str]]) -> Sequence[ShardKey]:
    """Each once, by stream, when that was created, and shard id."""
    return [ShardKey(*shard) for shard in sorted(set(shards))]
