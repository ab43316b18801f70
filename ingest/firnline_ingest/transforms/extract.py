"""extract: one field in place of the record."""

from firnline_ingest.config.field_path import steps_of
from firnline_ingest.config.transforms import ExtractTransform, Missing
from firnline_ingest.transforms.apply import Apply, Origin
from firnline_ingest.transforms.document import Document
from firnline_ingest.transforms.errors import Filtered, Untransformable
from firnline_ingest.transforms.scalar import scalar


def extract(of: ExtractTransform) -> Apply:
    steps = steps_of(of.field)

    def apply(document: Document, _: Origin) -> None:
        for holder, key in document.places(steps):
            if scalar(holder[key]) is not None:
                document.root[0] = holder[key]
                document.is_changed = True
                return
        if of.missing is Missing.FILTER:
            raise Filtered
        if of.missing is Missing.REJECT:
            raise Untransformable(f"there is no {of.field}")

    return apply
