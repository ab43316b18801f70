"""Messages of the encoding vnd.amazon.eventstream, as Smithy's "Amazon Event Stream Specification" describes it.

A message is its length, the length of its headers, a checksum of both, the headers, the payload, and a checksum of all.
"""

from struct import pack
from zlib import crc32

CONTENT_TYPE = "application/vnd.amazon.eventstream"
TEXT = 7  # the type of a header's value


def event(name: str, payload: bytes) -> bytes:
    return message({":message-type": "event", ":event-type": name, ":content-type": "application/json"}, payload)


def exception(name: str, payload: bytes) -> bytes:
    return message(
        {":message-type": "exception", ":exception-type": name, ":content-type": "application/json"}, payload
    )


def message(headers: dict[str, str], payload: bytes) -> bytes:
    encoded = b"".join(_header(name, value) for name, value in headers.items())
    prelude = pack(">II", 16 + len(encoded) + len(payload), len(encoded))
    whole = b"".join((prelude, pack(">I", crc32(prelude)), encoded, payload))
    return whole + pack(">I", crc32(whole))


def _header(name: str, value: str) -> bytes:
    named, text = name.encode(), value.encode()
    return pack(">B", len(named)) + named + pack(">BH", TEXT, len(text)) + text
