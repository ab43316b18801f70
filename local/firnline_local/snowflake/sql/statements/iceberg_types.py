"""Which types a column of an Iceberg table may have, by the format's version (user guide, `tables-iceberg-data-types`)."""

from dataclasses import replace

from firnline_local.snowflake.catalog import Column, DataType, SqlError
from firnline_local.snowflake.catalog.types import DEFAULT_VARCHAR, MAX_VARCHAR

FIRST_WITH_VARIANT = 3
MICROSECONDS, NANOSECONDS = 6, 9
MOST_IN_A_COLUMN = 1000
WHOLE_TEXT = (MAX_VARCHAR, DEFAULT_VARCHAR)
"""The second was the only one for years, and is what the stock provider writes for STRING."""


class NotInFormatVersion(SqlError):
    """The code is the one by which Snowflake's Kafka connector knows that VARIANT needs version 3."""

    code = "091386"

    def __init__(self, column: Column, version: int) -> None:
        super().__init__(
            f"SQL compilation error:\nUnsupported data type '{column.type}' for column '{column.name}' of an Iceberg table "
            f"of version {version}."
        )


def iceberg_column(column: Column, version: int) -> Column:
    """With the sizes that Iceberg has. Raises NotInFormatVersion."""
    kind = column.type.in_iceberg()
    inside = list(kind.walk())
    if not _is_there(kind, version) or len(inside) > MOST_IN_A_COLUMN:
        raise NotInFormatVersion(column, version)
    if any(each.family == "VARIANT" or not _is_there(each, version) for each in inside[1:]):
        raise NotInFormatVersion(column, version)
    return replace(column, type=kind)


def _is_there(kind: DataType, version: int) -> bool:
    match kind.family:
        case "VARIANT":
            return version >= FIRST_WITH_VARIANT
        case "OBJECT" | "ARRAY" | "MAP":
            return kind.is_structured
        case "TIMESTAMP_TZ":
            return False
        case "TIMESTAMP_NTZ" | "TIMESTAMP_LTZ":
            return kind.size == MICROSECONDS or (kind.size == NANOSECONDS and version >= FIRST_WITH_VARIANT)
        case "TIME":
            return kind.size == MICROSECONDS
        case "VARCHAR":
            return kind.size in WHOLE_TEXT
        case _:
            return True
