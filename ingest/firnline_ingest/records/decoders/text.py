"""Text: the whole record in one column."""

from collections.abc import Iterator

import msgspec

from firnline_ingest.config.formats import TextFormat
from firnline_ingest.identifiers import stored_name
from firnline_ingest.records.decoders.decoder import Decoder
from firnline_ingest.records.rejection import Rejection, RejectReason, Unusable

_encode = msgspec.json.Encoder().encode


def text_decoder(of: TextFormat) -> Decoder:
    key = _encode(stored_name(of.column))

    def decode(data: bytes) -> Iterator[bytes]:
        if not data:
            raise Unusable(Rejection(RejectReason.EMPTY, "it has no content."))
        yield b"{%b:%b}" % (key, _encode(as_text(data)))

    return decode


def as_text(data: bytes) -> str:
    """Raises Unusable."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise Unusable(Rejection(RejectReason.INVALID_UTF8, f"it is not UTF-8 from byte {error.start} on.")) from error
