"""json_lines: a record is JSON objects, one a line; blank lines between them are nothing."""

import io
from collections.abc import Iterator
from typing import Literal

from firnline_ingest.config.format import Check, Decoder, SchemasOf
from firnline_ingest.formats.packing import PackedFormat
from firnline_ingest.records.rejection import Rejection, RejectReason, Unusable

BLANKS = b" \t\r\n"


class JsonLinesFormat(PackedFormat):
    """A record is JSON objects, one a line, as Firehose and many log shippers put them; each becomes a row."""

    order = 20

    type: Literal["json_lines"]
    """JSON objects, one a line."""

    @property
    def makes_several_rows(self) -> bool:
        return True

    def decoder(self, check: Check, max_row_bytes: int, schemas: SchemasOf) -> Decoder:
        def decode(data: bytes) -> Iterator[bytes]:
            found = False
            for number, line in enumerate(io.BytesIO(data), 1):
                if line.strip():  # as `check` says what is empty: an empty line among others is not a tombstone
                    found = True
                    yield _checked(check, line.strip(BLANKS), number)
            if not found:
                raise Unusable(Rejection(RejectReason.EMPTY, "it has no content."))

        return decode


def _checked(check: Check, line: bytes, number: int) -> bytes:
    try:
        return check(line)
    except Unusable as unusable:
        reason, detail = unusable.fault
        raise Unusable(Rejection(reason, f"line {number}: {detail}")) from unusable
