"""Opaque texts that a client hands back: shard iterators and the tokens of listings.

Both carry when they were made, because both expire after 300 seconds, and a checksum, because a client that makes them
up or cuts them short has to be told.
"""

from base64 import b64decode, b64encode
from typing import TypeVar
from zlib import crc32

import msgspec

LIFETIME_MS = 300_000

Fields = TypeVar("Fields")


def seal(fields: msgspec.Struct) -> str:
    content = msgspec.json.encode(fields)
    return b64encode(b"%08x%b" % (crc32(content), content)).decode()


def unseal(token: str, kind: type[Fields]) -> Fields:
    """Raises ValueError for a text that `seal` did not make."""
    sealed = b64decode(token, validate=True)
    content = sealed[8:]
    if sealed[:8] != b"%08x" % crc32(content):
        raise ValueError("the checksum differs")
    return msgspec.json.decode(content, type=kind)
