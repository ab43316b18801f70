"""The transforms of a pipeline, one behind the other."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from firnline_ingest.config.transform import Transform
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.user_record import UserRecord
from firnline_ingest.records.document import Document
from firnline_ingest.records.rejection import Untransformable


class Origin(NamedTuple):
    """The source of a record: what a transform gets beside its content."""

    stream: str
    shard_id: str
    record: Record

    @property
    def sub_sequence_number(self) -> int:
        """The place inside an aggregated record, from 0."""
        return self.record.SubSequenceNumber if isinstance(self.record, UserRecord) else 0


Apply = Callable[[Document, Origin], None]
"""Changes the document. Raises Filtered and Untransformable, and nothing else: whatever JSON it is given."""


class Chain:
    """The transforms of one shard. A function of the record alone: the same record makes the same document at every reading."""

    def __init__(self, transforms: Sequence[Transform], *, stream: str, shard_id: str) -> None:
        """Raises CallableUnusable."""
        self._steps: list[tuple[str, Apply]] = [
            (f"transforms[{place}] ({each.type})", each.compiled()) for place, each in enumerate(transforms)
        ]
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
        return document.payload()
