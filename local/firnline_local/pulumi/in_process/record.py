"""A resource that was made: what is needed to look at it again, change it, and delete it."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Record:
    urn: str
    token: str
    name: str
    """The logical one, in the program."""
    id: str
    inputs: Mapping[str, Any]
    properties: Mapping[str, Any]
    provider: str = ""
    """How the program refers to its provider; empty for the stack's own."""
    secrets: tuple[str, ...] = ()
    """Properties that are not to be shown."""
    is_protected: bool = False
    is_retained: bool = False
    """Left alone, where the program no longer names it."""
    configuration: Mapping[str, Any] = field(default_factory=dict)
    """Of its provider, where that is the program's."""


def to_json(records: Iterable[Record]) -> str:
    return json.dumps([asdict(record) for record in records], indent=1)


def from_json(text: str) -> list[Record]:
    return [Record(**{**document, "secrets": tuple(document["secrets"])}) for document in json.loads(text)]
