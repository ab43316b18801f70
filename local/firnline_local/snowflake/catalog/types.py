"""Column types: what Snowflake calls them, and what the store keeps them as.

`str(type)` is Snowflake's canonical form (`NUMBER(38,0)`, `OBJECT(a VARCHAR(16777216) NOT NULL)`), as DESCRIBE shows it. Two
things are kept narrower than in a real account: times to the microsecond instead of the nanosecond, and TIMESTAMP_TZ as the
instant without its offset.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from firnline_local.snowflake.catalog.errors import CompilationFault, NotKnown

MAX_PRECISION = 38
DEFAULT_VARCHAR, MAX_VARCHAR = 16_777_216, 134_217_728
DEFAULT_BINARY, MAX_BINARY = 8_388_608, 67_108_864
MAX_TIME_PRECISION = 9
ICEBERG_DEFAULTS = {
    "VARCHAR": MAX_VARCHAR,
    "BINARY": MAX_BINARY,
    **dict.fromkeys(("TIME", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "TIMESTAMP_TZ"), 6),
}
"""What an Iceberg column has where no size is written (user guide, `tables-iceberg-data-types`)."""
ICEBERGS_OWN = {"INT": 10, "LONG": 19}
"""Digits of Iceberg's own whole numbers, in its tables (the same page)."""

ALIASES = {
    "NUMBER": ("NUMBER", "DECIMAL", "DEC", "NUMERIC"),
    "INTEGER": ("INT", "LONG", "INTEGER", "BIGINT", "SMALLINT", "TINYINT", "BYTEINT"),
    "FLOAT": ("FLOAT", "FLOAT4", "FLOAT8", "DOUBLE", "DOUBLE PRECISION", "REAL"),
    "VARCHAR": ("VARCHAR", "STRING", "TEXT", "NVARCHAR", "NVARCHAR2", "CHAR VARYING", "NCHAR VARYING"),
    "CHAR": ("CHAR", "CHARACTER", "NCHAR"),
    "BINARY": ("BINARY", "VARBINARY"),
    "BOOLEAN": ("BOOLEAN",),
    "DATE": ("DATE",),
    "TIME": ("TIME",),
    "TIMESTAMP_NTZ": ("TIMESTAMP_NTZ", "TIMESTAMPNTZ", "TIMESTAMP WITHOUT TIME ZONE", "DATETIME", "TIMESTAMP"),
    "TIMESTAMP_LTZ": ("TIMESTAMP_LTZ", "TIMESTAMPLTZ", "TIMESTAMP WITH LOCAL TIME ZONE"),
    "TIMESTAMP_TZ": ("TIMESTAMP_TZ", "TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE"),
    "VARIANT": ("VARIANT",),
    "OBJECT": ("OBJECT",),
    "ARRAY": ("ARRAY",),
    "MAP": ("MAP",),
}
FAMILY = {alias: family for family, aliases in ALIASES.items() for alias in aliases}

