"""json: a record is one JSON object, or several by option; perhaps with a schema's id in front."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from firnline_ingest.config.format import Check, DeclaredTypes, Decoder, SchemasOf
from firnline_ingest.config.registries import ConfluentRegistry
from firnline_ingest.formats.framing import FRAMES
from firnline_ingest.formats.packing import Compression, PackedFormat
from firnline_ingest.records.rejection import Rejection, RejectReason, Unusable


class JsonFraming(StrEnum):
    """Frame that a serializer of a schema registry puts in front of the object; it is taken off. The registry is not asked."""

    NONE = "none"
    """Nothing: a record is the object."""
    CONFLUENT = "confluent"
    """A byte 0 and the schema's id in four bytes."""
    GLUE = "glue"
    """A byte 3, a byte for the compression (none, or zlib), and the schema version's UUID."""


class JsonFormat(PackedFormat):
    """A record is one JSON object; its first-level keys become columns."""

    order = 10

    type: Literal["json"] = "json"
    """One JSON object."""
    framing: JsonFraming = Field(default=JsonFraming.NONE, strict=False)
    """What stands in front of it."""
    registry: ConfluentRegistry | None = None
    """With `framing: confluent`, where the types of columns that the engine adds (`adds_columns`) are asked for: those that the
    record's JSON Schema declares. Rows are made without it, and no registry is asked where it is absent."""
    types_from_glue: bool = False
    """With `framing: glue`, whether those types are asked for in AWS Glue's Schema Registry, of the engine's own account and
    region. Rows are made without it, and the registry is not asked where it is false."""
    several_objects: bool = False
    """Whether a record may hold any number of objects: one behind the other, with blanks between them or nothing, or in arrays.
    Each becomes a row."""

    @model_validator(mode="after")
    def _a_registry_has_the_frames_schemas(self) -> Self:
        if self.registry is not None and (self.framing is not JsonFraming.CONFLUENT or self.several_objects):
            raise ValueError("give registry with framing: confluent and without several_objects, and only then")
        if self.types_from_glue and (self.framing is not JsonFraming.GLUE or self.several_objects):
            raise ValueError("give types_from_glue with framing: glue and without several_objects, and only then")
        return self

    @property
    def confluent_registry(self) -> ConfluentRegistry | None:
        return self.registry

    @property
    def asks_glue(self) -> bool:
        return self.types_from_glue

    @property
    def makes_several_rows(self) -> bool:
        return self.several_objects

    @property
    def is_plain(self) -> bool:
        return not self.several_objects and self.compression is Compression.NONE and self.framing is JsonFraming.NONE

    @property
    def may_be_null(self) -> bool:
        return not self.several_objects

    @property
    def undeciding(self) -> dict[str, Any]:
        of_types = {"registry": True, "types_from_glue": True}
        return of_types if self.several_objects else {**of_types, "several_objects": True}

    def declared_types(self, schemas: SchemasOf) -> DeclaredTypes | None:
        if self.registry is None and not self.types_from_glue:
            return None
        from firnline_ingest.formats.json_schema_types import registered_json_types

        return registered_json_types(FRAMES[self.framing], schemas(self))

    def decoder(self, check: Check, max_row_bytes: int, schemas: SchemasOf) -> Decoder:
        from firnline_ingest.records.json_values import json_values

        unframe = FRAMES.get(self.framing)

        def decode(data: bytes) -> Iterator[bytes]:
            yield check(unframe(data)[1] if unframe else data)

        def decode_several(data: bytes) -> Iterator[bytes]:
            number = 0
            for number, value in enumerate(json_values(unframe(data)[1] if unframe else data), 1):
                yield _checked(check, value, number)
            if not number:
                raise Unusable(Rejection(RejectReason.EMPTY, "it has no object."))

        return decode_several if self.several_objects else decode


def _checked(check: Check, value: bytes, number: int) -> bytes:
    try:
        return check(value)
    except Unusable as unusable:
        reason, detail = unusable.fault
        raise Unusable(Rejection(reason, f"object {number}: {detail}")) from unusable
