"""mask: something else in the place of values."""

import hashlib
from collections.abc import Collection
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field, model_validator

from firnline_ingest.config.field_path import FieldPaths, steps_of
from firnline_ingest.config.transform import JsonValue, Transform

if TYPE_CHECKING:
    from firnline_ingest.records.chain import Apply, Origin
    from firnline_ingest.records.document import Value


class Hash(StrEnum):
    """Hashes that stand in place of a value, so that equal ones can still be joined."""

    SHA256 = "sha256"
    """SHA-256 in hexadecimal: of a text's UTF-8, of any other value's JSON without blanks. Null stays null. A value
    that can be guessed can be found: an address or a number of few digits is not hidden by it."""


class MaskTransform(Transform):
    """Puts something else in the place of values, so that the fields stay and what they say is gone."""

    order = 40

    type: Literal["mask"]
    """Something else in the place of values."""
    fields: Annotated[list[FieldPaths], Field(min_length=1)]
    """What is hidden, whatever it is; a field that is not there is nothing to hide."""
    replacement: JsonValue = None
    """Any value of JSON; null by default."""
    hash: Hash | None = Field(default=None, strict=False)
    """In place of `replacement`."""

    @model_validator(mode="after")
    def _one_or_the_other(self) -> Self:
        if self.hash is not None and self.replacement is not None:
            raise ValueError("give replacement or hash, and one of them only")
        return self

    @property
    def paths(self) -> Collection[str]:
        return self.fields

    def compiled(self) -> "Apply":
        from firnline_ingest.records.document import Document

        paths, replacement = [steps_of(path) for path in self.fields], Document.encoded(self.replacement)

        def digest(value: "Value") -> bytes:
            known = Document.scalar(value)
            if known is None:
                return b"null"
            content = known.encode() if isinstance(known, str) else Document.compact(value)
            return Document.encoded(hashlib.sha256(content).hexdigest())

        def apply(document: Document, _: "Origin") -> None:
            for steps in paths:
                for holder, key in document.places(steps):
                    document.put(holder, key, replacement if self.hash is None else digest(holder[key]))

        return apply
