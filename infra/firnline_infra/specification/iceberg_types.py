"""Types of an Iceberg table, by the version of its format, and what to declare in place of one that it lacks.

Source: docs.snowflake.com/en/user-guide/tables-iceberg-data-types, and for lengths of VARCHAR
user-guide/snowpipe-streaming/snowpipe-streaming-high-performance-iceberg.
"""

from firnline_infra.specification.column_type import STRUCTURES, ColumnType

WITH_VARIANT = 3
"""The first version of the format that has VARIANT and nanoseconds."""
MICROSECONDS, NANOSECONDS = (6,), (9,)
MOST_IN_A_COLUMN = 1000
"""Sub-columns of a structured type."""


SIZES = {
    "VARCHAR": (134_217_728,),
    "BINARY": (67_108_864,),
    **dict.fromkeys(("TIME", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ"), MICROSECONDS),
}
"""What Snowflake takes where none is written; the stock provider would write those of a standard table."""


def with_size(text: str) -> str:
    """A type as it has to be given to the provider, which never leaves a size out."""
    kind = ColumnType.parse(text)
    return text if kind.sizes or kind.family not in SIZES else f"{kind.family}({SIZES[kind.family][0]})"


def iceberg_lacks(kind: ColumnType, version: int) -> str | None:
    """Returns why a table of the version can't have a column of the type, and what it can have; None where it can."""
    if kind.family == "VARIANT":
        return None if version >= WITH_VARIANT else _variant(version)
    inside = list(kind.walk())
    if len(inside) - 1 > MOST_IN_A_COLUMN:
        return f"a column has {MOST_IN_A_COLUMN} sub-columns at most, and this type has {len(inside) - 1}"
    for each in inside:
        if each.family == "VARIANT":
            return "an Iceberg table has no VARIANT inside of another type; expected a structured type or VARCHAR"
        if why := _lacks_alone(each, version):
            return why
    return None


def _variant(version: int) -> str:
    return (
        f"version {version} of the Iceberg format has no VARIANT; expected iceberg_version: {WITH_VARIANT}, a structured type "
        f"(OBJECT(key TYPE, …), ARRAY(TYPE), MAP(VARCHAR, TYPE)) or VARCHAR"
    )


def _lacks_alone(kind: ColumnType, version: int) -> str | None:
    match kind.family:
        case family if family in STRUCTURES and not kind.parts:
            whole = "OBJECT(key TYPE, …) or MAP(VARCHAR, TYPE)" if family == "OBJECT" else "ARRAY(TYPE)"
            loose = ", or VARIANT for the whole column" if version >= WITH_VARIANT else ""
            return f"an Iceberg table has no {family} without its types; expected {whole}{loose}"
        case "TIMESTAMP_TZ":
            return "an Iceberg table has no TIMESTAMP_TZ; expected TIMESTAMP_LTZ, the instant without its offset"
        case "VARCHAR" if kind.sizes:
            return "streaming takes no VARCHAR of a length into an Iceberg table; expected VARCHAR"
        case "TIME" if kind.sizes not in ((), MICROSECONDS):
            return "an Iceberg table has microseconds; expected TIME"
        case "TIMESTAMP_NTZ" | "TIMESTAMP_LTZ" as family if kind.sizes not in ((), MICROSECONDS):
            if kind.sizes == NANOSECONDS and version >= WITH_VARIANT:
                return None
            more = "" if version < WITH_VARIANT else f" or {family}(9)"
            return f"version {version} of the Iceberg format has no {_written(kind)}; expected {family}(6){more}"
        case _:
            return None


def _written(kind: ColumnType) -> str:
    return f"{kind.family}({', '.join(map(str, kind.sizes))})"
