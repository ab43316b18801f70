"""Avro's objects whose schemas a registry has, by the id in front of each. What a registry has under an id never changes.

The registry itself is somebody else's (firnline_ingest.schemas): here is what is asked of it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol
from uuid import UUID

from firnline_ingest.config.formats import AvroFormat
from firnline_ingest.records.decoders.avro import AvroSchema, Objects, malformed, objects_of
from firnline_ingest.records.decoders.avro_schema import SchemaRefused
from firnline_ingest.records.decoders.framing import Unframe
from firnline_ingest.records.rejection import Rejection, RejectReason, Unusable

KEPT = 256  # schemas of a process
AVRO = "AVRO"


@dataclass(frozen=True, slots=True)
class RegisteredSchema:
    """What a registry has under an id."""

    text: str
    kind: str = AVRO
    """AVRO, JSON or PROTOBUF."""
    references: tuple[str, ...] = ()
    """The schemas that it names, each behind those that it names itself."""


class Schemas(Protocol):
    """One registry's, for all threads of a process."""

    def __call__(self, schema_id: int | UUID) -> RegisteredSchema | None:
        """None where the registry has none of that id. Raises SchemaRegistryError where it does not say."""


SchemasOf = Callable[[AvroFormat], Schemas]


def no_registry(of: AvroFormat) -> Schemas:
    """Where none is asked."""
    raise AssertionError(f"nobody said how the registry of {of.framing} is asked")


def registered_objects(unframe: Unframe, schemas: Schemas) -> Objects:
    def objects(data: bytes) -> Iterator[dict[str, Any]]:
        schema_id, content = unframe(data)
        found = schemas(schema_id)
        if found is None:
            raise Unusable(Rejection(RejectReason.UNKNOWN_SCHEMA, f"the registry has no schema {schema_id}."))
        schema = _parsed(found)
        if isinstance(schema, str):
            raise malformed(f"its schema {schema_id} is not decoded: {schema}.")
        yield from objects_of(schema, content, 1)

    return objects


@lru_cache(maxsize=KEPT)
def _parsed(found: RegisteredSchema) -> AvroSchema | str:
    """Or why it is none that is decoded."""
    if found.kind != AVRO:
        return f"it is one of {found.kind[:20]}"
    try:
        return AvroSchema(found.text, found.references)
    except SchemaRefused as refused:
        return str(refused)
