"""Many records at once, from newline-delimited JSON: one record a line, without the limits of PutRecords."""

from collections.abc import Callable
from hashlib import md5
from typing import Any

import msgspec

from firnline_local.kinesis.account import Account


def load(account: Account, stream_name: str, ndjson: bytes, *, key: str | None = None) -> int:
    """How many records it put. `key` names the top-level field that is the partition key; else each line's hash is.

    Raises ValueError, naming the line, before anything was put.
    """
    lines = [line for line in ndjson.splitlines() if line.strip()]
    keys = _keys(lines, key)
    with account.lock:
        stream = account.find(name=stream_name)
        now_ms = account.now_ms()
        is_encrypted = stream.settings.key_id is not None
        for line, partition_key in zip(lines, keys, strict=True):
            stream.route(partition_key).append(line, partition_key, now_ms=now_ms, is_encrypted=is_encrypted)
    return len(lines)


def _keys(lines: list[bytes], key: str | None) -> list[str]:
    if key is None:
        return [md5(line, usedforsecurity=False).hexdigest() for line in lines]
    read = _reader_of(key)
    keys = []
    for number, line in enumerate(lines, start=1):
        try:
            keys.append(read(line))
        except msgspec.MsgspecError as error:
            raise ValueError(f"line {number} has no partition key in {key!r}: {error}") from error
    return keys


def _reader_of(key: str) -> Callable[[bytes], str]:
    # Decodes that one field and skips the others, which is what makes loading fast.
    text_or_number: Any = str | int | float
    keyed: Any = msgspec.defstruct("Keyed", [("key", text_or_number)], rename={"key": key})
    decoder = msgspec.json.Decoder(keyed)
    return lambda line: str(decoder.decode(line).key)[:256]
