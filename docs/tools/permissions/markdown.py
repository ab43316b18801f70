"""Markdown of docs/permissions.md: tables, documents, and statements in words."""

import json
from collections.abc import Iterable

from firnline_infra.blueprint.iam.statement import PolicyStatement
from firnline_infra.blueprint.value import Reference, Value

MOST = 4
OPERATORS = {
    "StringEquals": "is",
    "StringLike": "is like",
    "ArnEquals": "is",
    "ForAllValues:StringEquals": "is nothing but",
    "ForAllValues:StringLike": "is nothing but what is like",
    "StringEqualsIfExists": "is, where there is one,",
}


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = (head, ("---",) * len(head), *rows)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def as_json(document: object) -> str:
    return f"```json\n{json.dumps(document, indent=2)}\n```"


def spans(texts: Iterable[object]) -> str:
    return ", ".join(f"`{text}`" for text in texts)


def where(statement: PolicyStatement) -> str:
    """On which resources, and under which conditions; `Null` only ever asks that there is none."""
    conditions = [
        f"there is no `{key}`" if operator == "Null" else f"`{key}` {OPERATORS[operator]} {_either(value)}"
        for operator, values in statement.conditions.items()
        for key, value in values.items()
    ]
    only = f", where {' and '.join(conditions)}" if conditions else ""
    resources = [_named(each) for each in statement.resources]
    more = f" and {len(resources) - MOST} more like it" if len(resources) > MOST else ""
    return f"On {spans(resources[:MOST])}{more}{only}."


def reasoned(statement: PolicyStatement) -> str:
    """A table with a line for each reason. Raises KeyError for an action without one."""
    by_reason: dict[str, list[str]] = {}
    for action in statement.actions:
        by_reason.setdefault(statement.reasons[action], []).append(action)
    return table(("action", "why"), ((spans(actions), why) for why, actions in by_reason.items()))


def _either(value: Value | tuple[Value, ...]) -> str:
    values = value if isinstance(value, tuple) else (value,)
    return " or ".join(f"`{_named(each)}`" for each in values)


def _named(value: Value) -> str:
    return f"{value.of}.{value.attribute}" if isinstance(value, Reference) else str(value)
