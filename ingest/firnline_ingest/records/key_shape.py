"""Shapes of a payload's first-level keys: one column each, none of them the metadata's.

Records of a stream have few different lists of keys, so each list is judged once and remembered. The verdict is a
function of the list alone: forgetting it costs time, never another verdict.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple, Self
from unicodedata import ucd_3_2_0

import msgspec

from firnline_ingest.identifiers import MAX_CHARACTERS
from firnline_ingest.records.rejection import Rejection, RejectReason

MOST_NAMES = 300  # of a shard, that are reported: streams whose keys are data have a new one with every record
REMEMBERED_KEYS = 20_000  # about 2 MB a shard; streams whose keys are data would fill the memory otherwise
UNSEEN = {"Cc", "Cf", "Zl", "Zp"}
LATER_UNSEEN = "\u061c\u200b\u2066\u2067\u2068\u2069"  # format characters since Unicode 4.0 and 6.3

_encode = msgspec.json.Encoder().encode


class LackingKeys(NamedTuple):
    """The keys of one list that one table lacks."""

    unknown: int
    """How many have no column."""
    unanswered: int
    """Of those, how many nobody has tried to add a column for."""


@dataclass(frozen=True, slots=True)
class TableKeys:
    """The keys that have a column in a table, and those that can have none for now; each by its `column_key`."""

    columns: frozenset[str]
    refused: frozenset[str] = frozenset()
    gets_more: bool = False
    """True if columns are added for other keys."""

    @classmethod
    @lru_cache(maxsize=256)
    def of(cls, columns: tuple[str, ...]) -> Self:
        """The keys of a table that gets no other column."""
        return cls(frozenset(map(column_key, columns)))

    def is_unanswered(self, key: str) -> bool:
        """True if nobody has tried to add a column for it, and somebody may."""
        column = column_key(key)
        return self.gets_more and column not in self.columns and column not in self.refused

    def missing(self, keys: Iterable[str]) -> LackingKeys:
        lacking = [key for key in keys if column_key(key) not in self.columns]
        return LackingKeys(len(lacking), sum(map(self.is_unanswered, lacking)))


NOTHING_KNOWN: Mapping[str, LackingKeys] = MappingProxyType({})


class KeyShape(NamedTuple):
    """One list of distinct keys, in order: whether it can be columns, and what it adds to the values' own bytes."""

    fault: Rejection | None
    bytes_in_ascii: int
    """Of an object without any blank, in a payload of ASCII only, where every other character is an escape."""
    bytes_in_utf8: int
    """The same where characters are themselves."""
    spaced: list[bytes]
    """The object as Python's json writes it, with a hole for each value: `{"a": `, hole, `, "b": `, hole, `}`."""
    missing: Mapping[str, LackingKeys] = NOTHING_KNOWN
    """What each table lacks of the keys, by its name as in Rows.tables; of tables whose columns are known."""

    def spaced_around(self, values: Iterable[msgspec.Raw]) -> bytes:
        pieces: list[bytes | msgspec.Raw] = [*self.spaced]
        pieces[1::2] = values
        return b"".join(pieces)


class KeyShapes(dict[tuple[str, ...], KeyShape]):
    """Shapes by their keys; asking for one that is not known judges it. Not thread-safe: one shard, one thread."""

    def __init__(self, metadata_columns: Sequence[str]) -> None:
        super().__init__()
        self._reserved = {column_key(each): each for each in metadata_columns}
        self._tables: Mapping[str, TableKeys] = {}
        self._room = REMEMBERED_KEYS
        self._names: set[str] = set()
        self.news: list[str] = []
        """Keys that were not seen before, until the caller empties it; none past a number of them."""

    def __missing__(self, keys: tuple[str, ...]) -> KeyShape:
        shape = _measured(keys, _fault(keys, self._reserved))
        if self._tables:
            shape = shape._replace(missing={name: table.missing(keys) for name, table in self._tables.items()})
        if not shape.fault:
            self._note(keys)
        if len(keys) >= self._room:
            self.clear()
            self._room = REMEMBERED_KEYS
        if len(keys) < self._room:
            self[keys] = shape
            self._room -= len(keys) + 1
        return shape

    def set_tables(self, tables: Mapping[str, TableKeys]) -> None:
        """Takes what is known of the tables' columns; nothing of one where each key gets a column."""
        self.clear()
        self._room = REMEMBERED_KEYS
        self._tables = tables

    def _note(self, keys: Sequence[str]) -> None:
        if len(self._names) >= MOST_NAMES:
            return
        new = [key for key in keys if key not in self._names][: MOST_NAMES - len(self._names)]
        self._names.update(new)
        self.news += new


def column_key(key: str) -> str:
    """Equal for keys that may be one column to a case-insensitive match, whichever way letters are mapped.

    Rather one pair too many: a wrong dead letter can be replayed, a value that another one hid is lost.
    """
    return key.upper().casefold()


def _fault(keys: Sequence[str], reserved: Mapping[str, str]) -> Rejection | None:
    seen: dict[str, str] = {}
    for key in keys:
        if not key or len(key) > MAX_CHARACTERS or (not key.isprintable() and _unseen(key)):
            return Rejection(RejectReason.UNUSABLE_KEY, f"{_shown(key)} can't name a column: {_why_unusable(key)}.")
        column = column_key(key)
        if taken := reserved.get(column):
            return Rejection(RejectReason.METADATA_CLASH, f"the key {_shown(key)} is the metadata column {taken}.")
        if (other := seen.setdefault(column, key)) is not key:
            detail = f"the keys {_shown(other)} and {_shown(key)} are one column: names match whatever their case."
            return Rejection(RejectReason.DUPLICATE_KEY, detail)
    return None


def _why_unusable(key: str) -> str:
    if not key:
        return "it is empty"
    if "\0" in key:
        return "it holds a NUL"
    if unseen := _unseen(key):
        return f"it holds U+{ord(unseen):04X}, a control or format character"
    return f"it has {len(key)} characters, {MAX_CHARACTERS} are allowed"


def _unseen(key: str) -> str:
    """The first character that nobody sees: a control, a format or a line separator, by a Unicode that is the same for every
    Python. Snowflake's page of identifiers names none of them, and a table that evolves may refuse the whole channel for one.
    """
    return next((each for each in key if each in LATER_UNSEEN or ucd_3_2_0.category(each) in UNSEEN), "")


def _shown(key: str) -> str:
    return repr(key if len(key) <= 60 else key[:60] + "…")


def _measured(keys: Sequence[str], fault: Rejection | None) -> KeyShape:
    written = [_encode(key) for key in keys]
    text = b"".join(written).decode()
    escaped = sum(1 if character < "\x80" else 6 if character <= "\uffff" else 12 for character in text)
    around = 2 + len(keys) + max(0, len(keys) - 1)  # braces, colons, commas
    return KeyShape(fault, around + escaped, around + len(text.encode()), _spaced(written))


def _spaced(written: Sequence[bytes]) -> list[bytes]:
    start = b"{"
    pieces = []
    for key in written:
        pieces += [start + key + b": ", b""]
        start = b", "
    return [*pieces, b"}"] if pieces else [b"{}"]
