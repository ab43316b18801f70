"""Frames that serializers of schema registries put in front of a record's content, and the schema that one names. Pure; a
missing frame is a rejection.

Formats: Confluent's "Wire format" of its serializers; AWS Glue's, as its client library writes it
(github.com/awslabs/aws-glue-schema-registry, AWSSchemaRegistryConstants).
"""

from collections.abc import Callable
from typing import TypeVar
from uuid import UUID

from firnline_ingest.config.format import RegisteredSchema, Schemas
from firnline_ingest.formats.packing import unzipped
from firnline_ingest.records.rejection import Rejection, RejectReason, Unusable, malformed

Schema = TypeVar("Schema")

CONFLUENT_MAGIC, CONFLUENT_BYTES = 0, 5
GLUE_MAGIC, GLUE_BYTES = 3, 18
GLUE_PLAIN, GLUE_ZLIB = 0, 5

Unframe = Callable[[bytes], tuple[int | UUID, bytes]]
"""The schema's id and what follows it. Raises Unusable."""


def confluent(data: bytes) -> tuple[int, bytes]:
    if len(data) < CONFLUENT_BYTES or data[0] != CONFLUENT_MAGIC:
        raise malformed(
            f"it begins with {data[:CONFLUENT_BYTES].hex()}, and not with Confluent's byte 0 and four of an id."
        )
    return int.from_bytes(data[1:CONFLUENT_BYTES], "big"), data[CONFLUENT_BYTES:]


def glue(data: bytes) -> tuple[UUID, bytes]:
    if len(data) < GLUE_BYTES or data[0] != GLUE_MAGIC or data[1] not in (GLUE_PLAIN, GLUE_ZLIB):
        raise malformed(
            f"it begins with {data[:2].hex()}, and not with Glue's byte 3, 0 or 5 for its packing, and a UUID."
        )
    content = data[GLUE_BYTES:]
    return UUID(bytes=data[2:GLUE_BYTES]), unzipped(content) if data[1] == GLUE_ZLIB else content


FRAMES: dict[str, Unframe] = {"confluent": confluent, "glue": glue}


def schema_of(schemas: Schemas, schema_id: int | UUID, read: Callable[[RegisteredSchema], Schema | str]) -> Schema:
    """Returns what `read` makes of the schema; a text says why it is not decoded. Raises Unusable, and what `schemas` raises."""
    found = schemas(schema_id)
    if found is None:
        raise Unusable(Rejection(RejectReason.UNKNOWN_SCHEMA, f"the registry has no schema {schema_id}."))
    schema = read(found)
    if isinstance(schema, str):
        raise malformed(f"its schema {schema_id} is not decoded: {schema}.")
    return schema
