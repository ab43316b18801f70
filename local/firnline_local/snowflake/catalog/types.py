"""Column types: what Snowflake calls them, and what the store keeps them as.

`str(type)` is Snowflake's canonical form (`NUMBER(38,0)`, `VARCHAR(16777216)`), as DESCRIBE shows it. Two things are
kept narrower than in a real account: times to the microsecond instead of the nanosecond, and TIMESTAMP_TZ as the
instant without its offset.
"""

import re
from dataclasses import dataclass

from firnline_local.snowflake.catalog.errors import CompilationFault, NotKnown

MAX_PRECISION = 38
MAX_VARCHAR = 16_777_216
MAX_BINARY = 8_388_608
MAX_TIME_PRECISION = 9

ALIASES = {
    "NUMBER": ("NUMBER", "DECIMAL", "DEC", "NUMERIC"),
    "INTEGER": ("INT", "INTEGER", "BIGINT", "SMALLINT", "TINYINT", "BYTEINT"),
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
}
FAMILY = {alias: family for family, aliases in ALIASES.items() for alias in aliases}

JSON_FAMILIES = frozenset({"VARIANT", "OBJECT", "ARRAY"})
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
}

SPELLING = re.compile(r"([A-Z_][A-Z0-9_ ]*?)\s*(?:\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DataType:
    """One type. `size` is a NUMBER's precision, a text's or binary's length, a time's fractional digits."""

    family: str
    """NUMBER, FLOAT, VARCHAR, BINARY, BOOLEAN, DATE, TIME, TIMESTAMP_NTZ, _LTZ, _TZ, VARIANT, OBJECT or ARRAY."""
    size: int | None = None
    scale: int = 0
    """Of a NUMBER."""

    @staticmethod
    def parse(text: str) -> "DataType":
        """Reads any spelling that Snowflake takes. Raises NotKnown for a type that is not in the table above."""
        match = SPELLING.fullmatch(text.strip())
        family = FAMILY.get(" ".join(match[1].upper().split())) if match else None
        if match is None or family is None:
            raise NotKnown(f"the type {text}")
        size = int(match[2]) if match[2] else None
        return _checked(family, size, int(match[3] or 0), text)

    @property
    def is_json(self) -> bool:
        """VARIANT, OBJECT or ARRAY: kept as JSON text."""
        return self.family in JSON_FAMILIES

    @property
    def is_timestamp(self) -> bool:
        return self.family in TIMESTAMP_FAMILIES

    @property
    def duckdb(self) -> str:
        return f"DECIMAL({self.size},{self.scale})" if self.family == "NUMBER" else DUCKDB[self.family]

    def __str__(self) -> str:
        if self.family == "NUMBER":
            return f"NUMBER({self.size},{self.scale})"
        return self.family if self.size is None else f"{self.family}({self.size})"


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
            return DataType("VARCHAR", _length(size or (1 if family == "CHAR" else MAX_VARCHAR), MAX_VARCHAR, text))
        case "BINARY":
            return DataType("BINARY", _length(size or MAX_BINARY, MAX_BINARY, text))
        case "TIME" | "TIMESTAMP_NTZ" | "TIMESTAMP_LTZ" | "TIMESTAMP_TZ":
            return DataType(family, _length(MAX_TIME_PRECISION if size is None else size, MAX_TIME_PRECISION, text))
        case _:
            return DataType(family)


def _length(size: int, longest: int, text: str) -> int:
    if size > longest:
        raise CompilationFault(f"Invalid length in type {text}: {longest} is the most.")
    return size
