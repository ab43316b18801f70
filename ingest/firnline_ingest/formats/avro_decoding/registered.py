"""Avro's objects whose schemas a registry has, by the id in front of each. What a registry has under an id never changes.

The registry itself is another's (firnline_ingest.schemas): here is what is asked of it.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any
from uuid import UUID

from firnline_ingest.config.format import AVRO, KEPT, DeclaredTypes, RegisteredSchema, Schemas
from firnline_ingest.formats.avro_decoding.cost import SchemaRefused
from firnline_ingest.formats.avro_decoding.objects import AvroSchema, Objects, objects_of
from firnline_ingest.formats.framing import Unframe
from firnline_ingest.records.rejection import Rejection, RejectReason, Unusable, malformed


def registered_objects(unframe: Unframe, schemas: Schemas) -> Objects:
    def objects(data: bytes) -> Iterator[dict[str, Any]]:
        schema_id, content = unframe(data)
        yield from objects_of(_schema(schemas, schema_id), content, 1)

    return objects


def registered_types(unframe: Unframe, schemas: Schemas) -> DeclaredTypes:
    return lambda data: _schema(schemas, unframe(data)[0]).types


def _schema(schemas: Schemas, schema_id: int | UUID) -> AvroSchema:
    """Raises Unusable, and what `schemas` raises."""
    found = schemas(schema_id)
    if found is None:
        raise Unusable(Rejection(RejectReason.UNKNOWN_SCHEMA, f"the registry has no schema {schema_id}."))
    schema = _parsed(found)
    if isinstance(schema, str):
        raise malformed(f"its schema {schema_id} is not decoded: {schema}.")
    return schema


@lru_cache(maxsize=KEPT)
def _parsed(found: RegisteredSchema) -> AvroSchema | str:
    """Or why it is none that is decoded."""
    if found.kind != AVRO:
        return f"it is one of {found.kind[:20]}"
    try:
        return AvroSchema(found.text, found.references)
    except SchemaRefused as refused:
        return str(refused)
