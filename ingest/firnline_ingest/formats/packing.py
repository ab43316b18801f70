"""Packed records: expanded up to a limit, in steps that are small enough for whatever the bytes say of themselves."""

import zlib
from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import Field

from firnline_ingest.config.format import Format, Unpack
from firnline_ingest.formats.snappy import snappy
from firnline_ingest.records.rejection import Rejection, RejectReason, Unusable, too_large

if TYPE_CHECKING:
    from bz2 import BZ2Decompressor
    from lzma import LZMADecompressor

EXPANDED_BYTES = 10_485_760  # as much as the largest record of Kinesis has by itself
GZIP_WINDOW = 31  # zlib's: 15 bits, and the header of gzip
WINDOW_BYTES = 8 * 1024 * 1024  # RFC 8878 asks decoders for as much, and producers for no more
XZ_BYTES = 80_000_000  # of memory; the largest preset has a dictionary of 64 MB
STEP = 256  # a block of four bytes may stand for 128 KB: so a step makes 8 MB at most
NOTHING = b"\0\r\n"
"""What may stand behind packed data: padding, as gzip itself has it, and the line breaks of shippers that write lines."""
CONTENT = "RECORD_CONTENT"


class Compression(StrEnum):
    """The compression of a record."""

    NONE = "none"
    """As it is."""
    GZIP = "gzip"
    """gzip (RFC 1952), one member or several."""
    ZLIB = "zlib"
    """zlib (RFC 1950), one stream."""
    DEFLATE = "deflate"
    """deflate (RFC 1951) without a header, one stream."""
    ZSTD = "zstd"
    """Zstandard (RFC 8878), one frame or several, with a window of up to 8 MB."""
    SNAPPY = "snappy"
    """Snappy: one raw block, as Fluent Bit writes it, or a stream of the framing format."""


class PackedFormat(Format):
    """The base of the kinds whose records may be packed."""

    compression: Compression = Field(default=Compression.NONE, strict=False)
    """What a record is unpacked with first. One that has more than 10 MiB then is a dead letter."""

    def unpacker(self) -> Unpack | None:
        return unpacker(self.compression)


def unpacker(compression: Compression) -> Unpack | None:
    """Returns a function that raises Unusable for what is not packed so, is cut short, or is too much. None where nothing is to
    be done."""
    match compression:
        case Compression.NONE:
            return None
        case Compression.GZIP:
            return lambda data: _all(_gunzip(data))
        case Compression.ZLIB:
            return lambda data: _all(_one_stream(data, zlib.MAX_WBITS, "zlib"))
        case Compression.DEFLATE:
            return lambda data: _all(_one_stream(data, -zlib.MAX_WBITS, "deflate"))
        case Compression.ZSTD:
            return _zstd()
        case Compression.SNAPPY:
            return snappy(EXPANDED_BYTES)


def _all(pieces: Iterator[bytes]) -> bytes:
    found, size = list[bytes](), 0
    for piece in pieces:
        found.append(piece)
        size += len(piece)
        if size > EXPANDED_BYTES:
            raise too_large(f"it has more than {EXPANDED_BYTES:,} bytes when it is unpacked.")
    return b"".join(found)


def _gunzip(data: bytes) -> Iterator[bytes]:
    while data:
        member = zlib.decompressobj(GZIP_WINDOW)
        try:
            yield member.decompress(data, EXPANDED_BYTES + 1)
        except zlib.error as error:
            raise _not_packed(f"it is not gzip: {error}.") from error
        if not member.eof:
            raise _not_packed("its gzip is cut short.")
        data = member.unused_data.lstrip(NOTHING)


def _one_stream(data: bytes, window: int, name: str) -> Iterator[bytes]:
    stream = zlib.decompressobj(window)
    try:
        yield stream.decompress(data, EXPANDED_BYTES + 1)
    except zlib.error as error:
        raise _not_packed(f"it is not {name}: {error}.") from error
    if not stream.eof:
        raise _not_packed(f"its {name} is cut short.")
    if stream.unused_data.strip(NOTHING):
        raise _not_packed(f"something follows its {name}.")


def inflated(data: bytes) -> bytes:
    """Expands what deflate has packed, without a header (RFC 1951). Raises Unusable."""
    return _all(_inflated(data))


def unzipped(data: bytes) -> bytes:
    """Expands what zlib has packed (RFC 1950), and nothing behind it. Raises Unusable."""
    return _all(_unzipped(data))


def _unzipped(data: bytes) -> Iterator[bytes]:
    stream = zlib.decompressobj()
    try:
        yield stream.decompress(data, EXPANDED_BYTES + 1)
    except zlib.error as error:
        raise _not_packed(f"it is not zlib: {error}.") from error
    if not stream.eof or stream.unused_data:
        raise _not_packed("its zlib is cut short." if not stream.eof else "something follows its zlib.")


def _inflated(data: bytes) -> Iterator[bytes]:
    stream = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        yield stream.decompress(data, EXPANDED_BYTES + 1)
    except zlib.error as error:
        raise _not_packed(f"it is not deflate: {error}.") from error
    if not stream.eof:  # what follows is none of it: fastavro leaves a part of zlib's checksum there
        raise _not_packed("its deflate is cut short.")


def unpacked_bzip2(data: bytes) -> bytes:
    """Unpacks bzip2, one stream. Raises Unusable."""
    import bz2  # here, as lzma: the folder's files are loaded with each configuration

    return _all(_one_of(bz2.BZ2Decompressor(), data, "bzip2"))


def unpacked_xz(data: bytes) -> bytes:
    """Unpacks xz, one stream, with a dictionary of up to 64 MB. Raises Unusable."""
    import lzma

    return _all(_one_of(lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_BYTES), data, "xz"))


def _one_of(stream: "BZ2Decompressor | LZMADecompressor", data: bytes, name: str) -> Iterator[bytes]:
    from lzma import LZMAError

    try:
        yield stream.decompress(data, EXPANDED_BYTES + 1)
    except (OSError, ValueError, LZMAError) as error:
        raise _not_packed(f"it is not {name}: {error}.") from error
    if not stream.eof or stream.unused_data:
        raise _not_packed(f"its {name} is cut short." if not stream.eof else f"something follows its {name}.")


def _zstd() -> Unpack:
    from zstandard import ZstdDecompressor, ZstdError

    reader = ZstdDecompressor(max_window_size=WINDOW_BYTES)

    def expanded(data: bytes) -> Iterator[bytes]:
        while data:
            frame, rest = reader.decompressobj(), b""
            for start in range(0, len(data), STEP):
                try:
                    yield frame.decompress(data[start : start + STEP])
                except ZstdError as error:
                    raise _not_packed(f"it is not Zstandard: {error}.") from error
                if frame.eof:
                    rest = frame.unused_data + data[start + STEP :]
                    break
            if not frame.eof:
                raise _not_packed("its Zstandard frame is cut short.")
            data = rest

    return lambda data: _all(expanded(data))


def _not_packed(detail: str) -> Unusable:
    return Unusable(Rejection(RejectReason.NOT_PACKED, detail))
