"""The place of a streaming query: for each shard, where its next batch begins, as Spark's checkpoint keeps it.

A batch's own end is not known when Spark writes its offset down: Kinesis does not say which record is the last one. So an
offset says where its batch *begins*, and the batch keeps where it ended (datasource/ends.py); the next offset begins there.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Self

from firnline_ingest.datasource.errors import OffsetForeign
from firnline_ingest.kinesis.lineage import Lineage
from firnline_ingest.kinesis.start import After, AtTimestamp, Start, TrimHorizon
from firnline_ingest.values import Position

VERSION = 1
END = "END"
AFTER, AT = "AFTER_SEQUENCE_NUMBER ", "AT_TIMESTAMP "
HORIZON = "TRIM_HORIZON"
KEPT_ENDS = 1000
"""Ended shards that are no longer listed; the latest ones stay, by their ids, which rise."""


def start_text(start: Start) -> str:
    """The start as an offset spells it. A position is that of a whole Kinesis record."""
    match start:
        case TrimHorizon():
            return HORIZON
        case AtTimestamp(ms):
            return AT + datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds")
        case After(position):
            return f"{AFTER}{position.sequence_number}"


def parse_start_text(text: str) -> Start | None:
    """The start that `text` spells; None for a shard that was read to its end. Raises OffsetForeign."""
    try:
        if text == END:
            return None
        if text == HORIZON:
            return TrimHorizon()
        if text.startswith(AT):
            return AtTimestamp(round(datetime.fromisoformat(text.removeprefix(AT)).timestamp() * 1000))
        if text.startswith(AFTER):
            return After(Position(int(text.removeprefix(AFTER))))
    except ValueError:
        pass
    raise OffsetForeign(f"{text!r} is not a start position")


@dataclass(frozen=True, slots=True)
class ShardEnd:
    """The end of one shard's part of a batch."""

    at: str
    """The place as an offset spells it."""
    is_cut: bool = False
    """True if the batch was full there, and more had arrived."""


@dataclass(frozen=True, kw_only=True)
class StreamOffset:
    """`starts` has each shard that is read, or was; a shard that waits for its parents is not in it."""

    query: str
    """Made once for each checkpoint: queries that share a `metadataPath` do not share ends."""
    batch: int
    stream: str
    stream_created_ms: int
    begin: str
    """Where shards begin that nobody has read."""
    starts: Mapping[str, str]
    is_behind: bool = True
    """True if the batch before it left records that had arrived, or shards."""

    def as_document(self) -> dict[str, Any]:
        return {
            "version": VERSION,
            "query": self.query,
            "batch": self.batch,
            "stream": self.stream,
            "stream_created_ms": self.stream_created_ms,
            "begin": self.begin,
            "starts": dict(self.starts),
            "is_behind": self.is_behind,
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any], stream: str) -> Self:
        """Raises OffsetForeign for what this source did not write, and for one of another stream."""
        if document.get("version") != VERSION or not cls.__dataclass_fields__.keys() - {"is_behind"} <= document.keys():
            raise OffsetForeign("it is not of this source")
        if document["stream"] != stream:
            raise OffsetForeign(f"it belongs to stream {document['stream']!r}, and the query reads {stream!r}")
        return cls(**{name: document[name] for name in cls.__dataclass_fields__ if name in document})

    def next(self, ends: Mapping[str, ShardEnd], lineage: Lineage) -> Self:
        """The offset of the batch that follows one with these ends: shards that ended make room for their children."""
        ended = {shard: end.at for shard, end in ends.items()}
        starts = _with_new(self.begin, {**self.starts, **ended}, lineage)
        is_behind = any(end.is_cut or end.at == END for end in ends.values()) or not starts.keys() <= self.starts.keys()
        return replace(self, batch=self.batch + 1, starts=starts, is_behind=is_behind)


def lacks_parents(lineage: Lineage, starts: Mapping[str, str]) -> bool:
    """Returns whether a new shard names a parent that is neither listed nor known.

    Such a parent has expired, or the listing is behind.
    """
    new = (shard for shard in lineage.shards.values() if shard.id not in starts)
    return any(parent not in lineage.shards and parent not in starts for shard in new for parent in shard.parents)


def _with_new(begin: str, starts: Mapping[str, str], lineage: Lineage) -> Mapping[str, str]:
    """A shard begins when each parent that is listed was read to its end: so the records of a key stay in order.

    A listing may be behind. So an end is remembered although the shard is not listed, and a shard of which a child has begun was
    read, even if an earlier listing had lost it.
    """
    has_begun = {parent for shard in lineage.shards.values() if shard.id in starts for parent in shard.parents}
    ended = sorted(id_ for id_, start in starts.items() if start == END and id_ not in lineage.shards)
    forgotten = set(ended[:-KEPT_ENDS])
    kept = {id_: start for id_, start in starts.items() if id_ not in forgotten}
    for shard in lineage.shards.values():
        is_new = shard.id not in starts and shard.id not in has_begun
        if is_new and all(starts.get(parent) == END for parent in shard.parents if parent in lineage.shards):
            kept[shard.id] = begin
    return kept
