"""The message of a schema that a record names, in front of its content. Pure.

Formats: Confluent's "Wire format" (docs.confluent.io, Formats, Serializers, and Deserializers): the length of a path and its
places, each a zigzag varint; a 0 alone is the first message. Glue's: one plain varint, the place in the order of the messages'
names (github.com/awslabs/aws-glue-schema-registry, ProtobufWireFormatEncoder and MessageIndexFinder).
"""

from collections.abc import Callable

from firnline_ingest.formats.protobuf_decoding.schema import ProtoSchema
from firnline_ingest.records.rejection import malformed

VARINT_BYTES = 5  # of 32 bits
DEEPEST_PATH = 32

NamedMessage = Callable[[ProtoSchema, bytes], tuple[str, int]]
"""The name of the message, and where it begins. Raises Unusable."""


def confluent_message(schema: ProtoSchema, content: bytes) -> tuple[str, int]:
    count, at = _zigzag(content, 0)
    if not 0 <= count <= DEEPEST_PATH:
        raise malformed(f"the path of its message has {count} places.")
    path = []
    for _ in range(count):
        place, at = _zigzag(content, at)
        path.append(place)
    try:
        if min(path, default=0) < 0:
            raise IndexError
        return schema.at(tuple(path) or (0,)), at
    except LookupError:
        raise malformed(f"its schema has no message at {path}.") from None


def glue_message(schema: ProtoSchema, content: bytes) -> tuple[str, int]:
    place, at = _varint(content, 0)
    if place >= len(schema.in_order):
        raise malformed(f"its schema has no message {place}, but {len(schema.in_order)} of them.")
    return schema.in_order[place], at


def _zigzag(content: bytes, at: int) -> tuple[int, int]:
    written, at = _varint(content, at)
    return (written >> 1) ^ -(written & 1), at


def _varint(content: bytes, at: int) -> tuple[int, int]:
    value = 0
    for place, byte in enumerate(content[at : at + VARINT_BYTES]):
        value |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return value, at + place + 1
    raise malformed("it ends, or goes on too long, where the place of its message in the schema should be.")


MESSAGES: dict[str, NamedMessage] = {"confluent": confluent_message, "glue": glue_message}
