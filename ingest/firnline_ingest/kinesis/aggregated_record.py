"""The protobuf messages of a KPL aggregate, declared here and parsed by Google's library.

The format is public (github.com/awslabs/amazon-kinesis-producer, aggregation-format.md). No generated code: that would
tie the engine to one version of the library. It is loaded with the first aggregate only.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, Protocol, cast

PACKAGE = "firnline.kpl"
FOREIGN = "what is in it is not the message that an aggregate holds"
FIELDS = {
    "Record": (
        ("partition_key_index", 1, "required", "uint64"),
        ("explicit_hash_key_index", 2, "optional", "uint64"),
        ("data", 3, "required", "bytes"),
    ),
    "AggregatedRecord": (
        ("partition_key_table", 1, "repeated", "string"),
        ("explicit_hash_key_table", 2, "repeated", "string"),
        ("records", 3, "repeated", "Record"),
    ),
}
"""By message: name, number, label and type of each field. A record's tags (4) have no reader: like any unknown field they
are passed over, and cost no more than their bytes.
"""


class PackedRecord(Protocol):
    """A user record, whose keys stand in the aggregate's tables."""

    partition_key_index: int
    explicit_hash_key_index: int
    data: bytes

    def HasField(self, name: str) -> bool: ...  # noqa: N802 - the library's name


class AggregatedRecord(Protocol):
    """An aggregate's content. The library does not check text of this syntax: what is not UTF-8 comes as bytes."""

    partition_key_table: Sequence[str]
    explicit_hash_key_table: Sequence[str]
    records: Sequence[PackedRecord]


def parse(content: bytes) -> AggregatedRecord:
    """Raises ValueError for what is not such a message, or has a record without data or without a key."""
    from google.protobuf.message import DecodeError

    message = _message_type()()
    try:
        message.ParseFromString(content)
    except DecodeError as error:
        raise ValueError(FOREIGN) from error
    if not message.IsInitialized():
        raise ValueError("a user record in it has no data, or no partition key")
    return cast("AggregatedRecord", message)


@cache
def _message_type() -> Any:
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    kinds: Any = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="firnline/kpl.proto", package=PACKAGE, syntax="proto2")
    for name, fields in FIELDS.items():
        message = file.message_type.add(name=name)
        for field, number, label, kind in fields:
            is_message = kind in FIELDS
            message.field.add(
                name=field,
                number=number,
                label=getattr(kinds, f"LABEL_{label.upper()}"),
                type=kinds.TYPE_MESSAGE if is_message else getattr(kinds, f"TYPE_{kind.upper()}"),
                type_name=f".{PACKAGE}.{kind}" if is_message else None,
            )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.AggregatedRecord"))
