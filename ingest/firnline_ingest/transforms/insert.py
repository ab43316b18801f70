"""insert: a field more, with a value that is the same for all records or a part of the record's metadata."""

from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, Self

from pydantic import Field, model_validator

from firnline_ingest.config.field_path import FieldPath, keys_of
from firnline_ingest.config.transform import JsonValue, Transform
from firnline_ingest.records.rejection import Untransformable

if TYPE_CHECKING:
    from firnline_ingest.records.chain import Apply, Origin


class MetadataPart(StrEnum):
    """Metadata of a record in Kinesis."""

    STREAM = "stream"
    """The stream's name."""
    SHARD_ID = "shard_id"
    """The shard's id."""
    APPROXIMATE_ARRIVAL = "approximate_arrival"
    """When Kinesis took the record: ISO 8601 with milliseconds; null where Kinesis does not say."""
    PARTITION_KEY = "partition_key"
    """As the producer gave it."""
    SEQUENCE_NUMBER = "sequence_number"
    """The place in the shard, as text."""
    SUB_SEQUENCE_NUMBER = "sub_sequence_number"
    """The place inside an aggregated record, from 0."""


class Existing(StrEnum):
    """Treatment of a field that is there already."""

    REJECT = "reject"
    """The record can't be a row: two values for one field, and either would be lost."""
    KEEP = "keep"
    """It stays as it is."""
    REPLACE = "replace"
    """It is replaced."""


class InsertTransform(Transform):
    """Puts a field into the record: a value that is the same for all, or a part of the record's metadata."""

    order = 30
    makes_keys = True

    type: Literal["insert"]
    """A field more."""
    field: FieldPath
    """Where it goes. Objects on the way that are not there are made; anything else that is there can't be a row."""
    value: JsonValue = None
    """Any value of JSON. Give this or `metadata`."""
    metadata: MetadataPart | None = Field(default=None, strict=False)
    """A part of the record's metadata."""
    existing: Existing = Field(default=Existing.REJECT, strict=False)
    """What becomes of a field that is there."""

    @model_validator(mode="after")
    def _one_value(self) -> Self:
        is_given = self.value is not None or (self.metadata is None and "value" in self.model_fields_set)
        if is_given == (self.metadata is not None):  # written out whole, a document has a null that no person gave
            raise ValueError("give value or metadata, and one of them only")
        return self

    @property
    def keys_of_every_record(self) -> Sequence[str]:
        return keys_of(self.field)[:1]

    def compiled(self) -> "Apply":
        from firnline_ingest.records.document import Document

        *way, last = keys_of(self.field)
        static = Document.encoded(self.value)

        def apply(document: Document, origin: "Origin") -> None:
            holder = document.members_at(way)
            if last in holder:
                if self.existing is Existing.KEEP:
                    return
                if self.existing is Existing.REJECT:
                    raise Untransformable(f"{self.field} is there already")
            document.put(
                holder, last, static if self.metadata is None else Document.encoded(_part(self.metadata, origin))
            )

        return apply


def _part(part: MetadataPart, origin: "Origin") -> object:
    """The part of the metadata, as the metadata object spells it."""
    record = origin.record
    match part:
        case MetadataPart.STREAM:
            return origin.stream
        case MetadataPart.SHARD_ID:
            return origin.shard_id
        case MetadataPart.PARTITION_KEY:
            return record.PartitionKey
        case MetadataPart.SEQUENCE_NUMBER:
            return record.SequenceNumber
        case MetadataPart.SUB_SEQUENCE_NUMBER:
            return origin.sub_sequence_number
        case MetadataPart.APPROXIMATE_ARRIVAL:
            return _arrival(record.ApproximateArrivalTimestamp)


def _arrival(timestamp: float | None) -> str | None:
    if timestamp is None:
        return None
    second, millisecond = divmod(round(timestamp * 1000), 1000)
    return f"{datetime.fromtimestamp(second, UTC):%Y-%m-%dT%H:%M:%S}.{millisecond:03d}Z"
