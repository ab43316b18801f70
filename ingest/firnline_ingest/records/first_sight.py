"""Which record brought a first-level key for the first time, since the process reads its shard.

The keys are found where their list is judged, which is once a list; a page that brought some is looked through again.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

import msgspec

from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rejection import Omitted, RejectedRecord, Unusable

Objects = Callable[[Record], Sequence[bytes]]
"""What a record holds; raises Unusable and Omitted."""
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class JsonKind(StrEnum):
    """What the first value of a key was."""

    TEXT = "text"
    NUMBER = "number"
    BOOLEAN = "boolean"
    OBJECT = "object"
    ARRAY = "array"
    NULL = "null"


KINDS = {
    b'"': JsonKind.TEXT,
    b"{": JsonKind.OBJECT,
    b"[": JsonKind.ARRAY,
    b"t": JsonKind.BOOLEAN,
    b"f": JsonKind.BOOLEAN,
    b"n": JsonKind.NULL,
}


def first_sights(
    news: Sequence[str], records: Sequence[Record], rejected: Sequence[RejectedRecord], objects: Objects
) -> Mapping[str, tuple[int, JsonKind]]:
    """For each key, the index of the first record whose rows have it, and the kind of its value there. A key that only
    rejected records have is left out."""
    left, found = set(news), dict[str, tuple[int, JsonKind]]()
    not_rows = {each.index for each in rejected}
    for index, record in enumerate(records):
        if not left:
            break
        for members in () if index in not_rows else _levels(objects, record):
            for key in left & members.keys():
                found[key] = index, KINDS.get(bytes(members[key])[:1], JsonKind.NUMBER)
                left.discard(key)
    return found


def _levels(objects: Objects, record: Record) -> Sequence[dict[str, msgspec.Raw]]:
    try:
        return [_members(each) for each in objects(record)]
    except (Unusable, Omitted):
        return ()
