"""Inputs and outputs of a resource type, in Pulumi's names and shapes: the providers' own schemas (schemas/README.md).

Pure, and free of Pulumi: components' tests check their inputs against it without any engine.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from importlib.resources import files
from typing import Any

from firnline_infra.kinds.property_names import pulumi_name
from firnline_local.pulumi.property_names import CHOSEN, DECLARED, MADE_UP, ONCE

TEXT = re.compile(r"((?:(?:list|set|map)\()*)(string|number|bool)\)*(!|\?=|\?|=)")


class ShapeKind(Enum):
    STRING = "string"
    NUMBER = "number"
    BOOL = "bool"
    LIST = "list"
    SET = "set"
    MAP = "map"
    OBJECT = "object"


@dataclass(frozen=True, slots=True)
class Shape:
    kind: ShapeKind
    element: "Shape | None" = None
    """Of a list, a set or a map."""
    fields: Mapping[str, "Field"] = field(default_factory=dict)
    """Of an object."""


@dataclass(frozen=True, slots=True)
class Field:
    """A property. One that is neither required nor optional is an output only."""

    shape: Shape
    attribute: str
    """The name in Terraform."""
    required: bool = False
    optional: bool = False
    computed: bool = False

    @property
    def is_input(self) -> bool:
        return self.required or self.optional


Fields = Mapping[str, Field]


def tokens() -> tuple[str, ...]:
    """Every resource type that is known."""
    return tuple(name for package in ("aws", "snowflake") for name in _document(package) if ":" in name)


def fields_of(token: str) -> Fields:
    """The properties of a type. Raises KeyError for one that is not known."""
    return _fields_of(token, token)


def attributes_of(token: str) -> Mapping[str, Any]:
    """The same in Terraform's words, as schemas/ has them. `pulumi:providers:aws` is what a provider can be configured with."""
    is_provider = token.startswith("pulumi:providers:")
    package = token.rpartition(":")[2] if is_provider else token.partition(":")[0]
    return dict(_document(package)["provider" if is_provider else token])


def made_up_of(token: str) -> str | None:
    """The input that Pulumi makes up from a resource's logical name where it is absent; None if there is none."""
    name = fields_of(token).get("name")
    return MADE_UP.get(token) or ("name" if name is not None and name.is_input else None)


def provider_fields(package: str) -> Fields:
    """Returns what the provider `aws` or `snowflake` can be configured with."""
    return _fields_of("provider", f"pulumi:providers:{package}")


@cache
def _fields_of(key: str, token: str) -> Fields:
    package = token.rpartition(":")[2] if key == "provider" else token.partition(":")[0]
    return dict(_fields(_document(package)[key], token, ""))


@cache
def _document(package: str) -> dict[str, Any]:
    document = json.loads(files(__package__).joinpath("schemas", f"{package}.json").read_text(encoding="utf-8"))
    return {name: value for name, value in document.items() if name != "derived_from"}


def _fields(attributes: Mapping[str, Any], token: str, path: str) -> Iterator[tuple[str, Field]]:
    declared = DECLARED.get(token, {})
    added = {name.removeprefix(path): said for name, said in declared.items() if name.rpartition(".")[0] == path[:-1]}
    for attribute, said in {**attributes, **added}.items():
        yield pulumi_name(token, path + attribute), _field(attribute, said, token, path + attribute)


def _field(attribute: str, said: str | Mapping[str, Any], token: str, path: str) -> Field:
    if isinstance(said, str):
        shape, flag = _plain(said)
    else:
        shape, flag = _nested(said, token, path), said["flag"]
    is_computed = "=" in flag or path in CHOSEN.get(token, ())
    return Field(shape, attribute, required=flag == "!", optional="?" in flag, computed=is_computed)


def _plain(said: str) -> tuple[Shape, str]:
    match = TEXT.fullmatch(said)
    if match is None:
        raise AssertionError(f"no notation of schemas/: {said}")
    collections, scalar, flag = match.groups()
    shape = Shape(ShapeKind(scalar))
    for collection in reversed(collections.split("(")[:-1]):
        shape = Shape(ShapeKind(collection), element=shape)
    return shape, flag


def _nested(said: Mapping[str, Any], token: str, path: str) -> Shape:
    content = Shape(ShapeKind.OBJECT, fields=dict(_fields(said["fields"], token, f"{path}.")))
    if said["nested"] == "object" or path in ONCE.get(token, ()):
        return content
    return Shape(ShapeKind(said["nested"]), element=content)
