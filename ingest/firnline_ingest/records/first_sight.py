"""The record that brought a first-level key for the first time, since the process reads its shard, and what its values are.

The keys are found where their list is judged, which is once a list; a page that brought some is looked through again.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec

from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rejection import Omitted, RejectedRecord, Unusable

Objects = Callable[[Record], Sequence[bytes]]
"""What a record holds; raises Unusable and Omitted."""
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


class JsonKind(StrEnum):
    """The kind of a key's value, as far as it decides the type of a column."""

    TEXT = "text"
    INTEGER = "integer"
    """A number without point or exponent, of as many digits as NUMBER(38, 0) holds."""
    NUMBER = "number"
    BOOLEAN = "boolean"
    OBJECT = "object"
    ARRAY = "array"
    NULL = "null"


KINDS = {
    b'"': JsonKind.TEXT,
    b"{": JsonKind.OBJECT,
    b"[": JsonKind.ARRAY,
    b"t": JsonKind.BOOLEAN,
    b"f": JsonKind.BOOLEAN,
    b"n": JsonKind.NULL,
}
MOST_DIGITS = 38  # of NUMBER (docs.snowflake.com/en/sql-reference/data-types-numeric)


class NewKey(NamedTuple):
    """A key that a table has no column for, as the records of one page have it."""

    kind: JsonKind
    record: int
    """The index of the first of them."""
    number: str = ""
    """The sequence number of that one."""
    records: int = 1
    """How many there are."""
    column: str = ""
    """The type of a column for it, as the record's schema declares it; empty where its values decide."""


def kind_of(value: msgspec.Raw) -> JsonKind:
    """Returns the kind of a JSON value. An integer that no NUMBER holds is text, which keeps its digits."""
    written = bytes(value)
    kind = KINDS.get(written[:1])
    if kind is not None:
        return kind
    digits = written.removeprefix(b"-")
    if not digits.isdigit():
        return JsonKind.NUMBER
    return JsonKind.INTEGER if len(digits) <= MOST_DIGITS else JsonKind.TEXT


def together(first: JsonKind, other: JsonKind) -> JsonKind:
    """Returns the kind whose column holds the values of both, where one of them does; else the first."""
    if first is JsonKind.NULL:
        return other
    return JsonKind.NUMBER if {first, other} == {JsonKind.INTEGER, JsonKind.NUMBER} else first


class NewKeys:
    """Collects the keys of one page that a table has no column for, by the table's name as in Rows.tables."""

    def __init__(self, is_new: Callable[[str, str], bool]) -> None:
        """`is_new` says whether a key of a table's row is to be collected; it is asked with the table's name and the key."""
        self._is_new = is_new
        self.found: dict[str, dict[str, NewKey]] = {}

    def add(self, table: str, index: int, documents: Sequence[bytes], number: str = "") -> None:
        """Adds the keys of a record's rows; `number` is its sequence number."""
        counted = set[str]()
        for document in documents:
            for key, value in _members(document).items():
                if self._is_new(table, key):
                    known = self.found.setdefault(table, {})
                    kind, before = kind_of(value), known.get(key)
                    if before:
                        more = before.records + (key not in counted)
                        known[key] = before._replace(kind=together(before.kind, kind), records=more)
                    else:
                        known[key] = NewKey(kind, index, number)
                    counted.add(key)


def first_sights(
    news: Sequence[str], records: Sequence[Record], rejected: Sequence[RejectedRecord], objects: Objects
) -> Mapping[str, tuple[int, JsonKind]]:
    """For each key, the index of the first record whose rows have it, and the kind of its value there. A key that only
    rejected records have is left out."""
    left, found = set(news), dict[str, tuple[int, JsonKind]]()
    not_rows = {each.index for each in rejected}
    for index, record in enumerate(records):
        if not left:
            break
        for members in () if index in not_rows else _levels(objects, record):
            for key in left & members.keys():
                found[key] = index, kind_of(members[key])
                left.discard(key)
    return found


def _levels(objects: Objects, record: Record) -> Sequence[dict[str, msgspec.Raw]]:
    try:
        return [_members(each) for each in objects(record)]
    except (Unusable, Omitted):
        return ()
