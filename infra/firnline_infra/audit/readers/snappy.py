"""Snappy by its two pages (format_description.txt and framing_format.txt of github.com/google/snappy), a step an element."""

from collections.abc import Iterator

from firnline_infra.audit.readers.json_model import Unreadable

IDENTIFIER = b"\xff\x06\x00\x00sNaPpY"


def unsnapped(data: bytes, most: int) -> bytes:
    """A raw block, or a stream where it begins as one. Raises Unreadable."""
    return block(data, most) if data[:10] != IDENTIFIER else b"".join(_chunks(data, most))


def block(data: bytes, most: int) -> bytes:
    """Unpacks one raw block. Raises Unreadable."""
    size, at = _varint(data)
    if size > most:
        raise Unreadable("too-large", f"it has more than {most:,} bytes when it is unpacked")
    made = bytearray()
    while at < len(data):
        tag, at = data[at], at + 1
        if tag & 3 == 0:
            length, at = _literal(data, at, tag >> 2)
            made += data[at : at + length]
            if at + length > len(data):
                raise _broken()
            at += length
            continue
        length, width = ((tag >> 2 & 7) + 4, 1) if tag & 3 == 1 else ((tag >> 2) + 1, 2 if tag & 3 == 2 else 4)
        offset = int.from_bytes(data[at : at + width], "little") | ((tag >> 5) << 8 if tag & 3 == 1 else 0)
        at += width
        if not 0 < offset <= len(made) or at > len(data):
            raise _broken()
        for _ in range(length) if offset < length else ():
            made.append(made[-offset])
        if offset >= length:
            start = len(made) - offset
            made += made[start : start + length]
        if len(made) > size:
            raise _broken()
    if len(made) != size:
        raise _broken()
    return bytes(made)


def _literal(data: bytes, at: int, size: int) -> tuple[int, int]:
    """The length of a literal, and where it begins."""
    if size < 60:
        return size + 1, at
    more = size - 59
    return int.from_bytes(data[at : at + more], "little") + 1, at + more


def _varint(data: bytes) -> tuple[int, int]:
    value = 0
    for index, byte in enumerate(data[:5]):
        value |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return value, index + 1
    raise _broken()


def _chunks(data: bytes, most: int) -> Iterator[bytes]:
    at = made = 0
    while at < len(data) and data[at:].strip(b"\0\r\n"):
        kind, size = data[at], int.from_bytes(data[at + 1 : at + 4], "little")
        body = data[at + 4 : at + 4 + size]
        if len(body) < size or len(data) < at + 4:
            raise _broken()
        at += 4 + size
        if kind in (0, 1):
            content = block(body[4:], 65_536) if kind == 0 else body[4:]
            if int.from_bytes(body[:4], "little") != _masked(_crc32c(content)):
                raise _broken()
            made += len(content)
            if made > most:
                raise Unreadable("too-large", f"it has more than {most:,} bytes when it is unpacked")
            yield content
        elif (kind == 0xFF and body != IDENTIFIER[4:]) or 2 <= kind < 0x80:
            raise _broken()


def _row(value: int) -> int:
    for _ in range(8):
        value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    return value


TABLE = tuple(map(_row, range(256)))


def _crc32c(data: bytes) -> int:
    value = 0xFFFFFFFF
    for byte in data:
        value = TABLE[(value ^ byte) & 0xFF] ^ value >> 8
    return value ^ 0xFFFFFFFF


def _masked(value: int) -> int:
    return ((value >> 15 | value << 17) + 0xA282EAD8) & 0xFFFFFFFF


def _broken() -> Unreadable:
    return Unreadable("not-packed", "it is not a snappy")
