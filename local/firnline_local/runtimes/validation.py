"""What a service's model refuses: required members, types, lengths, ranges, enumerations and patterns.

botocore's own validator, which its clients ask, looks at the first two and at lower bounds alone; a service looks at all.
Members that the model does not know are passed over, as REST-JSON services do.
"""

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
    "boolean": (bool,),
    "integer": (int,),
    "long": (int,),
    "double": (int, float),
    "float": (int, float),
    "timestamp": (int, float, datetime),
}
MEASURED = {"string", "list", "map"}


def violations(shape: Any, value: Any, path: str = "") -> list[str]:
    """One sentence each, in the words that AWS's services use; none where the value fits the shape."""
    return list(_of(shape, value, path)) if shape is not None else []


def _of(shape: Any, value: Any, path: str) -> Iterator[str]:
    kind = shape.type_name
    types = PYTHON_TYPES.get(kind)
    if types is not None and (not isinstance(value, types) or (isinstance(value, bool) and bool not in types)):
        yield f"Value at '{path}' failed to satisfy constraint: Member must be a {kind}"
        return
    yield from _bounds(shape, value, path)
    match kind:
        case "structure":
            yield from _members(shape, value, path)
        case "list":
            for number, each in enumerate(value, start=1):
                yield from _of(shape.member, each, f"{path}.{number}.member")
        case "map":
            for name, each in value.items():
                yield from _of(shape.key, name, f"{path}.key")
                yield from _of(shape.value, each, f"{path}.{name}.member")


def _members(shape: Any, value: Mapping[str, Any], path: str) -> Iterator[str]:
    prefix = f"{path}." if path else ""
    for name in shape.required_members:
        if value.get(name) is None:
            yield f"Value at '{prefix}{name}' failed to satisfy constraint: Member must not be null"
    if shape.is_tagged_union and sum(value.get(name) is not None for name in shape.members) != 1:
        yield f"Value at '{path}' failed to satisfy constraint: exactly one of {', '.join(shape.members)} must be set"
    for name, member in shape.members.items():
        if value.get(name) is not None:
            yield from _of(member, value[name], f"{prefix}{name}")


def _bounds(shape: Any, value: Any, path: str) -> Iterator[str]:
    limits, kind = shape.metadata, shape.type_name
    failed = f"Value at '{path}' failed to satisfy constraint: Member must"
    if kind in MEASURED:
        if len(value) < limits.get("min", 0):
            yield f"{failed} have length greater than or equal to {limits['min']}"
        if len(value) > limits.get("max", len(value)):
            yield f"{failed} have length less than or equal to {limits['max']}"
    elif kind in {"integer", "long", "double", "float"}:
        if value < limits.get("min", value):
            yield f"{failed} have value greater than or equal to {limits['min']}"
        if value > limits.get("max", value):
            yield f"{failed} have value less than or equal to {limits['max']}"
    if kind == "string":
        enum = limits.get("enum")
        if enum and value not in enum:
            yield f"{failed} satisfy enum value set: [{', '.join(enum)}]"
        pattern = limits.get("pattern")
        if pattern and (compiled := _compiled(pattern)) and not compiled.fullmatch(value):
            yield f"{failed} satisfy regular expression pattern: {pattern}"


@cache
def _compiled(pattern: str) -> re.Pattern[str] | None:
    """None for the few that Python can't read as Java does."""
    try:
        return re.compile(pattern, re.DOTALL)
    except re.error:
        return None
