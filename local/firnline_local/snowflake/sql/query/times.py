"""Arithmetic with dates and times, where DuckDB's result has another type or another rounding."""

from sqlglot import exp

from firnline_local.snowflake.catalog.errors import NotKnown
from firnline_local.snowflake.sql.query.casts import raw, text

WHOLE_DAYS = frozenset({"DAY", "WEEK", "MONTH", "QUARTER", "YEAR"})
EPOCHS = {"EPOCH_SECOND": 1_000_000, "EPOCH_MILLISECOND": 1_000, "EPOCH_MICROSECOND": 1}
"""Microseconds in each unit."""
PARTS = frozenset({"YEAR", "QUARTER", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"})


def lower_date_add(node: exp.DateAdd) -> exp.Expr:
    """A date plus days is a date."""
    is_date = node.this.is_type(exp.DType.DATE)
    unit = node.args["unit"].name.upper()
    return raw(f"CAST({text(node)} AS DATE)") if is_date and unit in WHOLE_DAYS else node


def lower_extract(node: exp.Extract) -> exp.Expr:
    """Seconds since 1970 are cut off, not rounded."""
    part = node.this.name.upper()
    if part in PARTS:
        return node
    if part not in EPOCHS:
        raise NotKnown(f"the part {part} of a time")
    return raw(f"CAST(floor(epoch_us({text(node.expression)}) / {EPOCHS[part]}) AS BIGINT)")
