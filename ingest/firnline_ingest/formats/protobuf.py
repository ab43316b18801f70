"""protobuf: a record is a message of Protocol Buffers, in a registry's frame. The options; protobuf_decoding has the code."""

from enum import StrEnum
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from firnline_ingest.config.format import Check, DeclaredTypes, Decoder, SchemasOf
from firnline_ingest.config.registries import ConfluentRegistry
from firnline_ingest.formats.packing import PackedFormat


class ProtobufFraming(StrEnum):
    """Framing around a message of Protobuf."""

    CONFLUENT = "confluent"
    """A byte 0, the id in four bytes of a schema in `registry`, the place of the message in that schema, and the message."""
    GLUE = "glue"
    """A byte 3, a byte for the compression (none, or zlib), the UUID of a schema version in AWS Glue's Schema Registry, the place
    of the message in that schema, and the message. The registry is that of the engine's own account and region."""


class ProtobufFormat(PackedFormat):
    """A record is one message of Protocol Buffers. Its fields become columns, as docs/records.md says."""

    order = 80

    type: Literal["protobuf"]
    """Protocol Buffers."""
    framing: ProtobufFraming = Field(strict=False)
    """What stands around the message."""
    registry: ConfluentRegistry | None = None
    """Where schemas are asked for; with `confluent`."""
    ignores_unknown_fields: bool = False
    """True if a message may have fields, or values of a closed enum, that its schema does not have: they are omitted from the
    row. Otherwise it is treated as `on_error` says, so that nothing of it is lost."""

    @model_validator(mode="after")
    def _has_one_registry(self) -> Self:
        if (self.framing is ProtobufFraming.CONFLUENT) != (self.registry is not None):
            raise ValueError("give registry with framing: confluent, and only then")
        return self

    @property
    def undeciding(self) -> dict[str, Any]:
        return {"registry": {"login", "ca_file", "timeout_seconds"} if self.registry else True}

    @property
    def confluent_registry(self) -> ConfluentRegistry | None:
        return self.registry

    @property
    def asks_glue(self) -> bool:
        return self.framing is ProtobufFraming.GLUE

    def declared_types(self, schemas: SchemasOf) -> DeclaredTypes | None:
        from firnline_ingest.formats.protobuf_decoding.registered import registered_message_types

        return registered_message_types(self.framing, schemas(self))

    def decoder(self, check: Check, max_row_bytes: int, schemas: SchemasOf) -> Decoder:
        from firnline_ingest.formats.protobuf_decoding.registered import protobuf_decoder

        return protobuf_decoder(self.framing, schemas(self), check, ignores_unknown=self.ignores_unknown_fields)
