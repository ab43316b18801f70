"""The whole record in one column: as text, or as any bytes."""

import base64
from collections.abc import Iterator

import msgspec

from firnline_ingest.config.formats import BytesEncoding, BytesFormat, TextFormat
from firnline_ingest.identifiers import stored_name
from firnline_ingest.records.decoders.decoder import Decoder
from firnline_ingest.records.rejection import Rejection, RejectReason, Unusable

_encode = msgspec.json.Encoder().encode


def text_decoder(of: TextFormat, most: int) -> Decoder:
    key = _encode(stored_name(of.column))

    def decode(data: bytes) -> Iterator[bytes]:
        refuse_larger(data, most)
        yield b"{%b:%b}" % (key, _encode(as_text(data)))

    return decode


def bytes_decoder(of: BytesFormat, most: int) -> Decoder:
    key = _encode(stored_name(of.column))
    write = base64.b64encode if of.encoding is BytesEncoding.BASE64 else _hex

    def decode(data: bytes) -> Iterator[bytes]:
        refuse_larger(data, most)
        yield b'{%b:"%b"}' % (key, write(data))

    return decode


def refuse_larger(data: bytes, most: int) -> None:
    """Before anything is made of it. Raises Unusable."""
    if len(data) > most:
        detail = f"it has {len(data)} bytes by itself, max_row_bytes allows {most}."
        raise Unusable(Rejection(RejectReason.TOO_LARGE, detail))


def as_text(data: bytes) -> str:
    """Raises Unusable."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise Unusable(Rejection(RejectReason.INVALID_UTF8, f"it is not UTF-8 from byte {error.start} on.")) from error


def _hex(data: bytes) -> bytes:
    return data.hex().encode()
