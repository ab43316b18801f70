"""The JSON Schema of a document. stacks/environments/schema.json is that of a specification, for editors."""

import json
from collections.abc import Iterator
from enum import Enum
from typing import Any, get_args

from pydantic import BaseModel

from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.reference.docstrings import attribute_docs

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]


def json_schema(document: type[BaseModel] = EnvironmentSpec) -> Schema:
    """With a description of each field and of each value of an enumeration; what is required comes first in a section."""
    schema = document.model_json_schema(by_alias=True)
    kinds = {kind.__name__: kind for kind in _kinds(document)}
    for name, definition in [(document.__name__, schema), *schema["$defs"].items()]:
        _describe(kinds[name], definition)
    return {"$schema": DIALECT, **schema}


def json_schema_text() -> str:
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


def _describe(kind: type, definition: Schema) -> None:
    docs = attribute_docs(kind)
    definition.pop("title", None)
    definition["description"] = " ".join((kind.__doc__ or "").split())
    if issubclass(kind, Enum):
        definition["enumDescriptions"] = [docs.get(member.name, "") for member in kind]
        return
    assert issubclass(kind, BaseModel)
    for name, field in kind.model_fields.items():
        described = definition["properties"][field.alias or name]
        described.pop("title", None)
        described["description"] = docs.get(name, "")
        if isinstance(described.get("default"), dict) or described.get("default", "") in (None, []):
            del described["default"]  # an editor would write it out
    required = definition.get("required", [])
    definition["properties"] = dict(sorted(definition["properties"].items(), key=lambda each: each[0] not in required))


def _kinds(kind: type) -> Iterator[type]:
    """Every model and enumeration below a model, itself included."""
    yield kind
    if issubclass(kind, BaseModel):
        for field in kind.model_fields.values():
            for inner in _classes_in(field.annotation):
                yield from _kinds(inner)


def _classes_in(annotation: object) -> Iterator[type]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel | Enum):
        yield annotation
    for argument in get_args(annotation):
        yield from _classes_in(argument)
