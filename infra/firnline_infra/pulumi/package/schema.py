"""The package's schema, from which Pulumi makes an SDK for each language: the specification's own, in Pulumi's terms.

A property is a field of the specification under its camel-case name, with its description. All are plain values, not
outputs: they say which resources there are, so they have to be known when the program runs.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from firnline_infra.kinds.kind import camel
from firnline_infra.specification.reference.json_schema import json_schema_text

PACKAGE = "firnline"
TOKEN = f"{PACKAGE}:index:Environment"
VERSION_OF_FORMAT = "version"
"""Not among the inputs: the package's version says which format it reads."""
DEFINITIONS = "#/$defs/"
ANYTHING = {"$ref": "pulumi.json#/Any"}
OUTPUTS: dict[str, dict[str, Any]] = {
    "outputs": {
        "type": "object",
        "additionalProperties": ANYTHING,
        "description": "The stack's outputs, by the names that the firnline command reads: `export =` it whole.",
    },
    "engineConfig": {**ANYTHING, "description": "The document that the engine reads."},
    "engineConfigHash": {"type": "string", "description": "Changes with the engine's document, and only with it."},
    "ledgerTable": {"type": "string", "description": "Fences shards and remembers where they are."},
    "specification": {
        "type": "string",
        "description": "The environment's specification as a YAML document, for the commands that read a file.",
    },
}
Schema = Mapping[str, Any]


@cache
def specification_schema() -> Schema:
    """The JSON Schema of a specification."""
    import json

    schema: Schema = json.loads(json_schema_text())
    return schema


def package_schema(version: str) -> dict[str, Any]:
    """The schema of the package, as `pulumi package get-schema` shows it."""
    document = specification_schema()
    inputs = {name: each for name, each in document["properties"].items() if name != VERSION_OF_FORMAT}
    return {
        "name": PACKAGE,
        "version": version,
        "namespace": "firnline",
        "displayName": "Firnline",
        "description": "Amazon Kinesis to Snowflake, as code. Every record exactly once, with a proof.",
        "homepage": "https://firnline.github.io/firnline/",
        "repository": "https://github.com/firnline/firnline",
        "license": "Apache-2.0",
        "types": {_token(name): _type(each) for name, each in document["$defs"].items()},
        "resources": {
            TOKEN: {
                "isComponent": True,
                "description": "Everything that an environment's specification asks for, in AWS and in Snowflake.",
                "inputProperties": {camel(name): _property(each) for name, each in inputs.items()},
                "requiredInputs": sorted(camel(each) for each in document["required"] if each in inputs),
                "properties": OUTPUTS,
                "required": sorted(OUTPUTS),
            }
        },
        "language": {language: {"respectSchemaVersion": True} for language in ("nodejs", "python", "go", "csharp")},
    }


def named_as_in_a_specification(value: Any, schema: Schema | None = None) -> Any:
    """Returns a component's inputs under the specification's names. What has them already, as a document that was read from
    a file, stays as it is, and so do names that are the user's own."""
    alternatives = list(_alternatives(specification_schema() if schema is None else schema))
    if isinstance(value, Mapping):
        fields = {name: each for kind in alternatives for name, each in kind.get("properties", {}).items()}
        names = {camel(name): name for name in fields}
        known = {given: names.get(given, given) for given in value}
        own: Schema = next((kind["additionalProperties"] for kind in alternatives if _is_map(kind)), {})
        return {
            known[given]: named_as_in_a_specification(each, fields.get(known[given], own))
            for given, each in value.items()
        }
    if isinstance(value, list):
        items: Schema = next((kind["items"] for kind in alternatives if "items" in kind), {})
        return [named_as_in_a_specification(each, items) for each in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)  # Pulumi has no integers on the wire
    return value


def _alternatives(schema: Schema) -> Iterator[Schema]:
    """Yields what a value may be, one by one, with what references name in their place."""
    if "$ref" in schema:
        yield from _alternatives(specification_schema()["$defs"][schema["$ref"].removeprefix(DEFINITIONS)])
    elif choices := schema.get("anyOf") or schema.get("oneOf"):
        for each in choices:
            yield from _alternatives(each)
    elif schema.get("type") != "null":
        yield schema


def _is_map(schema: Schema) -> bool:
    return isinstance(schema.get("additionalProperties"), Mapping)


def _token(name: str) -> str:
    return f"{PACKAGE}:index:{name}"


def _type(definition: Schema) -> dict[str, Any]:
    described = {"description": definition["description"]} if "description" in definition else {}
    if "enum" in definition:
        says = definition.get("enumDescriptions") or [None] * len(definition["enum"])
        values = [
            {"name": _member(value), "value": value} | ({} if text is None else {"description": text})
            for value, text in zip(definition["enum"], says, strict=True)
        ]
        return {"type": "string", "enum": values, **described}
    fields = definition.get("properties", {})
    return {
        "type": "object",
        "properties": {camel(name): _property(each) for name, each in fields.items()},
        "required": sorted(map(camel, definition.get("required", ()))),
        **described,
    }


def _member(value: str) -> str:
    return "".join(
        word.capitalize() if word.isupper() else word[:1].upper() + word[1:] for word in re.split(r"[_\W]+", value)
    )


def _property(field: Schema) -> dict[str, Any]:
    described = {"description": field["description"]} if "description" in field else {}
    return {**_value(field), "plain": True, **described}


def _value(schema: Schema) -> dict[str, Any]:
    if "const" in schema and isinstance(schema["const"], str):
        return {"type": "string", "const": schema["const"]}
    kinds = _distinct(_kind(each) for each in _choices(schema))
    if len(kinds) == 1:
        return kinds[0]
    return {"oneOf": kinds} if kinds else dict(ANYTHING)


def _choices(schema: Schema) -> Iterator[Schema]:
    """Yields the same with references as they are."""
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        for each in choices:
            yield from _choices(each)
    elif schema.get("type") != "null":
        yield schema


def _kind(schema: Schema) -> dict[str, Any]:
    match schema:
        case {"$ref": reference}:
            return {"$ref": f"#/types/{_token(reference.removeprefix(DEFINITIONS))}", "plain": True}
        case {"type": "array"}:
            return {"type": "array", "items": {**_value(schema["items"]), "plain": True}, "plain": True}
        case {"type": "object"}:
            values = schema.get("additionalProperties")
            said = next(
                iter(schema.get("patternProperties", {}).values()), values if isinstance(values, Mapping) else {}
            )
            return {"type": "object", "additionalProperties": {**_value(said), "plain": True}, "plain": True}
        case {"type": "integer" | "number" | "boolean" as name}:
            return {"type": name, "plain": True}
        case {"type": "string"} | {"enum": _}:
            return {"type": "string", "plain": True}  # a word stands for a section, in any case
    return dict(ANYTHING)


def _distinct(kinds: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for each in kinds:
        if each not in found:
            found.append(each)
    return found