JSON_FAMILIES = frozenset({"VARIANT", "OBJECT", "ARRAY", "MAP"})
TIMESTAMP_FAMILIES = frozenset({"TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "TIMESTAMP_TZ"})

DUCKDB = {
    "FLOAT": "DOUBLE",
    "VARCHAR": "VARCHAR",
    "BINARY": "BLOB",
    "BOOLEAN": "BOOLEAN",
    "DATE": "DATE",
    "TIME": "TIME",
    "TIMESTAMP_NTZ": "TIMESTAMP",
    "TIMESTAMP_LTZ": "TIMESTAMPTZ",
    "TIMESTAMP_TZ": "TIMESTAMPTZ",
    "VARIANT": "JSON",
    "OBJECT": "JSON",
    "ARRAY": "JSON",
    "MAP": "JSON",
}

SPELLING = re.compile(r"([A-Z_][A-Z0-9_ ]*?)\s*(?:\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\))?", re.IGNORECASE)


STRUCTURED = re.compile(r"(OBJECT|ARRAY|MAP)\s*\((.*)\)", re.IGNORECASE | re.DOTALL)
KEY = re.compile(r'(?:"((?:[^"]|"")+)"|([A-Za-z_][\w$]*))\s+(.*)', re.DOTALL)
NOT_NULL = re.compile(r"\s+NOT\s+NULL\s*\Z", re.IGNORECASE)
PLAIN_KEY = re.compile(r"[A-Za-z_][\w$]*")


@dataclass(frozen=True, slots=True)
class DataType:
    """One type. `size` is a NUMBER's precision, a text's or binary's length, a time's fractional digits."""

    family: str
    """NUMBER, FLOAT, VARCHAR, BINARY, BOOLEAN, DATE, TIME, TIMESTAMP_NTZ, _LTZ, _TZ, VARIANT, OBJECT, ARRAY or MAP."""
    size: int | None = None
    scale: int = 0
    """Of a NUMBER."""
    parts: "tuple[Part, ...]" = ()
    """Of a structured OBJECT its keys, of an ARRAY its elements, of a MAP its keys and its values; empty for every other."""
    is_sized: bool = field(default=True, compare=False)
    """True if the size was written, and not left to Snowflake."""
    word: str = field(default="", compare=False)
    """As the statement calls it."""

    @staticmethod
    def parse(text: str) -> "DataType":
        """Reads any spelling that Snowflake takes. Raises NotKnown for a type that is not in the table above."""
        if structured := STRUCTURED.fullmatch(text.strip()):
            return _structured(structured[1].upper(), structured[2])
        match = SPELLING.fullmatch(text.strip())
        word = " ".join(match[1].upper().split()) if match else ""
        family = FAMILY.get(word)
        if match is None or family is None or family == "MAP":
            raise NotKnown(f"the type {text}")
        size = int(match[2]) if match[2] else None
        return replace(_checked(family, size, int(match[3] or 0), text), is_sized=size is not None, word=word)

    def in_iceberg(self) -> "DataType":
        """The type in a column of an Iceberg table."""
        parts = tuple(replace(each, type=each.type.in_iceberg()) for each in self.parts)
        default = ICEBERGS_OWN.get(self.word) or ICEBERG_DEFAULTS.get(self.family, self.size)
        size = self.size if self.is_sized else default
        return replace(self, size=size, parts=parts)

    def walk(self) -> "Iterator[DataType]":
        """Itself, and every type in it."""
        yield self
        for each in self.parts:
            yield from each.type.walk()

    @property
    def is_structured(self) -> bool:
        return bool(self.parts)

    @property
    def is_json(self) -> bool:
        """VARIANT, OBJECT, ARRAY or MAP: kept as JSON text."""
        return self.family in JSON_FAMILIES

    @property
    def is_timestamp(self) -> bool:
        return self.family in TIMESTAMP_FAMILIES

    @property
    def duckdb(self) -> str:
        return f"DECIMAL({self.size},{self.scale})" if self.family == "NUMBER" else DUCKDB[self.family]

    def __str__(self) -> str:
        if self.parts:
            return f"{self.family}({', '.join(map(str, self.parts))})"
        if self.family == "NUMBER":
            return f"NUMBER({self.size},{self.scale})"
        return self.family if self.size is None else f"{self.family}({self.size})"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a structured type (`sql-reference/data-types-structured`)."""

    type: DataType
    key: str = ""
    """Of an OBJECT; its case counts."""
    nullable: bool = True

    def __str__(self) -> str:
        key = self.key if PLAIN_KEY.fullmatch(self.key) else '"' + self.key.replace('"', '""') + '"'
        return f"{key + ' ' if self.key else ''}{self.type}{'' if self.nullable else ' NOT NULL'}"


def _structured(family: str, inside: str) -> DataType:
    parts = tuple(_part(family, each) for each in _split(inside))
    if len(parts) != {"ARRAY": 1, "MAP": 2}.get(family, max(len(parts), 1)):
        raise CompilationFault(f"Invalid number of types in {family}({inside}).")
    keys = [each.key for each in parts]
    if family == "OBJECT" and len(set(keys)) < len(keys):
        raise CompilationFault(f"Duplicate key in type OBJECT({inside}).")
    if family == "MAP" and not (parts[0].nullable and _is_map_key(parts[0].type)):
        raise CompilationFault(f"Invalid key type {parts[0]} in type MAP: VARCHAR or a NUMBER of scale 0.")
    return DataType(family, parts=parts)


def _part(family: str, text: str) -> Part:
    bare = NOT_NULL.sub("", text)
    nullable = bare == text
    if family != "OBJECT":
        return Part(DataType.parse(bare), nullable=nullable)
    named = KEY.fullmatch(bare.strip())
    if named is None:
        raise CompilationFault(f"Invalid key in type OBJECT: {text.strip()}.")
    key = named[1].replace('""', '"') if named[1] else named[2]
    return Part(DataType.parse(named[3]), key, nullable)


def _is_map_key(kind: DataType) -> bool:
    return kind.family == "VARCHAR" or (kind.family == "NUMBER" and kind.scale == 0)


def _split(text: str) -> list[str]:
    """Splits at the commas that are neither in parentheses nor in quotes."""
    parts, depth, quoted = [""], 0, False
    for letter in text:
        quoted ^= letter == '"'
        depth += 0 if quoted else (letter == "(") - (letter == ")")
        if letter == "," and not depth and not quoted:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _checked(family: str, size: int | None, scale: int, text: str) -> DataType:
    match family:
        case "NUMBER":
            precision = size or MAX_PRECISION
            if precision > MAX_PRECISION or scale > min(precision, MAX_PRECISION - 1):
                raise CompilationFault(f"Invalid precision or scale in type {text}.")
            return DataType("NUMBER", precision, scale)
        case "INTEGER":
            return DataType("NUMBER", MAX_PRECISION, 0)
        case "CHAR" | "VARCHAR":
            return DataType("VARCHAR", _length(size or (1 if family == "CHAR" else DEFAULT_VARCHAR), MAX_VARCHAR, text))
        case "BINARY":
            return DataType("BINARY", _length(size or DEFAULT_BINARY, MAX_BINARY, text))
        case "TIME" | "TIMESTAMP_NTZ" | "TIMESTAMP_LTZ" | "TIMESTAMP_TZ":
            return DataType(family, _length(MAX_TIME_PRECISION if size is None else size, MAX_TIME_PRECISION, text))
        case _:
            return DataType(family)


def _length(size: int, longest: int, text: str) -> int:
    if size > longest:
        raise CompilationFault(f"Invalid length in type {text}: {longest} is the most.")
    return size
