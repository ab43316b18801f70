"""filter: some records less."""

from collections.abc import Callable, Collection
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field, model_validator

from firnline_ingest.config.field_path import FieldPath, steps_of
from firnline_ingest.config.transform import Transform
from firnline_ingest.records.rejection import Filtered
from firnline_ingest.records.scalar import Scalar

if TYPE_CHECKING:
    from firnline_ingest.records.chain import Apply, Origin
    from firnline_ingest.records.document import Document


class FilterTransform(Transform):
    """Filters records, or keeps some alone. What is filtered counts as `filtered`, and is in no table and no dead letter."""

    order = 100

    type: Literal["filter"]
    """Some records less."""
    field: FieldPath
    """What is looked at."""
    exists: bool | None = None
    """Matches records that have the field, or with `false` those that lack it; null is a value."""
    one_of: list[str | int | bool | None] = Field(default=[])
    """Matches records whose field is one of these. Texts are compared with their case, numbers by their value."""
    starts_with: Annotated[str, Field(min_length=1)] | None = None
    """Matches records whose field is a text that begins so."""
    keep: bool = False
    """True if the records that match are kept and the others are filtered; the other way round by default."""

    @model_validator(mode="after")
    def _one_condition(self) -> Self:
        if sum((self.exists is not None, bool(self.one_of), self.starts_with is not None)) != 1:
            raise ValueError("give exactly one of exists, one_of, starts_with")
        return self

    @property
    def paths(self) -> Collection[str]:
        return (self.field,)

    @property
    def leaves_records_out(self) -> bool:
        return True

    def compiled(self) -> "Apply":
        steps, matches = steps_of(self.field), self._condition()

        def apply(document: "Document", _: "Origin") -> None:
            is_match = self.exists is False
            for holder, key in document.places(steps):
                is_match = matches(document.scalar(holder[key]))
            if is_match is not self.keep:
                raise Filtered

        return apply

    def _condition(self) -> Callable[[Scalar], bool]:
        """The condition on a field that exists."""
        if self.exists is not None:
            return lambda _: self.exists is True
        if self.starts_with is not None:
            beginning = self.starts_with
            return lambda value: isinstance(value, str) and value.startswith(beginning)
        wanted = {_typed(each) for each in self.one_of}
        return lambda value: _typed(value) in wanted


def _typed(value: Scalar | int) -> tuple[str, object]:
    """The value with its kind, because True equals 1 in Python and not in JSON."""
    if isinstance(value, bool) or value is None:
        return "word", value
    return ("number", Decimal(value)) if isinstance(value, int | Decimal) else ("text", value)
