"""Equality of two values of a property, in the shape that it has.

A set has no order and a JSON document no spacing; an empty field equals an absent one; and an identifier of Snowflake is
the same with and without quotes (the stock provider keeps its case either way).
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from firnline_local.pulumi.schema import Shape, ShapeKind

QUOTED = re.compile(r'"[^"]+"(\."[^"]+")*')


def same(shape: Shape, one: Any, other: Any) -> bool:
    return bool(canonical(shape, one) == canonical(shape, other))


def is_nothing(shape: Shape, value: Any) -> bool:
    """Returns whether it means no more than its absence."""
    return canonical(shape, value) is None


def canonical(shape: Shape, value: Any) -> Any:
    """The canonical value; None for what says nothing: an empty text or collection, and a switch that is off."""
    match shape.kind, value:
        case ShapeKind.OBJECT, Mapping():
            return _object(shape, value)
        case ShapeKind.MAP, Mapping():
            return {str(name): each if shape.element is None else _scalar(each) for name, each in value.items()} or None
        case ((ShapeKind.LIST | ShapeKind.SET), [*_]):
            return _collection(shape, value)
        case _:
            return _scalar(value)


def _object(shape: Shape, value: Mapping[str, Any]) -> dict[str, Any] | None:
    found = {
        name: canonical(shape.fields[name].shape, each) if name in shape.fields else each
        for name, each in value.items()
    }
    return {name: each for name, each in found.items() if each is not None} or None


def _collection(shape: Shape, value: Sequence[Any]) -> list[Any] | None:
    element = shape.element or Shape(ShapeKind.STRING)
    found = [canonical(element, each) for each in value]
    if shape.kind is ShapeKind.SET:
        found.sort(key=lambda each: json.dumps(each, sort_keys=True))
    return found or None


def _scalar(value: Any) -> Any:
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return json.loads(value)
        except ValueError:
            return value
    if isinstance(value, str) and QUOTED.fullmatch(value):
        return value.replace('"', "")
    return None if value is False or value in ("", [], {}) else value
