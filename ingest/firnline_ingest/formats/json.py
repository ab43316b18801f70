"""json: a record is one JSON object, perhaps with a schema's id in front of it."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Literal

from pydantic import Field

from firnline_ingest.config.format import Check, Decoder, SchemasOf
from firnline_ingest.formats.framing import FRAMES
from firnline_ingest.formats.packing import Compression, PackedFormat


class JsonFraming(StrEnum):
    """What a serializer of a schema registry puts in front of the object; it is taken off. The registry is not asked."""

    NONE = "none"
    """Nothing: a record is the object."""
    CONFLUENT = "confluent"
    """A byte 0 and the schema's id in four bytes."""
    GLUE = "glue"
    """A byte 3, a byte for the compression (none, or zlib), and the schema version's UUID."""


class JsonFormat(PackedFormat):
    """A record is one JSON object; its first-level keys become columns."""

    order = 10

    type: Literal["json"] = "json"
    """One JSON object."""
    framing: JsonFraming = Field(default=JsonFraming.NONE, strict=False)
    """What stands in front of it."""

    @property
    def is_plain(self) -> bool:
        return self.compression is Compression.NONE and self.framing is JsonFraming.NONE

    @property
    def may_be_null(self) -> bool:
        return True

    def decoder(self, check: Check, max_row_bytes: int, schemas: SchemasOf) -> Decoder:
        unframe = FRAMES.get(self.framing)

        def decode(data: bytes) -> Iterator[bytes]:
            yield check(unframe(data)[1] if unframe else data)

        return decode
