"""hoist: the whole record under one key."""

from firnline_ingest.config.transforms import HoistTransform
from firnline_ingest.transforms.apply import Apply, Origin
from firnline_ingest.transforms.document import Document


def hoist(of: HoistTransform) -> Apply:
    def apply(document: Document, _: Origin) -> None:
        document.root[0] = {of.field: document.root[0]}
        document.is_changed = True

    return apply
