"""timestamp: times written in another way."""

import msgspec

from firnline_ingest.config.field_path import steps_of
from firnline_ingest.config.transforms import TimestampTransform
from firnline_ingest.transforms.apply import Apply, Origin
from firnline_ingest.transforms.document import Document
from firnline_ingest.transforms.errors import Untransformable
from firnline_ingest.transforms.moments import reader, writer
from firnline_ingest.transforms.scalar import scalar

_encode = msgspec.json.Encoder().encode


def timestamp(of: TimestampTransform) -> Apply:
    paths = [(path, steps_of(path)) for path in of.fields]
    read, write = reader(of.read, of.offset), writer(of.write)

    def apply(document: Document, _: Origin) -> None:
        for path, steps in paths:
            for holder, key in document.places(steps):
                known = scalar(holder[key])
                if known is None:
                    continue
                moment = read(known)
                if moment is None:
                    raise Untransformable(f"{path} is no time that is written as {of.read}")
                made = write(moment)
                holder[key] = msgspec.Raw(_encode(made) if isinstance(made, str) else f"{made:f}".encode())
                document.is_changed = True

    return apply
