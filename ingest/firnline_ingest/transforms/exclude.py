"""exclude: some fields less."""

from firnline_ingest.config.field_path import steps_of
from firnline_ingest.config.transforms import ExcludeTransform
from firnline_ingest.transforms.apply import Apply, Origin
from firnline_ingest.transforms.document import Document


def exclude(of: ExcludeTransform) -> Apply:
    paths = [steps_of(path) for path in of.fields]

    def apply(document: Document, _: Origin) -> None:
        for steps in paths:
            for holder, key in document.places(steps):
                del holder[key]
                document.is_changed = True

    return apply
