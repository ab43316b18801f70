"""The JSON Schema of a document. stacks/environments/schema.json is that of a specification, for editors.

Descriptions are the docstrings under a class's attributes. Python keeps none of them, so they are read from the source; only the
reference pays for that, because reading a source takes longer than loading a specification.
"""

import ast
import inspect
import json
import re
from collections.abc import Iterator
from enum import Enum
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel

from firnline_infra.specification.model import EnvironmentSpec
from firnline_ingest.config.hints import short_words

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]


def json_schema(document: type[BaseModel] = EnvironmentSpec) -> Schema:
    """The JSON schema, with a description of each field and of each value of an enumeration; required fields come first in
    a section."""
    schema: Schema = json.loads(_described(document))
    return schema


@cache
def _described(document: type[BaseModel]) -> str:
    """The schema as text, which nobody changes: pydantic takes a second for it."""
    schema = document.model_json_schema(by_alias=True)
    kinds = {kind.__name__: kind for kind in _kinds(document)}
    for name, definition in [(document.__name__, schema), *schema["$defs"].items()]:
        _describe(kinds[name], definition)
    return json.dumps({"$schema": DIALECT, **schema})


@cache
def json_schema_text() -> str:
    """The schema for editors: it takes a word where one stands for a section, as a document may have it."""
    schema = json_schema()
    kinds = {kind.__name__: kind for kind in _kinds(EnvironmentSpec)}
    for definition in (schema, *schema["$defs"].values()):
        for name, described in definition.get("properties", {}).items():
            definition["properties"][name] = _with_short_words(described, kinds)
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _with_short_words(described: Schema, kinds: dict[str, type]) -> Schema:
    """The schema of a value, which a word may stand for too. Words are offered as the document's models write them, and taken
    in any case, with `-` for `_`."""
    if described.get("type") == "array":
        return {**described, "items": _with_short_words(described["items"], kinds)}
    choices = described.get("oneOf") or described.get("anyOf") or [described]
    named = [kinds[each["$ref"].rpartition("/")[2]] for each in choices if "$ref" in each]
    sections = [kind for kind in named if issubclass(kind, BaseModel)]
    if not (words := short_words(sections)):
        return described
    about: Schema = {name: described[name] for name in ("description", "default") if name in described}
    whole = {name: value for name, value in described.items() if name not in about}
    any_case = "|".join("".join(map(_in_any_case, word)) for word in words)
    return {"anyOf": [whole, {"enum": words}, {"type": "string", "pattern": f"^({any_case})$"}], **about}


def _in_any_case(character: str) -> str:
    if character in "-_":
        return "[-_]"
    return f"[{character.upper()}{character.lower()}]" if character.isalpha() else re.escape(character)


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


def attribute_docs(kind: type) -> dict[str, str]:
    """The descriptions by attribute, on one line each; inherited ones too."""
    docs: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith("firnline_"):
            docs |= _own_docs(base)
    return docs


def _own_docs(kind: type) -> dict[str, str]:
    body = _class_definitions(inspect.getsourcefile(kind) or "")[kind.__name__].body
    return {
        _attribute(before): _docstring(after)
        for before, after in pairwise(body)
        if _attribute(before) and _docstring(after)
    }


@cache
def _class_definitions(path: str) -> dict[str, ast.ClassDef]:
    module = ast.parse(Path(path).read_text(encoding="utf-8"))
    return {node.name: node for node in module.body if isinstance(node, ast.ClassDef)}


def _attribute(node: ast.stmt) -> str:
    match node:
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
            return name
    return ""


def _docstring(node: ast.stmt) -> str:
    match node:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return " ".join(text.split())
    return ""
