"""What an operator's schema refuses (JSON Schema, as much of it as the two schemas beside this file use).

An API server prunes fields that it does not know, in silence. Here they are refused: a typo would never be found otherwise.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
}


@cache
def schema_of(name: str) -> dict[str, Any]:
    """`kubeflow`, `apache` or `secretproviderclass`."""
    found: dict[str, Any] = json.loads((files(__package__) / "schemas" / f"{name}.json").read_text("utf-8"))
    return found


def violations(schema: Mapping[str, Any], value: Any, path: str = "") -> Iterator[str]:
    """A sentence each, in the API server's words."""
    if value is None and schema.get("nullable"):
        return
    yield from _of_value(schema, value, path or "<root>")
    if isinstance(value, dict):
        yield from _of_members(schema, value, path)
    elif isinstance(value, list) and "items" in schema:
        for number, each in enumerate(value):
            yield from violations(schema["items"], each, f"{path}[{number}]")


def _of_value(schema: Mapping[str, Any], value: Any, path: str) -> Iterator[str]:
    if schema.get("x-kubernetes-int-or-string"):
        if not isinstance(value, int | str):
            yield f"{path}: must be an integer or a string"
        return
    wanted = TYPES.get(schema.get("type", ""))
    if wanted and (not isinstance(value, wanted) or (isinstance(value, bool) and bool not in wanted)):
        yield f"{path}: Invalid value: must be of type {schema['type']}"
        return
    if "const" in schema and value != schema["const"]:
        yield f"{path}: Invalid value: {value!r}: must be {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{path}: Unsupported value: {value!r}: supported values: {', '.join(map(str, schema['enum']))}"
    if "minimum" in schema and isinstance(value, int) and value < schema["minimum"]:
        yield f"{path}: Invalid value: {value}: must be at least {schema['minimum']}"
    if "maximum" in schema and isinstance(value, int) and value > schema["maximum"]:
        yield f"{path}: Invalid value: {value}: must be at most {schema['maximum']}"
    if "pattern" in schema and isinstance(value, str) and not re.search(schema["pattern"], value):
        yield f"{path}: Invalid value: {value!r}: must match {schema['pattern']}"


def _of_members(schema: Mapping[str, Any], value: Mapping[str, Any], path: str) -> Iterator[str]:
    known, more = schema.get("properties", {}), schema.get("additionalProperties", True)
    inside = f"{path}." if path else ""
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{inside}{name}: Required value"
    for name, each in value.items():
        if name in known:
            yield from violations(known[name], each, f"{inside}{name}")
        elif more is False:
            yield f"{inside}{name}: unknown field"
        elif isinstance(more, dict):
            yield from violations(more, each, f"{inside}{name}")
