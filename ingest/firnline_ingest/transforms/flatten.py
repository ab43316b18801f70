"""flatten: one level of all."""

from collections.abc import Iterator

import msgspec

from firnline_ingest.config.transforms import FlattenTransform
from firnline_ingest.transforms.apply import Apply, Origin
from firnline_ingest.transforms.document import Document, Members, Value, first_byte, opened
from firnline_ingest.transforms.errors import Untransformable

LONGEST_KEY = 255  # characters, which are all that a column's name may have
MOST_CHARACTERS = 16_000_000  # of keys: many below a long one become many times their size


def flatten(of: FlattenTransform) -> Apply:
    def apply(document: Document, _: Origin) -> None:
        members = document.members()
        flat: Members = {}
        characters = 0
        for key, value in _leaves(members, "", of.delimiter):
            if key in flat:
                raise Untransformable(f"two fields would both be {key[:60]}")
            characters += len(key)
            if characters > MOST_CHARACTERS:
                raise Untransformable(f"its keys would have more than {MOST_CHARACTERS:,} characters")
            flat[key] = value
        if flat.keys() != members.keys():
            document.root[0] = flat
            document.is_changed = True

    return apply


def _leaves(members: Members, before: str, delimiter: str) -> Iterator[tuple[str, Value]]:
    for key, value in members.items():
        name, inner = before + key, _members(value)
        if not inner:
            yield name, value
        elif len(name) > LONGEST_KEY:
            raise Untransformable(f"a key would have more than {LONGEST_KEY} characters")
        else:
            yield from _leaves(inner, name + delimiter, delimiter)


def _members(value: Value) -> Members | None:
    """Of an object; an array is not taken apart."""
    if isinstance(value, msgspec.Raw) and first_byte(value) != b"{":
        return None
    inner = opened(value)
    return inner if isinstance(inner, dict) else None
