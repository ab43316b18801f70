"""Types of columns as Snowflake writes them: read, compared, and held against what Iceberg has.

Structured types are OBJECT(key TYPE, …), ARRAY(TYPE) and MAP(KEY, VALUE), each part with NOT NULL behind it or not
(`sql-reference/data-types-structured`); the keys of an object keep their case.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from firnline_ingest.config.identifier import RESERVED
from firnline_ingest.errors import nearest

Item = TypeVar("Item")
TOKEN = re.compile(r'\s*(?:"((?:[^"]|"")+)"|([A-Za-z_][\w$]*)|(\d+)|([(),]))', re.ASCII)
MOST_DIGITS = 10
PLAIN_KEY = r"[A-Za-z_][A-Za-z_0-9$]*"
WHOLE_NUMBERS = ("INTEGER", "BIGINT", "SMALLINT", "TINYINT", "BYTEINT")
"""Synonyms of NUMBER(38, 0) that take no size (`sql-reference/data-types-numeric`)."""
SYNONYMS = {
    **dict.fromkeys(("TEXT", "STRING"), "VARCHAR"),
    **dict.fromkeys(("DECIMAL", "NUMERIC", *WHOLE_NUMBERS), "NUMBER"),
    **dict.fromkeys(("DOUBLE", "REAL", "FLOAT4", "FLOAT8"), "FLOAT"),
}
ICEBERGS_OWN = {"INT": (10, 0), "LONG": (19, 0)}
"""Iceberg's own whole numbers, as DESCRIBE has them (`user-guide/tables-iceberg-data-types`). Outside of Iceberg INT is
NUMBER(38, 0), and there is no LONG."""
STRUCTURES = ("OBJECT", "ARRAY", "MAP")
FAMILIES = frozenset(
    ("NUMBER", "FLOAT", "VARCHAR", "BOOLEAN", "DATE", "TIME", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "TIMESTAMP_TZ", "BINARY",
     "VARIANT", *STRUCTURES, *ICEBERGS_OWN)
)  # fmt: skip # a paragraph, not a column
SIZES = {
    "NUMBER": ((1, 38), (0, 37)),
    "VARCHAR": ((1, 134_217_728),),
    "BINARY": ((1, 67_108_864),),
    **dict.fromkeys(("TIME", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "TIMESTAMP_TZ"), ((0, 9),)),
}
"""The least and the most of each size (`sql-reference/intro-summary-data-types`); other families have none."""
DEFAULT_SIZES = {"NUMBER": (38, 0)}
"""Sizes of a type that is written without any. The others depend on a parameter or on the kind of table."""


class NotAType(ValueError):
    """A text that is not a type of Snowflake's."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a structured type: a key of an object, the elements of an array, the keys or the values of a map."""

    type: "ColumnType"
    key: str = ""
    nullable: bool = True

    def __str__(self) -> str:
        is_plain = re.fullmatch(PLAIN_KEY, self.key) and self.key.upper() not in RESERVED
        key = self.key if is_plain else '"' + self.key.replace('"', '""') + '"'
        return f"{key + ' ' if self.key else ''}{self.type}{'' if self.nullable else ' NOT NULL'}"


@dataclass(frozen=True, slots=True)
class ColumnType:
    """One type; `sizes` are as they are written, none where nothing is. A text of it is written as Snowflake describes it."""

    family: str
    sizes: tuple[int, ...] = ()
    parts: tuple[Part, ...] = ()

    @classmethod
    def parse(cls, text: str) -> "ColumnType":
        """Raises NotAType."""
        try:
            return _Reader(text).whole()
        except RecursionError:
            raise NotAType("it is nested too deeply") from None

    def __str__(self) -> str:
        inside = ", ".join([*map(str, self.sizes), *map(str, self.parts)])
        return f"{self.family}({inside})" if inside else self.family

    def of_table(self, *, is_iceberg: bool) -> "ColumnType":
        """The type that a table of the kind has for it: INT is Iceberg's own, or NUMBER(38, 0)."""
        return ColumnType("NUMBER", (38, 0)) if self.family == "INT" and not is_iceberg else self

    def walk(self) -> "Iterator[ColumnType]":
        """Itself, and every type in it."""
        yield self
        for part in self.parts:
            yield from part.type.walk()

    def accepts(self, found: "ColumnType") -> bool:
        """Returns True if a column that DESCRIBE shows with type `found` has this type; sizes that are not written here may be
        any."""
        if self.family in ICEBERGS_OWN:
            return ColumnType("NUMBER", ICEBERGS_OWN[self.family]).accepts(found)
        return (
            self.family == found.family
            and self._meets_sizes(found)
            and len(self.parts) == len(found.parts)
            and all(
                (mine.key, mine.nullable) == (its.key, its.nullable) and mine.type.accepts(its.type)
                for mine, its in zip(self.parts, found.parts, strict=True)
            )
        )

    def _meets_sizes(self, found: "ColumnType") -> bool:
        if not self.sizes and self.family not in DEFAULT_SIZES:
            return True
        return _full(self) == _full(found)


