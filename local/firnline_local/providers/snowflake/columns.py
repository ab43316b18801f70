"""Columns of tables, as the provider defines them in SQL and reads them back."""

import re
from collections.abc import Sequence
from typing import Any

from firnline_local.errors import InputNotCarried
from firnline_local.providers.kind import Properties
from firnline_local.providers.snowflake.kind import as_known
from firnline_local.providers.snowflake.sql import literal, quoted

DEFAULTS = {"nullable": True, "comment": ""}
STRUCTURED = re.compile(r"\s*(OBJECT|ARRAY|MAP)\s*\(", re.IGNORECASE)
FIRST_STEP = {"startNum": 1, "stepNum": 1}
TEXTS = ("VARCHAR", "STRING", "TEXT", "CHAR", "NVARCHAR", "NCHAR")


def definition(column: Properties, *, added: bool = False) -> str:
    """In CREATE every column has a comment and every text a collation, if empty ones; in ADD COLUMN neither."""
    written = [quoted(column["name"]), column["type"]]
    if column.get("identity"):
        written.append(f"IDENTITY ({column['identity'].get('startNum', 1)}, {column['identity'].get('stepNum', 1)})")
    if not column.get("nullable", True):
        written.append("NOT NULL")
    if not added and column["type"].upper().startswith(TEXTS):
        written.append(f"COLLATE {literal(column.get('collate', ''))}")
    if column.get("default"):
        written.append(f"DEFAULT {_default(column)}")
    if not added or column.get("comment"):
        written.append(f"COMMENT {literal(column.get('comment', ''))}")
    return " ".join(written)


def refuse_structured(type_: str, columns: Sequence[Properties]) -> None:
    """As the stock provider does, at the plan. Raises InputNotCarried."""
    for column in columns:
        if STRUCTURED.match(column["type"]):
            raise InputNotCarried(
                type_, [f"{column['name']} {column['type']}"], carried=["types that are not structured"]
            )


def alterations(table: str, old: Sequence[Properties], new: Sequence[Properties]) -> list[str]:
    """One statement per change: dropped columns, added ones, changed ones. Only a default's removal can be altered."""
    before = {column["name"]: column for column in old}
    after = {column["name"]: column for column in new}
    changes = [f"DROP COLUMN {quoted(name)}" for name in before if name not in after]
    changes += [f"ADD COLUMN {definition(column, added=True)}" for name, column in after.items() if name not in before]
    for name, column in after.items():
        changes += [f"ALTER COLUMN {quoted(name)} {change}" for change in _changes(before.get(name, column), column)]
    return [f"ALTER TABLE {table} {change}" for change in changes]


def from_description(row: Properties, known: Properties) -> dict[str, Any]:
    """A row of DESCRIBE TABLE, in the words in which the column was asked for where they mean the same."""
    found: dict[str, Any] = {
        "name": row["name"],
        "type": type_as_known(row["type"], known),
        "nullable": row["null?"] == "Y",
        "comment": row["comment"] or "",
    }
    if row.get("schema evolution record"):
        found["schemaEvolutionRecord"] = row["schema evolution record"]
    default = row["default"]
    if default and default.startswith("IDENTITY"):
        _, _, start, _, step, *_ = default.split()
        identity = {"startNum": int(start), "stepNum": int(step)}
        found["identity"] = as_known(identity, known.get("identity"), lambda each: {**FIRST_STEP, **each})
    elif default:
        known_kind = next(iter(known.get("default") or {"expression": None}))
        found["default"] = {known_kind: _constant(default) if known_kind == "constant" else default}
    return {name: value for name, value in found.items() if not known or name in known or value != DEFAULTS.get(name)}


def type_as_known(found: str, known: Properties) -> Any:
    return as_known(found, known.get("type"), canonical_type)


def canonical_type(text: str) -> str:
    """As the embedded Snowflake spells it; as it is, where that doesn't know it."""
    from firnline_local.snowflake.catalog.errors import SqlError
    from firnline_local.snowflake.catalog.types import DataType

    try:
        return str(DataType.parse(text))
    except SqlError:
        return text.upper()


def _constant(default: str) -> str:
    """A literal's value, or the number that it is."""
    if not default.startswith("'"):
        return default
    return re.sub(r"''|\\(.)", lambda match: match[1] or "'", default[1:-1])


def _default(column: Properties) -> str:
    default = column["default"]
    constant = default.get("constant")
    if constant is None:
        return str(default["expression"])
    return literal(constant) if column["type"].upper().startswith(TEXTS) else str(constant)


def _changes(old: Properties, new: Properties) -> list[str]:
    changes = []
    if canonical_type(old["type"]) != canonical_type(new["type"]):
        changes.append(f"SET DATA TYPE {new['type']}")
    if old.get("nullable", True) != new.get("nullable", True):
        changes.append("DROP NOT NULL" if new.get("nullable", True) else "SET NOT NULL")
    if old.get("default") and not new.get("default"):
        changes.append("DROP DEFAULT")
    if old.get("comment", "") != new.get("comment", ""):
        changes.append(f"COMMENT {literal(new.get('comment', ''))}")
    return changes
