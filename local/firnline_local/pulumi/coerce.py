"""Coerces inputs into the shapes of their schema, as the stock provider does before it looks at them.

Like Terraform, it reads "24" where a number is wanted, and "true" where a switch is; and like Pulumi's, it takes
some JSON documents as what is in them.
"""

import json
from collections.abc import Mapping
from typing import Any

from firnline_local.pulumi.properties import UNKNOWN
from firnline_local.pulumi.property_names import DOCUMENTS
from firnline_local.pulumi.schema import Shape, ShapeKind, fields_of


def fits(shape: Shape, value: Any) -> bool:
    """Returns whether the value can be read as one of this kind; what is inside is not looked at."""
    match shape.kind:
        case ShapeKind.STRING:
            return isinstance(value, str | int | float)
        case ShapeKind.NUMBER:
            return not isinstance(value, bool) and _number(value) is not None
        case ShapeKind.BOOL:
            return isinstance(value, bool) or value in ("true", "false")
        case ShapeKind.LIST | ShapeKind.SET:
            return isinstance(value, list)
        case ShapeKind.MAP | ShapeKind.OBJECT:
            return isinstance(value, Mapping)


def coerced_inputs(token: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs as the rows of the providers take them. They have been checked."""
    fields, document = fields_of(token), DOCUMENTS.get(token)
    result = {name: coerced(fields[name].shape, value) for name, value in inputs.items() if name in fields}
    if isinstance(result.get(document or ""), Mapping):
        result[str(document)] = json.dumps(result[str(document)], sort_keys=True)
    return result


def coerced(shape: Shape, value: Any) -> Any:
    """The value itself where it is not known yet, or can't be read as what it should be."""
    if value is None or value == UNKNOWN or not fits(shape, value):
        return value
    match shape.kind:
        case ShapeKind.STRING:
            return value if isinstance(value, str) else json.dumps(value)
        case ShapeKind.NUMBER:
            return _number(value)
        case ShapeKind.BOOL:
            return value in (True, "true")
        case ShapeKind.OBJECT:
            fields = shape.fields
            return {name: coerced(fields[name].shape, each) if name in fields else each for name, each in value.items()}
        case ShapeKind.MAP:
            return {name: coerced(shape.element or shape, each) for name, each in value.items()}
        case _:
            return [coerced(shape.element or shape, each) for each in value]


def _number(value: Any) -> int | float | None:
    if isinstance(value, int | float):
        return value
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return int(number) if number.is_integer() else number
