"""The types of columns for the keys of a JSON object, as a registered JSON Schema declares them.

Only `type` is asked: `format` is an annotation that no producer has to keep to (JSON Schema, "Annotations"), and a value that a
DATE or a TIMESTAMP does not take would be a rejected row. A key whose type is not one alone, beside null, has none.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from firnline_ingest.config.format import KEPT, DeclaredType, DeclaredTypes, RegisteredSchema, Schemas
from firnline_ingest.formats.framing import Unframe

JSON = "JSON"
NULL = "null"
COLUMNS = {
    "integer": DeclaredType("NUMBER(38, 0)"),
    "number": DeclaredType("FLOAT"),
    "boolean": DeclaredType("BOOLEAN"),
    "string": DeclaredType("VARCHAR"),
    "object": DeclaredType(kind="object"),
    "array": DeclaredType(kind="array"),
}


def registered_json_types(unframe: Unframe, schemas: Schemas) -> DeclaredTypes:
    """Nothing for an id that the registry does not know, and for a schema of another kind: then values have types."""

    def types(data: bytes) -> Mapping[str, DeclaredType]:
        found = schemas(unframe(data)[0])
        return {} if found is None else _of_schema(found)

    return types


@lru_cache(maxsize=KEPT)
def _of_schema(found: RegisteredSchema) -> Mapping[str, DeclaredType]:
    import json  # here: the folder's files are loaded with each configuration

    try:
        schema = json.loads(found.text) if found.kind == JSON else None
    except (ValueError, RecursionError):
        return {}
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return {}
    declared = ((key, COLUMNS.get(kinds.pop())) for key, each in properties.items() if len(kinds := _kinds(each)) == 1)
    return {key: column for key, column in declared if column is not None}


def _kinds(schema: Any) -> set[str]:
    """The types that a value may have, beside null; "?" is among them where they are not all known."""
    if not isinstance(schema, dict):
        return {"?"}
    if "type" in schema:
        said = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        return {each if isinstance(each, str) else "?" for each in said} - {NULL}
    branches = schema.get("oneOf") or schema.get("anyOf")
    if not isinstance(branches, list):
        return {"?"}
    return {kind for each in branches for kind in _kinds(each)}
