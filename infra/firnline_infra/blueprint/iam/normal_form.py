"""An IAM policy in one form, whoever wrote it down: AWS gives a list of one back as its element, and lists in another order."""

import json
from collections.abc import Mapping
from typing import Any

Document = Mapping[str, Any]


def statements_of(document: Document) -> list[dict[str, Any]]:
    statements = document.get("Statement", [])
    return statements if isinstance(statements, list) else [statements]


def same_policy(one: Document, other: Document) -> bool:
    """Returns whether both have the same statements, in any order, under any name."""
    return sorted(map(one_form, statements_of(one))) == sorted(map(one_form, statements_of(other)))


def one_form(statement: Mapping[str, Any]) -> str:
    """The same text for statements that say the same. The Sid is a name, and says nothing."""
    said = {key: value for key, value in statement.items() if key != "Sid"}
    return json.dumps(_sorted(said), sort_keys=True)


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return _sorted(value[0]) if len(value) == 1 else sorted(map(_sorted, value), key=json.dumps)
    return value
