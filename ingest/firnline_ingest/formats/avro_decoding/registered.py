"""Avro's objects whose schemas a registry has, by the id in front of each. What a registry has under an id never changes.

The registry itself is another's (firnline_ingest.schemas): here is what is asked of it.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from firnline_ingest.config.format import AVRO, KEPT, DeclaredTypes, RegisteredSchema, Schemas
from firnline_ingest.formats.avro_decoding.cost import SchemaRefused
from firnline_ingest.formats.avro_decoding.objects import AvroSchema, Objects, objects_of
from firnline_ingest.formats.framing import Unframe, schema_of


def registered_objects(unframe: Unframe, schemas: Schemas) -> Objects:
    def objects(data: bytes) -> Iterator[dict[str, Any]]:
        schema_id, content = unframe(data)
        yield from objects_of(schema_of(schemas, schema_id, _parsed), content, 1)

    return objects


def registered_types(unframe: Unframe, schemas: Schemas) -> DeclaredTypes:
    return lambda data: schema_of(schemas, unframe(data)[0], _parsed).types


@lru_cache(maxsize=KEPT)
def _parsed(found: RegisteredSchema) -> AvroSchema | str:
    """Or why it is none that is decoded."""
    if found.kind != AVRO:
        return f"it is one of {found.kind[:20]}"
    try:
        return AvroSchema(found.text, found.references)
    except SchemaRefused as refused:
        return str(refused)
