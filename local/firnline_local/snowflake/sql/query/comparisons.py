"""Comparisons across types: with a VARIANT, and of text with numbers.

DuckDB would compare JSON text, and would round '5.4' to a whole number before comparing it with one.
"""

from decimal import Decimal, InvalidOperation

from sqlglot import exp

from firnline_local.snowflake.catalog.errors import DataFault, NotKnown
from firnline_local.snowflake.sql.query.casts import raw, text
from firnline_local.snowflake.sql.query.types import semistructured_family

AS_TEXT = (*exp.DataType.TEXT_TYPES, exp.DType.BOOLEAN, exp.DType.NULL, exp.DType.UNKNOWN)


def lower_comparison(node: exp.Expr) -> exp.Expr:
    sides = _sides(node)
    variants = [side for side in sides if semistructured_family(side) is not None]
    if variants:
        _compare_variants(variants, [side for side in sides if side not in variants])
    elif any(side.is_type(*exp.DataType.NUMERIC_TYPES) for side in sides):
        for side in sides:
            if side.is_type(*exp.DataType.TEXT_TYPES):
                side.replace(_as_number(side))
    return node


def _sides(node: exp.Expr) -> list[exp.Expr]:
    others = [node.args.get(key) for key in ("expression", "query", "low", "high")]
    return [side for side in (node.this, *node.args.get("expressions", []), *others) if isinstance(side, exp.Expr)]


def _compare_variants(variants: list[exp.Expr], rest: list[exp.Expr]) -> None:
    """With text or a boolean, a VARIANT is compared as such; with anything else it has to be cast."""
    if not rest or not all(side.is_type(*AS_TEXT) for side in rest):
        raise NotKnown(f"comparing a VARIANT with anything but text: cast it, as in {text(variants[0])[:40]}::NUMBER")
    for side in variants:
        side.replace(raw(f"json_extract_string({text(side)}, '$')"))


def _as_number(side: exp.Expr) -> exp.Expr:
    if not isinstance(side, exp.Literal):
        raise NotKnown(f"comparing the text {side.sql('snowflake')[:60]} with a number: cast one of them")
    try:
        number = exp.Literal.number(f"{Decimal(side.name):f}")
    except InvalidOperation as error:
        raise DataFault(f"Numeric value '{side.name}' is not recognized") from error
    return exp.Paren(this=number)
