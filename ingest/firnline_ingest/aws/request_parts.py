"""The parts of a request, for a message that people report: bounded, and without what is a secret or a row."""

import json
from collections.abc import Mapping
from typing import Any

SHOWN = frozenset({"ConsistentRead", "ExpressionAttributeNames", "IndexName", "Limit", "ReturnValues", "TableName"})
LONGEST = 800


def described(parameters: Mapping[str, Any]) -> str:
    """Returns the parameters in one line: expressions, names and switches as they are, of anything else the name alone."""
    parts = [_part(name, value) for name, value in sorted(parameters.items())]
    text = ", ".join(parts)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _part(name: str, value: Any) -> str:
    if name in SHOWN or name.endswith("Expression"):
        return f"{name}={json.dumps(value, default=str)}"
    return f"{name}=…"
