"""avro: a record is Avro's binary encoding. The options; avro_decoding has the code."""

from enum import StrEnum
from importlib.util import find_spec
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from firnline_ingest.config.format import Check, DeclaredTypes, Decoder, SchemasOf
from firnline_ingest.config.registries import ConfluentRegistry
from firnline_ingest.formats.avro_decoding.schema import has_record, parsed
from firnline_ingest.formats.packing import PackedFormat


def _is_record(text: str) -> str:
    """Checks that the text is an Avro record. What is wrong inside it is reported where fastavro is installed: by the
    engine, and by `firnline-infra[deploy]`."""
    import json  # here: most configurations have no schema

    try:
        schema = json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not has_record(schema):
        raise ValueError("it must be an Avro record with fields, which could be columns, or a union of such records")
    if find_spec("fastavro"):
        try:
            parsed(schema, {})
        except Exception as error:  # fastavro raises what it comes across, and none of it is ours
            raise ValueError(f"it is not a schema of Avro's: {type(error).__name__}: {error}"[:300]) from error
    return text


class AvroFraming(StrEnum):
    """Framing around Avro's data."""

    CONTAINER = "container"
    """An object container file: the schema comes with the data, and each of its objects becomes a row. Blocks may be packed with
    deflate, zstandard, snappy, bzip2 or xz."""
    SINGLE_OBJECT = "single_object"
    """Avro's single-object encoding: a marker and the fingerprint of `avro_schema`."""
    NONE = "none"
    """One object of `avro_schema`, and nothing else."""
    CONFLUENT = "confluent"
    """A byte 0, the id in four bytes of a schema in `registry`, and one object."""
    GLUE = "glue"
    """A byte 3, a byte for the compression (none, or zlib), the UUID of a schema version in AWS Glue's Schema Registry, and one
    object. The registry is that of the engine's own account and region."""


class AvroFormat(PackedFormat):
    """A record is Avro's binary encoding. Its fields become columns, as docs/records.md says."""

    order = 70

    type: Literal["avro"]
    """Avro's binary encoding."""
    framing: AvroFraming = Field(default=AvroFraming.CONTAINER, strict=False)
    """What stands around the data."""
    avro_schema: Annotated[str, AfterValidator(_is_record)] | None = None
    """The schema that objects were written with, as JSON; with `single_object` and `none`."""
    registry: ConfluentRegistry | None = None
    """Where schemas are asked for; with `confluent`."""

    @model_validator(mode="after")
    def _has_one_schema(self) -> Self:
        if (self.framing in (AvroFraming.SINGLE_OBJECT, AvroFraming.NONE)) != (self.avro_schema is not None):
            raise ValueError("give avro_schema with framing: single_object or none, and only then")
        if (self.framing is AvroFraming.CONFLUENT) != (self.registry is not None):
            raise ValueError("give registry with framing: confluent, and only then")
        return self

    @property
    def makes_several_rows(self) -> bool:
        return self.framing is AvroFraming.CONTAINER

    @property
    def undeciding(self) -> dict[str, Any]:
        return {"registry": {"login", "ca_file", "timeout_seconds"} if self.registry else True}

    @property
    def confluent_registry(self) -> ConfluentRegistry | None:
        return self.registry

    @property
    def asks_glue(self) -> bool:
        return self.framing is AvroFraming.GLUE

    def declared_types(self, schemas: SchemasOf) -> DeclaredTypes | None:
        from firnline_ingest.formats.avro_decoding.objects import types_alone, types_in_containers
        from firnline_ingest.formats.avro_decoding.registered import registered_types
        from firnline_ingest.formats.framing import FRAMES

        match self.framing:
            case AvroFraming.CONTAINER:
                return types_in_containers()
            case AvroFraming.SINGLE_OBJECT | AvroFraming.NONE:
                return types_alone(self.avro_schema or "")
        return registered_types(FRAMES[self.framing], schemas(self))

    def decoder(self, check: Check, max_row_bytes: int, schemas: SchemasOf) -> Decoder:
        from firnline_ingest.formats.avro_decoding.objects import alone, avro_decoder, containers
        from firnline_ingest.formats.avro_decoding.registered import registered_objects
        from firnline_ingest.formats.framing import FRAMES

        match self.framing:
            case AvroFraming.CONTAINER:
                return avro_decoder(containers(), check)
            case AvroFraming.SINGLE_OBJECT | AvroFraming.NONE:
                has_marker = self.framing is AvroFraming.SINGLE_OBJECT
                return avro_decoder(alone(self.avro_schema or "", has_marker=has_marker), check)
        return avro_decoder(registered_objects(FRAMES[self.framing], schemas(self)), check)
