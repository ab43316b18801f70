"""Readers of packed records: gzip, zlib, deflate, Zstandard, snappy, and the frames of schema registries."""

import bz2
import lzma
import zlib
from uuid import UUID

from firnline_infra.audit.readers.json_model import Unreadable
from firnline_infra.audit.readers.snappy import block, unsnapped
from firnline_ingest.config.format import Format
from firnline_ingest.formats.packing import Compression, PackedFormat

MOST_BYTES = 10_485_760  # docs/records.md: what a record unpacks to


def unpacked(of: Format, data: bytes) -> bytes:
    """Raises Unreadable."""
    compression = of.compression if isinstance(of, PackedFormat) else Compression.NONE
    if not data or compression is Compression.NONE:
        return data
    match compression:
        case Compression.GZIP:
            return gunzipped(data)
        case Compression.ZLIB:
            return _alone(data, zlib.MAX_WBITS)
        case Compression.DEFLATE:
            return _alone(data, -zlib.MAX_WBITS)
        case Compression.SNAPPY:
            return unsnapped(data, MOST_BYTES)
    return unzstandard(data)


def _alone(data: bytes, window: int) -> bytes:
    """One stream, and line breaks or zeros behind it. Raises Unreadable."""
    stream = zlib.decompressobj(window)
    try:
        whole = _bounded(stream.decompress(data, MOST_BYTES + 1))
    except zlib.error as error:
        raise Unreadable("not-packed", str(error)) from error
    if not stream.eof or stream.unused_data.strip(b"\0\r\n"):
        raise Unreadable("not-packed", "it does not end where its stream ends")
    return whole


def gunzipped(data: bytes) -> bytes:
    """All its members (RFC 1952), with zeros or line breaks between them. Raises Unreadable."""
    whole = b""
    while data:
        member = zlib.decompressobj(16 + zlib.MAX_WBITS)
        try:
            whole = _bounded(whole + member.decompress(data, MOST_BYTES + 1))
        except zlib.error as error:
            raise Unreadable("not-packed", str(error)) from error
        if not member.eof:
            raise Unreadable("not-packed", "its last member is cut short")
        data = member.unused_data.lstrip(b"\0\r\n")
    return whole


def unzstandard(data: bytes) -> bytes:
    """All its frames (RFC 8878). Raises Unreadable."""
    from zstandard import ZstdDecompressor, ZstdError

    whole, left = b"", data
    try:
        while left:
            frame = ZstdDecompressor(max_window_size=8 * 1024 * 1024).decompressobj()
            for start in range(0, len(left), 1024):
                whole = _bounded(whole + frame.decompress(left[start : start + 1024]))
                if frame.eof:
                    left = frame.unused_data + left[start + 1024 :]
                    break
            else:
                raise Unreadable("not-packed", "its last frame is cut short")
    except ZstdError as error:
        raise Unreadable("not-packed", str(error)) from error
    return whole


def unbundled(stream: bz2.BZ2Decompressor | lzma.LZMADecompressor, data: bytes) -> bytes:
    """One stream of bzip2 or xz. Raises Unreadable."""
    try:
        whole = _bounded(stream.decompress(data, MOST_BYTES + 1))
    except (OSError, ValueError, lzma.LZMAError) as error:
        raise Unreadable("not-packed", str(error)) from error
    if not stream.eof or stream.unused_data:
        raise Unreadable("not-packed", "it does not end where its stream ends")
    return whole


def inflated(data: bytes, window: int = -zlib.MAX_WBITS) -> bytes:
    """RFC 1951, or RFC 1950 with a positive window. Raises Unreadable."""
    stream = zlib.decompressobj(window)
    try:
        whole = _bounded(stream.decompress(data, MOST_BYTES + 1))
    except zlib.error as error:
        raise Unreadable("not-packed", str(error)) from error
    if not stream.eof or (window > 0 and stream.unused_data):
        raise Unreadable("not-packed", "it does not end where its zlib ends")
    return whole


def _bounded(data: bytes) -> bytes:
    if len(data) > MOST_BYTES:
        raise Unreadable("too-large", f"it has more than {MOST_BYTES:,} bytes when it is unpacked")
    return data


def of_codec(codec: bytes, packed: bytes) -> bytes:
    """Unpacks a block of an Avro container. Raises Unreadable."""
    match codec:
        case b"null":
            return packed
        case b"deflate":
            return inflated(packed)
        case b"zstandard":
            return unzstandard(packed)
        case b"snappy":
            content = block(packed[:-4], MOST_BYTES)
            if zlib.crc32(content).to_bytes(4, "big") != packed[-4:]:
                raise Unreadable("not-packed", "its checksum is another one")
            return content
        case b"bzip2" | b"xz":
            return unbundled(bz2.BZ2Decompressor() if codec == b"bzip2" else lzma.LZMADecompressor(), packed)
    raise Unreadable("malformed", f"its codec is {codec!r}")


def unframed(framing: str, data: bytes) -> tuple[int | UUID | None, bytes]:
    """A schema's id, and what stands behind the frame. Raises Unreadable.

    Formats: Confluent's "Wire format", and AWS Glue's (AWSSchemaRegistryConstants of its client library).
    """
    if framing == "confluent":
        if data[:1] != b"\0" or len(data) < 5:
            raise Unreadable("malformed", "it does not begin with a 0 and four bytes of an id")
        return int.from_bytes(data[1:5], "big"), data[5:]
    if framing == "glue":
        if data[:2] not in (b"\3\0", b"\3\5") or len(data) < 18:
            raise Unreadable("malformed", "it does not begin with a 3, its packing and a UUID")
        content = inflated(data[18:], zlib.MAX_WBITS) if data[1] else data[18:]
        return UUID(bytes=data[2:18]), content
    return None, data
