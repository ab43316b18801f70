"""insert: a field more, with a value that is the same for all records or a part of the record's metadata."""

from datetime import UTC, datetime

import msgspec

from firnline_ingest.config.field_path import keys_of
from firnline_ingest.config.transforms import Existing, InsertTransform, MetadataPart
from firnline_ingest.kinesis.user_record import UserRecord
from firnline_ingest.transforms.apply import Apply, Origin
from firnline_ingest.transforms.document import Document, Members, members_in
from firnline_ingest.transforms.errors import Untransformable

_encode = msgspec.json.Encoder().encode
EMPTY = msgspec.Raw(b"{}")


def insert(of: InsertTransform) -> Apply:
    *way, last = keys_of(of.field)
    static = _encode(of.value)

    def apply(document: Document, origin: Origin) -> None:
        holder = _holder(document, way)
        if last in holder:
            if of.existing is Existing.KEEP:
                return
            if of.existing is Existing.REJECT:
                raise Untransformable(f"{of.field} is there already")
        value = static if of.metadata is None else _encode(_part(of.metadata, origin))
        holder[last] = msgspec.Raw(value)
        document.is_changed = True

    return apply


def _holder(document: Document, way: list[str]) -> Members:
    members, name = document.members(), ""
    for key in way:
        members.setdefault(key, EMPTY)
        name = f"{name}.{key}" if name else key
        members = members_in(members, key, name)
    return members


def _part(part: MetadataPart, origin: Origin) -> object:
    """As the metadata object has it."""
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
            return record.SubSequenceNumber if isinstance(record, UserRecord) else 0
        case MetadataPart.APPROXIMATE_ARRIVAL:
            return _arrival(record.ApproximateArrivalTimestamp)


def _arrival(timestamp: float | None) -> str | None:
    if timestamp is None:
        return None
    second, millisecond = divmod(round(timestamp * 1000), 1000)
    return f"{datetime.fromtimestamp(second, UTC):%Y-%m-%dT%H:%M:%S}.{millisecond:03d}Z"
