"""filter: some records less."""

from collections.abc import Callable
from decimal import Decimal

from firnline_ingest.config.field_path import steps_of
from firnline_ingest.config.transforms import FilterTransform
from firnline_ingest.transforms.apply import Apply, Origin
from firnline_ingest.transforms.document import Document
from firnline_ingest.transforms.errors import Filtered
from firnline_ingest.transforms.scalar import Scalar, scalar


def filtered(of: FilterTransform) -> Apply:
    steps, matches = steps_of(of.field), _condition(of)

    def apply(document: Document, _: Origin) -> None:
        is_match = of.exists is False
        for holder, key in document.places(steps):
            is_match = matches(scalar(holder[key]))
        if is_match is not of.keep:
            raise Filtered

    return apply


def _condition(of: FilterTransform) -> Callable[[Scalar], bool]:
    """Of a field that is there."""
    if of.exists is not None:
        return lambda _: of.exists is True
    if of.starts_with is not None:
        beginning = of.starts_with
        return lambda value: isinstance(value, str) and value.startswith(beginning)
    wanted = {_typed(each) for each in of.one_of}
    return lambda value: _typed(value) in wanted


def _typed(value: Scalar | int) -> tuple[str, object]:
    """With its kind, because True is 1 in Python and not in JSON."""
    if isinstance(value, bool) or value is None:
        return "word", value
    return ("number", Decimal(value)) if isinstance(value, int | Decimal) else ("text", value)
