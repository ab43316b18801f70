"""Pages of records to rows for one shard: checked, with the metadata in front, ready for append_rows.

A row is bytes inside msgspec.Raw, which the SDK sends as they are. What can't be a row is returned beside the rows,
never raised and never dropped.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.json_object import JsonObjectCheck
from firnline_ingest.records.metadata import MetadataHead
from firnline_ingest.records.rejection import RejectedRecord, Rejection, RejectReason, Unusable
from firnline_ingest.records.splice import splice


@dataclass(frozen=True, slots=True)
class Rows:
    """What became of a page, in its order. Every record is in `indexes` or in `rejected`, once."""

    rows: Sequence[msgspec.Raw]
    sizes: Sequence[int]
    """Bytes of each row, for pacing."""
    indexes: Sequence[int]
    """Of each row: where its record stands in the page."""
    rejected: Sequence[RejectedRecord] = field(default_factory=tuple)

    @property
    def bytes(self) -> int:
        return sum(self.sizes)


class RowMaker:
    """Not thread-safe: one shard, one thread."""

    def __init__(self, pipeline: PipelineConfig, stream: str, shard_id: str) -> None:
        self._head = MetadataHead(pipeline.metadata, stream=stream, shard_id=shard_id)
        self._check = JsonObjectCheck(self._head.column)
        self._max_row_bytes = pipeline.max_row_bytes

    def convert(self, records: Sequence[Record]) -> Rows:
        """A function of the records and the pipeline alone: the same records make the same rows at every reading."""
        head, check, most = self._head, self._check, self._max_row_bytes
        rows: list[msgspec.Raw] = []
        rejected: list[RejectedRecord] = []
        for index, record in enumerate(records):
            try:
                row = splice(head(record), check(record.Data))
                if len(row) > most:
                    raise Unusable(_too_large(len(row), most))
            except Unusable as unusable:
                rejected.append(RejectedRecord(index, *unusable.fault))
            else:
                rows.append(msgspec.Raw(row))
        return Rows(rows, list(map(len, rows)), _others(len(records), rejected), rejected)


def _too_large(size: int, most: int) -> Rejection:
    return Rejection(
        RejectReason.TOO_LARGE, f"the row has {size} bytes with its metadata, max_row_bytes allows {most}."
    )


def _others(count: int, rejected: Sequence[RejectedRecord]) -> Sequence[int]:
    if not rejected:
        return range(count)
    missing = {one.index for one in rejected}
    return [index for index in range(count) if index not in missing]
