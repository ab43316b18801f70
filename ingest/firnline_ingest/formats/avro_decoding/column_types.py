"""The types of columns for the fields of an Avro record, as its schema declares them: what a first value can't tell.

Each takes what records/conversion.py makes of such a value. A field whose type is a union of several, beside null, has none.
"""

from collections.abc import Mapping
from typing import Any

from firnline_ingest.config.format import DeclaredType

MOST_DIGITS = 38  # of NUMBER
PLAIN = {
    "int": "NUMBER(38, 0)",
    "long": "NUMBER(38, 0)",
    "float": "FLOAT",
    "double": "FLOAT",
    "boolean": "BOOLEAN",
    "string": "VARCHAR",
    "enum": "VARCHAR",
    "bytes": "BINARY",
    "fixed": "BINARY",
}
LOGICAL = {
    "date": "DATE",
    "time-millis": "TIME(6)",
    "time-micros": "TIME(6)",
    "timestamp-millis": "TIMESTAMP_LTZ(6)",
    "timestamp-micros": "TIMESTAMP_LTZ(6)",
    "local-timestamp-millis": "TIMESTAMP_NTZ(6)",
    "local-timestamp-micros": "TIMESTAMP_NTZ(6)",
    "uuid": "VARCHAR",
}
"""An instant is Avro's timestamp: TIMESTAMP_LTZ is the type that Iceberg tables have too (`timestamptz`)."""
NESTED = {"record": "object", "error": "object", "map": "object", "array": "array"}
"""As the kinds of JSON's values are called (records/first_sight.py)."""


def declared_types(schema: Any, named: Mapping[str, Any]) -> dict[str, DeclaredType]:
    """By field. `schema` is parsed, `named` has the types that it refers to by name; nothing for what is not one record."""
    if not isinstance(schema, dict) or schema.get("type") != "record":
        return {}
    found = ((field["name"], _declared(field["type"], named)) for field in schema["fields"])
    return {name: declared for name, declared in found if declared is not None}


def _declared(schema: Any, named: Mapping[str, Any]) -> DeclaredType | None:
    if isinstance(schema, list):
        branches = [each for each in schema if each != "null"]
        return _declared(branches[0], named) if len(branches) == 1 else None
    if isinstance(schema, str):
        if schema in PLAIN:
            return DeclaredType(PLAIN[schema])
        return _declared(named[schema], named) if schema in named else None
    kind = schema["type"]
    if kind in NESTED:
        return DeclaredType(kind=NESTED[kind])
    logical = schema.get("logicalType")
    if logical == "decimal":
        fits = schema["precision"] <= MOST_DIGITS
        return DeclaredType(f"NUMBER({schema['precision']}, {schema.get('scale', 0)})" if fits else "VARCHAR")
    column = LOGICAL.get(str(logical)) or PLAIN.get(str(kind))
    return None if column is None else DeclaredType(column)
