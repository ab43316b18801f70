"""The transforms of a pipeline, one behind the other."""

from collections.abc import Callable, Sequence
from typing import Any

from firnline_ingest.config.transforms import (
    CallableTransform,
    CastTransform,
    ExcludeTransform,
    ExtractTransform,
    FilterTransform,
    FlattenTransform,
    HoistTransform,
    InsertTransform,
    MaskTransform,
    RenameTransform,
    TimestampTransform,
    Transform,
)
from firnline_ingest.kinesis.page import Record
from firnline_ingest.transforms.apply import Apply, Origin
from firnline_ingest.transforms.call import call
from firnline_ingest.transforms.cast import cast
from firnline_ingest.transforms.document import Document
from firnline_ingest.transforms.errors import Untransformable
from firnline_ingest.transforms.exclude import exclude
from firnline_ingest.transforms.extract import extract
from firnline_ingest.transforms.filter import filtered
from firnline_ingest.transforms.flatten import flatten
from firnline_ingest.transforms.hoist import hoist
from firnline_ingest.transforms.insert import insert
from firnline_ingest.transforms.mask import mask
from firnline_ingest.transforms.rename import rename
from firnline_ingest.transforms.timestamp import timestamp


class Chain:
    """Of one shard. A function of the record alone: the same record makes the same document at every reading."""

    def __init__(self, transforms: Sequence[Transform], *, stream: str, shard_id: str) -> None:
        self._steps = [(f"transforms[{place}] ({each.type})", _applied(each)) for place, each in enumerate(transforms)]
        self._stream, self._shard_id = stream, shard_id

    def __call__(self, payload: bytes, record: Record) -> bytes:
        """The payload itself where no transform changes it. `payload` is JSON of any kind that was checked.

        Raises Filtered; Untransformable, whose text begins with the transform's place in the list and its type.
        """
        document, origin = Document(payload), Origin(self._stream, self._shard_id, record)
        for name, apply in self._steps:
            try:
                apply(document, origin)
            except Untransformable as error:
                raise type(error)(f"{name}: {error}.") from error
        return document.written()


def _applied(of: Transform) -> Apply:
    make: Callable[[Any], Apply] = MADE_BY[type(of)]
    return make(of)


MADE_BY: dict[type[Transform], Callable[[Any], Apply]] = {
    HoistTransform: hoist,
    ExtractTransform: extract,
    InsertTransform: insert,
    MaskTransform: mask,
    RenameTransform: rename,
    ExcludeTransform: exclude,
    CastTransform: cast,
    FlattenTransform: flatten,
    TimestampTransform: timestamp,
    FilterTransform: filtered,
    CallableTransform: call,
}
