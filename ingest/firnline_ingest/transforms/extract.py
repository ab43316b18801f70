"""extract: one field in place of the record."""

from collections.abc import Collection
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from firnline_ingest.config.field_path import FieldPath, steps_of
from firnline_ingest.config.transform import Transform
from firnline_ingest.records.rejection import Filtered, Untransformable

if TYPE_CHECKING:
    from firnline_ingest.records.chain import Apply, Origin
    from firnline_ingest.records.document import Document


class Missing(StrEnum):
    """Treatment of a record that lacks a field."""

    REJECT = "reject"
    """It can't be a row."""
    FILTER = "filter"
    """It is filtered, and counts as `filtered`."""
    KEEP = "keep"
    """It goes on as it is."""


class ExtractTransform(Transform):
    """Makes the record of one of its fields; what stands beside it is dropped."""

    order = 20
    makes_keys = True
    takes_keys = True

    type: Literal["extract"]
    """One field in place of the record."""
    field: FieldPath
    """The field that becomes the record."""
    missing: Missing = Field(default=Missing.REJECT, strict=False)
    """What a record does that lacks the field, or has null there."""

    @property
    def paths(self) -> Collection[str]:
        return (self.field,)

    @property
    def leaves_records_out(self) -> bool:
        return self.missing is Missing.FILTER

    def compiled(self) -> "Apply":
        steps = steps_of(self.field)

        def apply(document: "Document", _: "Origin") -> None:
            for holder, key in document.places(steps):
                if document.scalar(holder[key]) is not None:
                    document.become(holder[key])
                    return
            if self.missing is Missing.FILTER:
                raise Filtered
            if self.missing is Missing.REJECT:
                raise Untransformable(f"there is no {self.field}")

        return apply
