"""Properties as they travel between the engine, its providers and its programs, and as plain values.

The engine marks what it does not know yet and what is secret; a provider that was built from Terraform's adds a note of its
own, `__defaults`. The marks are those of pulumi/sdk/go/common/resource/properties.go.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from google.protobuf import struct_pb2

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
SIGNATURE = "4dabf18193072939515e22adb298388d"
SECRET = "1b47061264138c4ac30d75fd1eb44270"  # noqa: S105 (the mark of one)
OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4"
RESOURCE = "5cf8f73096256a8f31e491e813e4eb8e"
NOTES = "__defaults"


def decode(struct: struct_pb2.Struct) -> dict[str, Any]:
    """Plain values: secrets are revealed, what is not known is UNKNOWN, what is null is absent."""
    values = {name: _decode(value) for name, value in struct.fields.items() if name != NOTES}
    return {name: value for name, value in values.items() if value is not None}


def secrets_in(struct: struct_pb2.Struct) -> frozenset[str]:
    """The properties that are secret, or in which something is."""
    return frozenset(name for name, value in struct.fields.items() if _has_secret(value))


def encode(values: Mapping[str, Any], *, secrets: Iterable[str] = ()) -> struct_pb2.Struct:
    """Absent is what has no value; of `secrets`, those that there are."""
    marked = dict(values)
    for name in secrets:
        if marked.get(name) is not None:
            marked[name] = {SIGNATURE: SECRET, "value": marked[name]}
    struct = struct_pb2.Struct()
    struct.update({name: _plain(value) for name, value in marked.items() if value is not None})
    return struct


def is_known(value: Any) -> bool:
    """Returns whether nothing in it is UNKNOWN."""
    if isinstance(value, Mapping):
        return all(map(is_known, value.values()))
    if isinstance(value, list):
        return all(map(is_known, value))
    return bool(value != UNKNOWN)


def out_of_text(values: Mapping[str, Any], texts: Iterable[str]) -> dict[str, Any]:
    """A provider's configuration, whose values travel as JSON in text: all but those of `texts`, which are text."""
    plain = set(texts)
    return {name: value if name in plain else _out_of_text(value) for name, value in values.items()}


def _out_of_text(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _decode(value: struct_pb2.Value) -> Any:
    match value.WhichOneof("kind"):
        case "struct_value":
            return _decode_object(value.struct_value)
        case "list_value":
            return [_decode(each) for each in value.list_value.values]
        case "number_value":
            number = value.number_value
            return int(number) if number.is_integer() else number
        case "string_value":
            return value.string_value
        case "bool_value":
            return value.bool_value
        case _:
            return None


def _decode_object(struct: struct_pb2.Struct) -> Any:
    values = {name: _decode(value) for name, value in struct.fields.items() if name != NOTES}
    mark = values.get(SIGNATURE)
    if mark == SECRET:
        return values.get("value")
    if mark == OUTPUT:
        return values.get("value", UNKNOWN)
    if mark == RESOURCE:
        return values.get("id") or values.get("urn")
    return {name: value for name, value in values.items() if value is not None}


def _plain(value: Any) -> Any:
    """protobuf takes exactly dict and list."""
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items() if each is not None}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(each) for each in value]
    return value


def _has_secret(value: struct_pb2.Value) -> bool:
    if value.HasField("list_value"):
        return any(map(_has_secret, value.list_value.values))
    if not value.HasField("struct_value"):
        return False
    fields = value.struct_value.fields
    if SIGNATURE in fields and (fields[SIGNATURE].string_value == SECRET or fields["secret"].bool_value):
        return True
    return any(_has_secret(each) for each in fields.values())
