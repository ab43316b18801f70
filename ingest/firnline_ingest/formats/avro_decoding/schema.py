"""Parses Avro's schemas as registries hold them: what does not matter to who reads is left out before fastavro looks at it.

A default is for readers with another schema, and there is none. A logical type that is not valid is ignored (specification of
1.12, logical types). A symbol's form matters to code that is generated, and not to data.
"""

from collections.abc import Sequence
from math import floor, log10
from typing import Any

PRIMITIVES = {"null", "boolean", "int", "long", "float", "double", "bytes", "string"}
UUID_BYTES = 16
TYPES_OF_DECIMAL = ("bytes", "fixed")
ASIDE = {"default", "order", "aliases"}
"""Attributes of fields and names that only another reader's schema gives a meaning."""
OF_LOGICAL_TYPES = {"logicalType", "precision", "scale"}


def parsed(schema: Any, named: dict[str, Any]) -> Any:
    """Returns the schema as fastavro parses it, and adds its named types to `named`. Raises whatever fastavro raises."""
    from fastavro.schema import parse_schema

    symbols: dict[str, Sequence[str]] = {}
    found = parse_schema(_plain(schema, symbols), named)
    _name_symbols(found, symbols)
    return found


def has_record(schema: Any) -> bool:
    """Returns whether it is a record's, or a union that may have one, whose fields could be columns."""
    if isinstance(schema, list):
        return any(has_record(each) or (isinstance(each, str) and each not in PRIMITIVES) for each in schema)
    if isinstance(schema, dict):
        kind = schema.get("type")
        return (kind == "record" and isinstance(schema.get("fields"), list)) or (
            isinstance(kind, dict) and has_record(kind)
        )
    return False


def _is_logical(schema: dict[str, Any]) -> bool:
    """Returns whether its logical type, if it has one, is valid: precision and scale are those of a decimal of its type."""
    kind: Any = schema["type"]
    precision: Any = schema.get("precision")
    scale: Any = schema.get("scale", 0)
    if schema.get("logicalType") == "uuid" and kind == "fixed":
        return bool(schema["size"] == UUID_BYTES)
    if schema.get("logicalType") != "decimal":
        return True
    if kind not in TYPES_OF_DECIMAL or not (_is_whole(precision) and _is_whole(scale)):
        return False
    fits = kind == "bytes" or precision <= _digits(schema["size"])
    return bool(0 < precision >= scale >= 0 and fits)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _digits(size: int) -> int:
    """Returns the most digits of a decimal in so many bytes."""
    return floor((8 * size - 1) * log10(2)) if size else 0


def _plain(schema: Any, symbols: dict[str, Sequence[str]]) -> Any:
    """Returns the schema without what is to be ignored; symbols stand under placeholders, which are valid names."""
    if isinstance(schema, list):
        return [_plain(each, symbols) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kind = schema.get("type")
    if isinstance(kind, dict | list):
        return _plain(kind, symbols)
    made = {key: value for key, value in schema.items() if key not in ASIDE}
    if not _is_logical(made):
        made = {key: value for key, value in made.items() if key not in OF_LOGICAL_TYPES}
    if kind in ("record", "error"):
        made["fields"] = [_field(each, symbols) for each in schema["fields"]]
    elif kind in ("array", "map"):
        inside = "items" if kind == "array" else "values"
        made[inside] = _plain(schema[inside], symbols)
    elif kind == "enum":
        made["symbols"] = _placeholders(schema["symbols"], symbols)
    return made


def _field(field: dict[str, Any], symbols: dict[str, Sequence[str]]) -> dict[str, Any]:
    made = {key: value for key, value in field.items() if key not in ASIDE}
    return {**made, "type": _plain(field["type"], symbols)}


def _placeholders(written: Sequence[str], symbols: dict[str, Sequence[str]]) -> list[str]:
    if len(set(written)) < len(written) or not all(isinstance(each, str) for each in written):
        raise ValueError("an enum has a symbol twice, or one that is not a text")
    prefix = f"s{len(symbols)}_"
    symbols[prefix] = written
    return [f"{prefix}{number}" for number in range(len(written))]


def _name_symbols(schema: Any, symbols: dict[str, Sequence[str]]) -> None:
    """Puts the symbols themselves where their placeholders stand."""
    if isinstance(schema, list):
        for each in schema:
            _name_symbols(each, symbols)
    elif isinstance(schema, dict):
        for each in ("type", "items", "values"):
            _name_symbols(schema.get(each), symbols)
        for field in schema.get("fields", ()):
            _name_symbols(field["type"], symbols)
        if schema["type"] == "enum" and schema["symbols"]:
            prefix = schema["symbols"][0].partition("_")[0] + "_"
            schema["symbols"] = list(symbols[prefix] if prefix in symbols else schema["symbols"])
