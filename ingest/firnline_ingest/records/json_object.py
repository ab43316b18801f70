"""Checks that a payload is one JSON object that can be a row. It is checked in place; its values are never rebuilt.

Keys are seen by decoding the first level alone. A dict hides exact duplicates, so sizes are compared: without blanks
between them, the keys and values that were seen account for every byte of the payload.
"""

import json
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import msgspec

from firnline_ingest.nesting import MAX_DEPTH, is_too_deep
from firnline_ingest.records.first_level import FirstLevel
from firnline_ingest.records.key_shape import NOTHING_KNOWN, KeyShape, TableKeys
from firnline_ingest.records.rejection import Rejection, RejectReason, Unusable

LINE_FEED, CARRIAGE_RETURN = 10, 13
SHALLOW = 2 * (MAX_DEPTH - 1)  # a first-level value of so many bytes can't be too deep
SHALLOW_WHOLE = 2 * MAX_DEPTH  # nor a payload of so many

_raw = msgspec.json.Decoder(msgspec.Raw).decode
_TOO_DEEP = Rejection(RejectReason.TOO_DEEP, f"it is nested deeper than {MAX_DEPTH} levels.")
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_KNOWN_STARTS = {
    b"\xef\xbb\xbf": "a byte order mark",
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\xf3\x89\x9a\xc2": "a KPL aggregate",
}


class JsonObjectCheck:
    """Checks one shard's records; what it remembers of them makes it faster, and changes neither a verdict nor a byte."""

    def __init__(self, metadata_columns: Sequence[str]) -> None:
        self._first_level = FirstLevel(metadata_columns)
        self.missing = NOTHING_KNOWN
        """What tables lack of the keys of the payload that was checked last, as in KeyShape."""

    def __call__(self, payload: bytes, *, is_minified: bool = False) -> bytes:
        """The payload on one line: as it is, or minified. Raises Unusable."""
        if LINE_FEED in payload or CARRIAGE_RETURN in payload:
            return self(minified(payload), is_minified=True)
        try:
            shape, values = self._first_level(payload)
            if not (is_ascii := payload.isascii()):
                payload.decode()  # msgspec decodes the keys only; what it skips may be any bytes
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise Unusable(fault_of(payload, error)) from error
        if shape.fault:
            raise Unusable(shape.fault)
        self.missing = shape.missing
        size = sum(map(len, values))
        if size > SHALLOW and max(map(len, values)) > SHALLOW and is_too_deep(payload):
            raise Unusable(_TOO_DEEP)
        surplus = len(payload) - size - (shape.bytes_in_ascii if is_ascii else shape.bytes_in_utf8)
        if surplus == 0 or (surplus == 2 * len(values) - 1 and self._is_spaced(payload, shape, values)):
            return payload
        if not is_minified:
            return self(minified(payload), is_minified=True)
        _refuse_duplicates(payload)
        return payload

    def set_tables(self, tables: Mapping[str, TableKeys]) -> None:
        """Takes what is known of the tables' columns."""
        self._first_level.set_tables(tables)

    @property
    def news(self) -> list[str]:
        """First-level keys that no payload before had; the caller that reports them empties it."""
        return self._first_level.news

    def _is_spaced(self, payload: bytes, shape: KeyShape, values: Collection[msgspec.Raw]) -> bool:
        """Returns whether the payload is as Python's json writes it: a blank after each colon and comma, and no other."""
        if shape.spaced_around(values) == payload:
            return True
        shape, values = self._first_level.in_order(payload)
        return shape.spaced_around(values) == payload


def check_any_json(payload: bytes) -> bytes:
    """The payload as it is, JSON of any kind, for pipelines whose transforms make objects of it. Raises Unusable."""
    try:
        _raw(payload)
        if not payload.isascii():
            payload.decode()  # msgspec skips texts, and what it skips may be any bytes
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Unusable(fault_of(payload, error)) from error
    if len(payload) > SHALLOW_WHOLE and is_too_deep(payload):
        raise Unusable(_TOO_DEEP)
    return payload


def minified(payload: bytes) -> bytes:
    """The JSON on one line, without blanks. Raises Unusable if it is not JSON."""
    try:
        return msgspec.json.format(payload, indent=-1)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise Unusable(fault_of(payload, error)) from error


def _refuse_duplicates(payload: bytes) -> None:
    """The slow way, for keys with escapes that they don't need: every one of the first level is looked at."""
    keys = json.loads(payload, object_pairs_hook=_keys, parse_int=str, parse_float=str)
    key, count = Counter(keys).most_common(1)[0]
    if count > 1:
        raise Unusable(Rejection(RejectReason.DUPLICATE_KEY, f"the key {key[:60]!r} occurs {count} times."))


def _keys(pairs: list[tuple[str, object]]) -> list[str]:
    return [key for key, _ in pairs]


def fault_of(payload: bytes, error: Exception) -> Rejection:
    """Returns why it is not a JSON object, by what msgspec says of it."""
    if not payload.strip():
        return Rejection(RejectReason.EMPTY, "it has no content.")
    for start, name in _KNOWN_STARTS.items():
        if payload.startswith(start):
            return Rejection(RejectReason.NOT_JSON, f"it begins like {name}.")
    if isinstance(error, UnicodeDecodeError):
        return Rejection(RejectReason.INVALID_UTF8, f"it is not UTF-8 from byte {_first_bad_byte(payload)} on.")
    if isinstance(error, RecursionError):
        return _TOO_DEEP
    if isinstance(error, msgspec.ValidationError):
        return Rejection(RejectReason.NOT_AN_OBJECT, f"{error}.".replace("`", ""))
    if _has_half_a_pair(payload):
        return Rejection(RejectReason.NOT_JSON, "it has half of a surrogate pair, which is not a character.")
    return Rejection(RejectReason.NOT_JSON, f"{error}.")


def _has_half_a_pair(payload: bytes) -> bool:
    """Returns whether it would be JSON but for that; msgspec says that it was truncated, or where the next character is."""
    if _SURROGATE.search(payload) is None:
        return False
    try:
        json.dumps(json.loads(payload), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    except (ValueError, RecursionError):
        return False
    return False


def _first_bad_byte(payload: bytes) -> int:
    """The offset of the first bad byte in the payload; msgspec counts from the start of a key."""
    try:
        payload.decode()
    except UnicodeDecodeError as error:
        return error.start
    return len(payload)
