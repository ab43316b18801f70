"""bytes: a record is any bytes, kept in one column."""

import base64
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Literal

from pydantic import Field

from firnline_ingest.config.format import Check, Decoder, SchemasOf
from firnline_ingest.config.identifier import OwnColumn
from firnline_ingest.formats.packing import CONTENT, PackedFormat
from firnline_ingest.identifiers import stored_name
from firnline_ingest.records.rejection import refuse_larger


class BytesEncoding(StrEnum):
    """The text form of bytes in a row."""

    BASE64 = "base64"
    """What a BINARY column takes through the default pipe, and what a VARCHAR column keeps as text."""
    HEX = "hex"
    """For pipes of your own whose SELECT reads hexadecimal, and for VARCHAR columns."""


class BytesFormat(PackedFormat):
    """A record is any bytes, kept in one column."""

    order = 40

    type: Literal["bytes"]
    """Any bytes."""
    column: OwnColumn = CONTENT
    """The BINARY or VARCHAR column that takes them."""
    encoding: BytesEncoding = Field(default=BytesEncoding.BASE64, strict=False)
    """How they are written."""

    @property
    def is_one_column(self) -> bool:
        return True

    @property
    def named_columns(self) -> Sequence[str]:
        return (self.column,)

    @property
    def content_type(self) -> str:
        return "BINARY" if self.encoding is BytesEncoding.BASE64 else "VARCHAR"

    def decoder(self, check: Check, max_row_bytes: int, schemas: SchemasOf) -> Decoder:
        from msgspec.json import Encoder

        encode = Encoder().encode
        key = encode(stored_name(self.column))
        write = base64.b64encode if self.encoding is BytesEncoding.BASE64 else _hex

        def decode(data: bytes) -> Iterator[bytes]:
            refuse_larger(data, max_row_bytes)
            yield b'{%b:"%b"}' % (key, write(data))

        return decode


def _hex(data: bytes) -> bytes:
    return data.hex().encode()
