"""Values of Terraform's states and configurations, and the same as the table of kinds has them: Pulumi's names and shapes.

In a state each attribute and block is there, with nothing in it or not; in Pulumi's properties what has no value is absent, and
a block that may appear once is an object.
"""

import json
from collections.abc import Mapping
from typing import Any

from msgspec import msgpack

from firnline_local.pulumi.coerce import coerced
from firnline_local.pulumi.properties import UNKNOWN
from firnline_local.pulumi.schema import Fields, Shape, ShapeKind, attributes_of, fields_of, provider_fields
from firnline_local.terraform.schema import ID, is_block

NOT_KNOWN = msgpack.Ext(0, b"\x00")
"""As Terraform writes what is not known. One that it knows something of, such as its type, is another extension."""


def unpacked(data: bytes) -> Any:
    """The value that Terraform wrote as MessagePack; UNKNOWN where it, or something in it, is not known."""
    return msgpack.decode(data, ext_hook=lambda *_: UNKNOWN)


def packed(value: Any) -> bytes:
    return msgpack.encode(_with_extensions(value))


def _with_extensions(value: Any) -> Any:
    match value:
        case Mapping():
            return {name: _with_extensions(each) for name, each in value.items()}
        case list() | tuple():
            return [_with_extensions(each) for each in value]
        case _:
            return NOT_KNOWN if value == UNKNOWN else value


def as_properties(token: str, state: Mapping[str, Any], *, inputs_only: bool = False) -> dict[str, Any]:
    """The state's properties; with `inputs_only`, what a configuration may give, at any depth."""
    return _properties(fields_of(token), state, inputs_only=inputs_only)


def as_configuration(package: str, config: Mapping[str, Any]) -> dict[str, Any]:
    return _properties(provider_fields(package), config, inputs_only=True)


def as_state(token: str, id_: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    return _state({"id": ID, **attributes_of(token)}, fields_of(token), {**properties, "id": id_})


def with_unknowns(token: str, planned: Mapping[str, Any], config: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what a resource will be: what the provider computes, and no configuration gives, is not known yet."""
    said = {"id": ID, **attributes_of(token)}
    return {
        name: UNKNOWN
        if not is_block(said.get(name)) and "=" in str(said.get(name)) and config.get(name) is None
        else each
        for name, each in planned.items()
    }


def _properties(fields: Fields, state: Mapping[str, Any], *, inputs_only: bool) -> dict[str, Any]:
    found = {}
    for name, field in fields.items():
        value = state.get(field.attribute)
        if (field.is_input or not inputs_only) and value is not None:
            found[name] = _property(field.shape, value, inputs_only=inputs_only)
    return {name: value for name, value in found.items() if value is not None}


def _property(shape: Shape, value: Any, *, inputs_only: bool) -> Any:
    if value == UNKNOWN:
        return value
    if shape.kind is ShapeKind.OBJECT:
        if isinstance(value, list):
            value = value[0] if value else None
        return None if value is None else _properties(shape.fields, value, inputs_only=inputs_only)
    if shape.element is not None and isinstance(value, list):
        found = [_property(shape.element, each, inputs_only=inputs_only) for each in value]
        return found or (None if shape.element.kind is ShapeKind.OBJECT else found)
    return value


def _state(said: Mapping[str, Any], fields: Fields, properties: Mapping[str, Any]) -> dict[str, Any]:
    names = {field.attribute: name for name, field in fields.items()}
    found = {}
    for attribute, each in said.items():
        name = names.get(attribute, attribute)
        value = properties.get(name)
        if isinstance(each, Mapping):
            found[attribute] = _nested(each, fields[name].shape, value)
        else:
            found[attribute] = value if name not in fields else _scalar(fields[name].shape, value)
    return found


def _nested(said: Mapping[str, Any], shape: Shape, value: Any) -> Any:
    if value is None:
        return [] if is_block(said) else None
    content = shape if shape.kind is ShapeKind.OBJECT else shape.element or shape
    values = value if isinstance(value, list) else [value]
    return [_state(said["fields"], content.fields, each) for each in values]


def _scalar(shape: Shape, value: Any) -> Any:
    if shape.kind is ShapeKind.STRING and isinstance(value, Mapping | list):
        return json.dumps(value, sort_keys=True)
    return coerced(shape, value)
