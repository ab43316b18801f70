"""Normalises what a service answers: into the words that were used before, wherever both mean the same.

A service sorts a set, spaces a policy and completes a block in its own way. None of that is a change of the resource.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

Words = Mapping[str, Any]


def set_like(found: Sequence[Any], known: Any) -> list[Any]:
    """In the known order, where the elements are the same; else sorted."""
    in_order = sorted(found, key=_canonical)
    if isinstance(known, Sequence) and sorted(known, key=_canonical) == in_order:
        return list(known)
    return in_order


def document_like(found: str, known: Any) -> str:
    """The known text of a JSON document, where both are the same document; of a policy: give the same rights."""
    return known if isinstance(known, str) and _policy(known) == _policy(found) else found


def block_like(found: Words, known: Any, unsaid: Words) -> dict[str, Any]:
    """Without what a service adds by itself: fields with the values of `unsaid` that were not known before."""
    said = known if isinstance(known, Mapping) else {}
    return {
        name: value
        for name, value in found.items()
        if value is not None and (name in said or name not in unsaid or unsaid[name] != value)
    }


def like(found: Any, known: Any) -> Any:
    """The known value, where it differs in nothing but what is empty."""
    return known if known is not None and _pruned(known) == _pruned(found) else found


def present(fields: Words) -> dict[str, Any]:
    """Without those that have no value."""
    return {name: value for name, value in fields.items() if value is not None}


def none_if(error: Any, *codes: str) -> None:
    """Raises the client's error again unless its code is one of these, which say that the object doesn't exist."""
    if error.response["Error"]["Code"] not in codes:
        raise error


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _pruned(value: Any) -> Any:
    if isinstance(value, Mapping):
        content = {name: _pruned(each) for name, each in value.items()}
        return {name: each for name, each in content.items() if each not in (None, False, "", [], {})}
    return [_pruned(each) for each in value] if isinstance(value, list | tuple) else value


def _policy(text: str) -> Any:
    try:
        return _as_lists(json.loads(text))
    except ValueError:
        return text


def _as_lists(value: Any) -> Any:
    """IAM takes one element for a list of one, and the elements in any order (user guide, "Grammar of the IAM JSON policy
    language")."""
    if isinstance(value, Mapping):
        return {name: _as_lists(each) for name, each in value.items()}
    if isinstance(value, list):
        elements = sorted((_as_lists(each) for each in value), key=_canonical)
        return elements[0] if len(elements) == 1 else elements
    return value
