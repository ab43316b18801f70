"""exclude: some fields less."""

from collections.abc import Collection
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field, model_validator

from firnline_ingest.config.field_path import FieldPaths, steps_of
from firnline_ingest.config.transform import Transform

if TYPE_CHECKING:
    from firnline_ingest.records.chain import Apply, Origin
    from firnline_ingest.records.document import Document


class ExcludeTransform(Transform):
    """Leaves fields out."""

    order = 60
    takes_keys = True

    type: Literal["exclude"]
    """Some fields less."""
    fields: Annotated[list[FieldPaths], Field(min_length=1)]
    """Those that are removed; one that is absent is ignored."""

    @model_validator(mode="after")
    def _keeps_the_items_of_arrays(self) -> Self:
        if items := [path for path in self.fields if path.endswith("[]")]:
            raise ValueError(f"{items[0]} names the items of an array; name the array, or a key of its items")
        return self

    @property
    def paths(self) -> Collection[str]:
        return self.fields

    def compiled(self) -> "Apply":
        paths = [steps_of(path) for path in self.fields]

        def apply(document: "Document", _: "Origin") -> None:
            for steps in paths:
                for holder, key in document.places(steps):
                    del holder[key]
                    document.is_changed = True

        return apply
