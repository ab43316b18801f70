"""Division and means of exact numbers: six more decimals than what they are made of, exact to the last.

docs.snowflake.com, `sql-reference/operators-arithmetic`: the scale of a quotient is that of the dividend plus six, at
most twelve unless the dividend's own is larger. DuckDB would answer with a double, so whole numbers are divided instead.
"""

from sqlglot import exp

from firnline_local.snowflake.catalog.errors import NotKnown
from firnline_local.snowflake.sql.query.casts import raw, text
from firnline_local.snowflake.sql.query.types import scale

ADDED_DIGITS = 6
MOST_DIGITS = 12


def lower_div(node: exp.Div) -> exp.Expr:
    dividend, divisor = scale(node.left), scale(node.right)
    if dividend is None or divisor is None:
        return raw(f"sf_quotient({text(node.left)}, {text(node.right)})")
    return raw(_exact_quotient(text(node.left), dividend, text(node.right), divisor))


def lower_avg(node: exp.Avg) -> exp.Expr:
    values = node.this
    digits = scale(values.expressions[0] if isinstance(values, exp.Distinct) else values)
    if digits is None:
        return node
    if isinstance(node.parent, exp.Window):
        raise NotKnown("AVG of exact numbers as a window function: cast them to FLOAT")
    count = f"nullif(count({text(values)}), 0)"
    return raw(_exact_quotient(f"sum({text(values)})", digits, count, 0))


def _exact_quotient(dividend: str, dividend_scale: int, divisor: str, divisor_scale: int) -> str:
    wanted = max(dividend_scale, min(dividend_scale + ADDED_DIGITS, MOST_DIGITS))
    shift = wanted - dividend_scale + divisor_scale
    whole = f"sf_ratio({_whole(dividend, dividend_scale)} * {10**shift}::HUGEINT, {_whole(divisor, divisor_scale)})"
    unit = f"CAST('1e-{wanted}' AS DECIMAL({wanted + 1}, {wanted}))"
    return f"(CAST({whole} AS DECIMAL(38, 0)) * {unit})"


def _whole(value: str, digits: int) -> str:
    """The number without its point."""
    shown = f"CAST(CAST({value} AS DECIMAL(38, {digits})) AS VARCHAR)"
    return f"CAST(replace({shown}, '.', '') AS HUGEINT)"
