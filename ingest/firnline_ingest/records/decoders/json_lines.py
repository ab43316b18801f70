"""JSON objects, one a line; blank lines between them are nothing."""

import io
from collections.abc import Callable, Iterator

from firnline_ingest.records.decoders.decoder import Decoder
from firnline_ingest.records.rejection import Rejection, RejectReason, Unusable

BLANKS = b" \t\r\n"

Check = Callable[[bytes], bytes]


def json_lines_decoder(check: Check) -> Decoder:
    def decode(data: bytes) -> Iterator[bytes]:
        found = False
        for number, line in enumerate(io.BytesIO(data), 1):
            if line.strip():  # as `check` says what is empty: an empty line among others is no tombstone
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
