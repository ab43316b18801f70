"""text: a record is text in UTF-8, kept as it is in one column."""

from collections.abc import Iterator, Sequence
from typing import Literal

from firnline_ingest.config.format import Check, Decoder, SchemasOf
from firnline_ingest.config.identifier import OwnColumn
from firnline_ingest.formats.packing import CONTENT, PackedFormat
from firnline_ingest.identifiers import stored_name
from firnline_ingest.records.rejection import as_text, refuse_larger


class TextFormat(PackedFormat):
    """A record is text in UTF-8, kept as it is in one column."""

    order = 30

    type: Literal["text"]
    """Text in UTF-8."""
    column: OwnColumn = CONTENT
    """The VARCHAR column that takes it."""

    @property
    def is_one_column(self) -> bool:
        return True

    @property
    def named_columns(self) -> Sequence[str]:
        return (self.column,)

    @property
    def content_type(self) -> str:
        return "VARCHAR"

    def decoder(self, check: Check, max_row_bytes: int, schemas: SchemasOf) -> Decoder:
        from msgspec.json import Encoder

        encode = Encoder().encode
        key = encode(stored_name(self.column))

        def decode(data: bytes) -> Iterator[bytes]:
            refuse_larger(data, max_row_bytes)
            yield b"{%b:%b}" % (key, encode(as_text(data)))

        return decode
