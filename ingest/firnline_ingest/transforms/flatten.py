"""flatten: one level of all."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from firnline_ingest.config.transform import Transform
from firnline_ingest.records.rejection import Untransformable

if TYPE_CHECKING:
    from firnline_ingest.records.chain import Apply, Origin
    from firnline_ingest.records.document import Document, Members, Value

LONGEST_KEY = 255  # characters, which are all that a column's name may have
MOST_CHARACTERS = 16_000_000  # of keys: many below a long one become many times their size


class FlattenTransform(Transform):
    """Makes one level of all: `{"a":{"b":1}}` becomes `{"a_b":1}`. Arrays stay as they are, and so do empty objects."""

    order = 80
    makes_keys = True
    takes_keys = True

    type: Literal["flatten"]
    """One level of all."""
    delimiter: Annotated[str, Field(min_length=1)] = "_"
    """Between the keys."""

    def compiled(self) -> "Apply":
        def apply(document: "Document", _: "Origin") -> None:
            members = document.members()
            flat: Members = {}
            characters = 0
            for key, value in _leaves(document, members, "", self.delimiter):
                if key in flat:
                    raise Untransformable(f"two fields would both be {key[:60]}")
                characters += len(key)
                if characters > MOST_CHARACTERS:
                    raise Untransformable(f"its keys would have more than {MOST_CHARACTERS:,} characters")
                flat[key] = value
            if flat.keys() != members.keys():
                document.become(flat)

        return apply


def _leaves(document: "Document", members: "Members", before: str, delimiter: str) -> Iterator[tuple[str, "Value"]]:
    """Arrays are not taken apart."""
    for key, value in members.items():
        name, inner = before + key, document.members_of(value)
        if not inner:
            yield name, value
        elif len(name) > LONGEST_KEY:
            raise Untransformable(f"a key would have more than {LONGEST_KEY} characters")
        else:
            yield from _leaves(document, inner, name + delimiter, delimiter)
