"""Which columns a table gains when rows bring keys that it doesn't know.

Documentation: `data-load-schema-evolution`, `snowpipe-streaming-table-support`. Only new top-level columns and dropped NOT
NULLs; nothing that exists is ever widened. Text that looks like a time stays VARCHAR: the documentation promises more
for Iceberg tables only, and a column's type can't be taken back.
"""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import StrEnum

from firnline_local.snowflake.catalog.tables import Table
from firnline_local.snowflake.catalog.types import DataType

MAX_NEW_COLUMNS = 100
"""In one batch; unlimited over several."""
MAX_NAME_LENGTH = 255
FIRST_WITH_VARIANT = 3
"""Of the Iceberg format's versions."""


class JsonKind(StrEnum):
    """What a new key's values were seen to be."""

    TEXT = "text"
    INTEGER = "integer"
    FRACTION = "fraction"
    BOOLEAN = "boolean"
    OBJECT = "object"
    ARRAY = "array"
    NULL = "null"


class EvolutionRefused(Exception):
    """Rows that the table can't evolve for; they invalidate their channel."""


BY_FIRST_CHARACTER = {
    ord('"'): JsonKind.TEXT,
    ord("{"): JsonKind.OBJECT,
    ord("["): JsonKind.ARRAY,
    ord("t"): JsonKind.BOOLEAN,
    ord("f"): JsonKind.BOOLEAN,
    ord("n"): JsonKind.NULL,
}
TYPES = {
    JsonKind.TEXT: "VARCHAR",
    JsonKind.INTEGER: "NUMBER(38,0)",
    JsonKind.FRACTION: "FLOAT",
    JsonKind.BOOLEAN: "BOOLEAN",
    JsonKind.OBJECT: "VARIANT",
    JsonKind.ARRAY: "VARIANT",
}


def kind_of(value: bytes) -> JsonKind:
    """Of one JSON value's text."""
    kind = BY_FIRST_CHARACTER.get(value[0])
    if kind is not None:
        return kind
    return JsonKind.INTEGER if value.removeprefix(b"-").isdigit() else JsonKind.FRACTION


def can_hold(table: Table, kinds: Iterable[JsonKind]) -> bool:
    """Iceberg tables never gain a column for arrays, and for objects only where the format knows VARIANT."""
    nested = {JsonKind.OBJECT, JsonKind.ARRAY} & set(kinds)
    if table.iceberg is None or not nested:
        return True
    return JsonKind.ARRAY not in nested and table.iceberg.version >= FIRST_WITH_VARIANT


def new_columns(unknown: Mapping[str, set[JsonKind]], *, match_case: bool = False) -> list[tuple[str, DataType]]:
    """Name and type for each unknown key, in the order they were first seen. Raises EvolutionRefused.

    Unless case is matched, keys that differ only in it are one column, as they will match one column.
    """
    kinds: dict[str, set[JsonKind]] = {}
    for key, seen in unknown.items():
        if not 0 < len(key) <= MAX_NAME_LENGTH or not key.isprintable():
            raise EvolutionRefused(f"Schema evolution failed: {key[:50]!r} is not a valid column name.")
        kinds.setdefault(key if match_case else key.upper(), set()).update(seen)
    if len(kinds) > MAX_NEW_COLUMNS:
        raise EvolutionRefused(
            f"Schema evolution failed: the batch would add {len(kinds)} columns, and {MAX_NEW_COLUMNS} is the limit."
        )
    return [(name, DataType.parse(_type(seen))) for name, seen in kinds.items()]


def _type(seen: Iterable[JsonKind]) -> str:
    """One type that takes every value: what was null says nothing, and what is mixed is text or, nested, VARIANT."""
    types = {TYPES[kind] for kind in seen if kind is not JsonKind.NULL}
    if types == {"NUMBER(38,0)", "FLOAT"}:
        return "FLOAT"
    if "VARIANT" in types:
        return "VARIANT"
    return types.pop() if len(types) == 1 else "VARCHAR"


def evolution_record(change: str, *, at: datetime) -> str:
    """What DESCRIBE TABLE shows about a column that evolved: `change` is ADD_COLUMN or DROP_NOT_NULL."""
    record = {"evolutionType": change, "evolutionMode": "STREAMING", "triggeringTime": f"{at:%F %T.%f}000Z"}
    return json.dumps(record, separators=(",", ":"))
