"""Snappy, raw and framed, expanded up to a limit: both say how much they stand for before anything is made of them.

Formats: format_description.txt and framing_format.txt of github.com/google/snappy. Which of the two a record is, its first bytes
say: a stream begins with its identifier. (A block that begins with the same ten bytes stands for exactly 895.)
"""

import zlib

from firnline_ingest.config.format import Unpack
from firnline_ingest.records.rejection import Rejection, RejectReason, Unusable, too_large

IDENTIFIER = b"\xff\x06\x00\x00sNaPpY"
HEADER_BYTES, CRC_BYTES = 4, 4
COMPRESSED, UNCOMPRESSED = 0, 1
NOTHING = b"\0\r\n"


def snappy(most: int) -> Unpack:
    """The unpacking of a record with up to `most` bytes then; raises Unusable."""

    def expanded(data: bytes) -> bytes:
        import cramjam

        is_framed = data.startswith(IDENTIFIER)
        data, size = _stream(data) if is_framed else (data, _size(data))
        if size > most:
            raise too_large(f"it has more than {most:,} bytes when it is unpacked.")
        try:
            return bytes((cramjam.snappy.decompress if is_framed else cramjam.snappy.decompress_raw)(data))
        except cramjam.DecompressionError as error:
            raise _not_snappy(f"{error}") from error

    return expanded


def avro_snappy(most: int) -> Unpack:
    """The same of a block of an Avro container: raw, and a checksum of what it stands for."""
    expand = snappy(most)

    def expanded(data: bytes) -> bytes:
        block, checksum = data[:-CRC_BYTES], data[-CRC_BYTES:]
        content = expand(block)
        if zlib.crc32(content).to_bytes(CRC_BYTES, "big") != checksum:
            raise _not_snappy("its checksum is another one")
        return content

    return expanded


def _size(block: bytes) -> int:
    """The bytes that a block stands for, by its preamble."""
    size = 0
    for index, byte in enumerate(block[:5]):
        size |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return size
    raise _not_snappy("it does not say its size")


def _stream(data: bytes) -> tuple[bytes, int]:
    """The chunks without the line breaks or zeros behind the last one, and the bytes that they stand for. Raises Unusable where
    one is cut short."""
    at = size = 0
    last = len(data.rstrip(NOTHING))
    while at < last or (at < len(data) and data[at] not in NOTHING):
        begin = at + HEADER_BYTES
        end = begin + int.from_bytes(data[at + 1 : begin], "little")
        if end > len(data):
            raise _not_snappy("its last chunk is cut short")
        if data[at] == COMPRESSED:
            size += _size(data[begin + CRC_BYTES : end])
        elif data[at] == UNCOMPRESSED:
            size += max(0, end - begin - CRC_BYTES)
        at = end
    return data[:at], size


def _not_snappy(detail: str) -> Unusable:
    return Unusable(Rejection(RejectReason.NOT_PACKED, f"it is not a snappy: {detail}."))
