"""Messages whose schemas a registry has, by the id in front of each, as rows. What a registry has under an id never changes.

The registry itself is another's (firnline_ingest.schemas): here is what is asked of it.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from firnline_ingest.config.format import KEPT, Check, DeclaredType, DeclaredTypes, Decoder, RegisteredSchema, Schemas
from firnline_ingest.formats.framing import FRAMES, schema_of
from firnline_ingest.formats.protobuf_decoding.column_types import declared_types
from firnline_ingest.formats.protobuf_decoding.cost import MEMORY_BYTES, MessageCost
from firnline_ingest.formats.protobuf_decoding.errors import ProtoRefused
from firnline_ingest.formats.protobuf_decoding.index import MESSAGES
from firnline_ingest.formats.protobuf_decoding.schema import ProtoSchema
from firnline_ingest.formats.protobuf_decoding.values import MessageWriter
from firnline_ingest.records.rejection import malformed, too_large

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor

PROTOBUF = "PROTOBUF"

_encode = msgspec.json.Encoder().encode


class MessageDecoder:
    """Reads messages of one kind."""

    def __init__(self, descriptor: "Descriptor", writer: MessageWriter) -> None:
        from google.protobuf.message import DecodeError
        from google.protobuf.message_factory import GetMessageClass

        self._refused = (DecodeError, ValueError, RecursionError)
        self._descriptor = descriptor
        self._parse: Any = GetMessageClass(descriptor).FromString
        self._write = writer(descriptor)
        self._cost = MessageCost(descriptor)

    @cached_property
    def types(self) -> Mapping[str, DeclaredType]:
        return declared_types(self._descriptor)

    def row(self, data: bytes, *, ignores_unknown: bool) -> bytes:
        """The message as JSON. Raises Unusable."""
        if self._cost.is_too_much(data):
            raise too_large(f"its {len(data):,} bytes could take more than {MEMORY_BYTES:,} when they are decoded.")
        try:
            message = self._parse(data)
            if not message.IsInitialized():
                raise malformed("it has not all the fields that its schema requires.")
            if not ignores_unknown:
                _refuse_unknown(message)
            value = self._write(message)
        except self._refused as error:
            raise malformed(f"{type(error).__name__}: {error}"[:300]) from error
        if not isinstance(value, dict):
            raise malformed(f"its message {self._descriptor.full_name} has no fields, which could be columns.")
        return _encode(value)


def _refuse_unknown(message: Any) -> None:
    size = message.ByteSize()
    message.DiscardUnknownFields()
    if message.ByteSize() != size:
        raise malformed("it has a field, or a value of an enum, that its schema does not have.")


class _ReadSchema:
    """A schema, and what was made of its messages so far."""

    def __init__(self, found: RegisteredSchema) -> None:
        self.schema = ProtoSchema(found.text, dict(found.imports))
        self._writer = MessageWriter()
        self._decoders: dict[str, MessageDecoder] = {}

    def decoder(self, name: str) -> MessageDecoder:
        """Raises LookupError for what is not a message of its own."""
        if name not in self._decoders:
            self._decoders[name] = MessageDecoder(self.schema.message(name), self._writer)
        return self._decoders[name]


def protobuf_decoder(framing: str, schemas: Schemas, check: Check, *, ignores_unknown: bool) -> Decoder:
    def decode(data: bytes) -> Iterator[bytes]:
        decoder, content = _named_decoder(framing, schemas, data)
        yield check(decoder.row(content, ignores_unknown=ignores_unknown))

    return decode


def registered_message_types(framing: str, schemas: Schemas) -> DeclaredTypes:
    return lambda data: _named_decoder(framing, schemas, data)[0].types


def _named_decoder(framing: str, schemas: Schemas, data: bytes) -> tuple[MessageDecoder, bytes]:
    """Raises Unusable, and what `schemas` raises."""
    schema_id, content = FRAMES[framing](data)
    read = schema_of(schemas, schema_id, _read)
    name, start = MESSAGES[framing](read.schema, content)
    try:
        return read.decoder(name), content[start:]
    except LookupError:
        raise malformed(f"it names {name}, which is the entry of a map.") from None


@lru_cache(maxsize=KEPT)
def _read(found: RegisteredSchema) -> _ReadSchema | str:
    """Or why it is none that is decoded."""
    if found.kind != PROTOBUF:
        return f"it is one of {found.kind[:20]}"
    try:
        return _ReadSchema(found)
    except ProtoRefused as refused:
        return str(refused)
    except RecursionError:
        return "it is nested too deeply"