def same_type(wanted: str, found: str) -> bool:
    """Returns whether DESCRIBE's `found` is the type that was asked for, however the two are written."""
    try:
        return ColumnType.parse(wanted).accepts(ColumnType.parse(found))
    except NotAType:
        return " ".join(wanted.upper().split()) == " ".join(found.upper().split())


def valid_type(text: str) -> str:
    """Returns the text if it is a type that a specification may have. Raises NotAType."""
    if unknown := {each.family for each in ColumnType.parse(text).walk()} - FAMILIES:
        near = nearest(word := min(unknown), FAMILIES | SYNONYMS.keys())
        raise NotAType(
            f"{word} is not a type; " + (f"did you mean {near}" if near else f"expected {', '.join(sorted(FAMILIES))}")
        )
    for each in ColumnType.parse(text).walk():
        if not _has_sizes_that_are_there(each):
            raise NotAType(f"{each.family}({', '.join(map(str, each.sizes))}) is not a type")
        if each.family == "MAP" and not each.parts[0].nullable:
            raise NotAType("the keys of a MAP are never NULL, and take no NOT NULL; write it on its values alone")
    return text


def _has_sizes_that_are_there(kind: ColumnType) -> bool:
    bounds = SIZES.get(kind.family, ())
    fits = all(least <= size <= most for size, (least, most) in zip(kind.sizes, bounds, strict=False))
    return len(kind.sizes) <= len(bounds) and fits and (len(kind.sizes) < 2 or kind.sizes[1] <= kind.sizes[0])


def _full(kind: ColumnType) -> tuple[int, ...]:
    if kind.family == "NUMBER" and len(kind.sizes) == 1:
        return (*kind.sizes, 0)
    return kind.sizes or DEFAULT_SIZES.get(kind.family, ())


class _Reader:
    """Reads a type from left to right, one token ahead."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def whole(self) -> ColumnType:
        found = self._type()
        if self._text[self._at :].strip():
            raise NotAType(f"{self._text[self._at :].strip()[:40]!r} is left over behind {self._text[: self._at]!r}")
        return found

    def _type(self) -> ColumnType:
        word = self._word("a type").upper()
        family = SYNONYMS.get(word, word)
        has_more = self._takes("(")
        if has_more and word in (*WHOLE_NUMBERS, *ICEBERGS_OWN):
            raise NotAType(f"{word} takes no size; expected {word}, or NUMBER with one")
        if not has_more:
            if family == "MAP":
                raise NotAType("MAP needs the types of its keys and values, as MAP(VARCHAR, FLOAT)")
            return ColumnType(family)
        if family not in STRUCTURES:
            return ColumnType(family, sizes=tuple(self._listed(self._number)))
        parts = tuple(self._listed(self._member if family == "OBJECT" else self._part))
        return _checked(ColumnType(family, parts=parts))

    def _member(self) -> Part:
        key = self._word("a key (in quotes, unless it has only plain letters, digits, _ and $)", quoted=True)
        part = self._part()
        return Part(part.type, key, part.nullable)

    def _part(self) -> Part:
        kind = self._type()
        is_required = self._takes("NOT")
        if is_required and not self._takes("NULL"):
            raise NotAType("NOT is followed by NULL")
        return Part(kind, nullable=not is_required)

    def _number(self) -> int:
        match = TOKEN.match(self._text, self._at)
        if match is None or match[3] is None:
            raise NotAType(f"a number is missing behind {self._text[: self._at]!r}")
        if len(match[3]) > MOST_DIGITS:
            raise NotAType(f"no size has as many digits as that behind {self._text[: self._at]!r}")
        self._at = match.end()
        return int(match[3])

    def _word(self, what: str, *, quoted: bool = False) -> str:
        match = TOKEN.match(self._text, self._at)
        word = match and (match[2] or (quoted and match[1] and match[1].replace('""', '"')))
        if match is None or not word:
            raise NotAType(f"{what} is missing behind {self._text[: self._at]!r}")
        self._at = match.end()
        return word

    def _takes(self, wanted: str) -> bool:
        match = TOKEN.match(self._text, self._at)
        if match is None or (match[4] or match[2] or "").upper() != wanted:
            return False
        self._at = match.end()
        return True

    def _listed(self, item: Callable[[], Item]) -> Iterator[Item]:
        yield item()
        while self._takes(","):
            yield item()
        if not self._takes(")"):
            raise NotAType(f"a comma or a closing parenthesis is missing behind {self._text[: self._at]!r}")


def _checked(kind: ColumnType) -> ColumnType:
    count = {"ARRAY": 1, "MAP": 2}.get(kind.family, len(kind.parts))
    if len(kind.parts) != count:
        raise NotAType(f"{kind.family} has {count} type{'s' if count > 1 else ''} in parentheses")
    keys = [part.key for part in kind.parts]
    if kind.family == "OBJECT" and (doubled := [key for key in keys if keys.count(key) > 1]):
        raise NotAType(f"the key {doubled[0]} is there twice")
    if kind.family == "MAP":
        of_keys = kind.parts[0].type
        is_whole = of_keys.family in ICEBERGS_OWN or (of_keys.family == "NUMBER" and _full(of_keys)[1] == 0)
        if of_keys.family != "VARCHAR" and not is_whole:
            raise NotAType("the keys of a MAP are VARCHAR, or NUMBER without digits behind the point")
    return kind
