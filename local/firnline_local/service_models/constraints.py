"""Finds what a value breaks of its shape: a member that is missing or unknown, a type, a length, a range, a pattern, an enum.

botocore's own validator, which its clients ask, looks at required members, types and lower bounds alone; a service looks at
all. Members that the model does not know are passed over by services, so a misspelt one has no effect there: here it is refused.
"""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cache
from typing import Any

PYTHON_TYPES: Mapping[str, tuple[type, ...]] = {
    "structure": (dict,),
    "map": (dict,),
    "list": (list,),
    "string": (str,),
    "blob": (str, bytes),
    "boolean": (bool,),
    "integer": (int,),
    "long": (int,),
    "double": (int, float),
    "float": (int, float),
    "timestamp": (int, float, str, datetime),
}
MEASURED = {"string", "list", "map", "blob"}
NUMBERS = {"integer", "long", "double", "float"}
UNKNOWN = "Member is not in the service's model"


def violations(shape: Any, value: Any, path: str = "", *, bounded: bool = True) -> list[str]:
    """One sentence each, in the words that AWS's services use; none where the value fits the shape.

    Answers are not bounded: DynamoDB says 0 of what its model has begin with 1, and a model's patterns are those of requests.
    """
    return list(_of(shape, value, path, bounded)) if shape is not None else []


def _of(shape: Any, value: Any, path: str, bounded: bool) -> Iterator[str]:
    kind = shape.type_name
    if kind == "structure" and shape.is_document_type:
        return
    types = PYTHON_TYPES.get(kind)
    if types is not None and (not isinstance(value, types) or (isinstance(value, bool) and bool not in types)):
        yield f"Value at '{path}' failed to satisfy constraint: Member must be a {kind}"
        return
    if bounded:
        yield from _bounds(shape, value, path)
    enum = shape.metadata.get("enum") if kind == "string" else None
    if enum and value not in enum:
        yield (
            f"Value at '{path}' failed to satisfy constraint: Member must satisfy enum value set: [{', '.join(enum)}]"
        )
    match kind:
        case "structure":
            yield from _members(shape, value, path, bounded)
        case "list":
            for number, each in enumerate(value, start=1):
                yield from _of(shape.member, each, f"{path}.{number}.member", bounded)
        case "map":
            for name, each in value.items():
                yield from _of(shape.key, name, f"{path}.key", bounded)
                yield from _of(shape.value, each, f"{path}.{name}.member", bounded)


def _members(shape: Any, value: Mapping[str, Any], path: str, bounded: bool) -> Iterator[str]:
    prefix = f"{path}." if path else ""
    for name in shape.required_members:
        if value.get(name) is None:
            yield f"Value at '{prefix}{name}' failed to satisfy constraint: Member must not be null"
    if shape.is_tagged_union and sum(value.get(name) is not None for name in shape.members) != 1:
        yield f"Value at '{path}' failed to satisfy constraint: exactly one of {', '.join(shape.members)} must be set"
    for name, each in value.items():
        member = shape.members.get(name)
        if member is None:
            yield f"Value at '{prefix}{name}' failed to satisfy constraint: {UNKNOWN}"
        elif each is not None:
            yield from _of(member, each, f"{prefix}{name}", bounded)


def _bounds(shape: Any, value: Any, path: str) -> Iterator[str]:
    limits, kind = shape.metadata, shape.type_name
    failed = f"Value at '{path}' failed to satisfy constraint: Member must"
    if kind in MEASURED and ("min" in limits or "max" in limits):
        length = _length(kind, value)
        if length < limits.get("min", 0):
            yield f"{failed} have length greater than or equal to {limits['min']}"
        if length > limits.get("max", length):
            yield f"{failed} have length less than or equal to {limits['max']}"
    elif kind in NUMBERS:
        if value < limits.get("min", value):
            yield f"{failed} have value greater than or equal to {limits['min']}"
        if value > limits.get("max", value):
            yield f"{failed} have value less than or equal to {limits['max']}"
    if kind == "string":
        pattern = limits.get("pattern")
        if pattern and (compiled := _compiled(pattern)) and not compiled.fullmatch(value):
            yield f"{failed} satisfy regular expression pattern: {pattern}"


def _length(kind: str, value: Any) -> int:
    if kind == "blob" and isinstance(value, str):
        try:
            return len(base64.b64decode(value, validate=True))
        except binascii.Error:
            return len(value)
    return len(value)


@cache
def _compiled(pattern: str) -> re.Pattern[str] | None:
    """Returns None for the few patterns that Python can't read as Java does."""
    try:
        return re.compile(pattern, re.DOTALL)
    except re.error:
        return None
