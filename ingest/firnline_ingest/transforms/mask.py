"""mask: something else in the place of values."""

import hashlib

import msgspec

from firnline_ingest.config.field_path import steps_of
from firnline_ingest.config.transforms import MaskTransform
from firnline_ingest.transforms.apply import Apply, Origin
from firnline_ingest.transforms.document import Document, Value, compact
from firnline_ingest.transforms.scalar import scalar

_encode = msgspec.json.Encoder().encode


def mask(of: MaskTransform) -> Apply:
    paths, replacement = [steps_of(path) for path in of.fields], msgspec.Raw(_encode(of.replacement))

    def apply(document: Document, _: Origin) -> None:
        for steps in paths:
            for holder, key in document.places(steps):
                holder[key] = replacement if of.hash is None else _digest(holder[key])
                document.is_changed = True

    return apply


def _digest(value: Value) -> msgspec.Raw:
    known = scalar(value)
    if known is None:
        return msgspec.Raw(b"null")
    content = known.encode() if isinstance(known, str) else compact(value)
    return msgspec.Raw(_encode(hashlib.sha256(content).hexdigest()))
