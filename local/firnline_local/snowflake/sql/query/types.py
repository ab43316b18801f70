"""What type each part of a query has, as far as the translation has to know, and how a value becomes one of another type.

sqlglot infers the types from those of the columns. This module corrects what it would get wrong for Snowflake: that paths
lead to VARIANTs, that 1.5 is a NUMBER. Casts of numbers round half away from zero; text keeps Snowflake's formats and never
loses its end.
"""

from typing import Any

from sqlglot import exp
from sqlglot.dialects.snowflake import Snowflake
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.schema import MappingSchema

from firnline_local.snowflake.catalog.errors import NotKnown
from firnline_local.snowflake.catalog.types import DEFAULT_VARCHAR, DataType

SEMISTRUCTURED = {
    exp.DType.VARIANT: "VARIANT",
    exp.DType.OBJECT: "OBJECT",
    exp.DType.STRUCT: "OBJECT",
    exp.DType.ARRAY: "ARRAY",
    exp.DType.JSON: "VARIANT",
}
FLOAT = DataType("FLOAT")


def _literal(annotator: Any, literal: exp.Literal) -> exp.Expr:
    """A number with a point and no exponent is exact."""
    text = literal.name
    exact = not literal.is_string and "." in text and "e" not in text.lower()
    if exact:
        kind = exp.DataType.build(f"DECIMAL(38, {len(text.rpartition('.')[2])})")
    else:
        kind = exp.DataType.build("VARCHAR" if literal.is_string else "DOUBLE" if "e" in text.lower() else "INT")
    annotated: exp.Expr = annotator._set_type(literal, kind)
    return annotated


METADATA: Any = {
    **Snowflake.EXPRESSION_METADATA,
    **{kind: {"returns": exp.DType.VARIANT} for kind in (exp.JSONExtract, exp.GetExtract, exp.Bracket, exp.ToVariant)},
    exp.ParseJSON: {"returns": exp.DType.VARIANT},
    exp.Struct: {"returns": exp.DType.OBJECT},
    exp.Array: {"returns": exp.DType.ARRAY},
    exp.JSONKeys: {"returns": exp.DType.ARRAY},
    exp.JSONFormat: {"returns": exp.DType.VARCHAR},
    exp.Literal: {"annotator": _literal},
}


def infer_types(tree: exp.Expr, schema: MappingSchema) -> None:
    """Annotates a qualified tree. Raises NotKnown for a column whose type stays in the dark."""
    annotate_types(tree, schema=schema, expression_metadata=METADATA, dialect="snowflake")
    values = {values.alias for values in tree.find_all(exp.Values)}  # a column of NULLs has no type, and needs none
    for column in tree.find_all(exp.Column):
        if (column.type is None or column.is_type(exp.DType.UNKNOWN)) and column.table not in values:
            raise NotKnown(f"the type of {column.sql('snowflake')}: cast it where it is made")


def semistructured_family(node: exp.Expr) -> str | None:
    """VARIANT, OBJECT or ARRAY; None for everything else."""
    kind = node.type
    return SEMISTRUCTURED.get(kind.this) if isinstance(kind, exp.DataType) else None


def data_type(kind: exp.DataType) -> DataType:
    """The type that a cast names. Raises NotKnown."""
    named = DataType.parse(kind.sql("snowflake"))
    if named.is_structured:
        raise NotKnown(f"a cast to {named}: structured types are columns' alone")
    return named


def scale(node: exp.Expr) -> int | None:
    """The digits behind the point of an exact number; None for a FLOAT. Raises NotKnown where it is unknown."""
    kind = node.type
    if not isinstance(kind, exp.DataType) or kind.this not in exp.DataType.NUMERIC_TYPES:
        raise NotKnown(f"arithmetic with {node.sql('snowflake')[:80]}: cast it to NUMBER or FLOAT")
    if kind.this in exp.DataType.FLOAT_TYPES:
        return None
    if isinstance(node, exp.Mul):
        left, right = scale(node.left), scale(node.right)
        return None if left is None or right is None else left + right
    if isinstance(node, exp.Add | exp.Sub):
        left, right = scale(node.left), scale(node.right)
        return None if left is None or right is None else max(left, right)
    if isinstance(node, exp.Paren | exp.Neg | exp.Sum | exp.Min | exp.Max | exp.Abs):
        return scale(node.this)
    return int(kind.expressions[1].name) if len(kind.expressions) > 1 else 0


def column_type(kind: DataType) -> str:
    """A column's type as sqlglot has to get it: a precision would make nanoseconds of times, and they aren't kept. What is
    structured is asked like what is not.
    """
    if kind.is_structured:
        return "ARRAY" if kind.family == "ARRAY" else "OBJECT"
    return kind.family if kind.is_timestamp or kind.family == "TIME" else str(kind)


def lower_cast(node: exp.Cast | exp.TryCast) -> exp.Expr:
    return _as(node, data_type(node.to), forgiving=isinstance(node, exp.TryCast))


def lower_conversion(node: exp.ToNumber | exp.ToDouble | exp.ToChar) -> exp.Expr:
    """TO_NUMBER, TO_DOUBLE, TO_CHAR and their TRY_ forms."""
    if node.args.get("format"):
        raise NotKnown(f"TO_{type(node).__name__[2:].upper()} with a format")
    if isinstance(node, exp.ToNumber):
        precision, scale = node.args.get("precision"), node.args.get("scale")
        target = DataType("NUMBER", int(precision.name) if precision else 38, int(scale.name) if scale else 0)
    else:
        target = FLOAT if isinstance(node, exp.ToDouble) else DataType("VARCHAR", DEFAULT_VARCHAR)
    return _as(node, target, forgiving=bool(node.args.get("safe")))


def _as(node: exp.Expr, target: DataType, *, forgiving: bool) -> exp.Expr:
    return raw(converted(text(node.this), semistructured_family(node.this), target, forgiving=forgiving))


def converted(value: str, source: str | None, target: DataType, *, forgiving: bool = False) -> str:
    """DuckDB's expression for a value as another type. `source` is VARIANT, OBJECT, ARRAY, or None for all others."""
    cast = "TRY_CAST" if forgiving else "CAST"
    if target.is_json:
        return _as_json(value, source, target.family)
    if source is not None:
        value = f"json_extract_string({value}, '$')"
    match target.family:
        case "VARCHAR":
            shown = value if source is not None else f"sf_text({value})"
            return shown if target.size == DEFAULT_VARCHAR else f"sf_fit({shown}, {target.size})"
        case "NUMBER" if source is None:
            rounded = f"{cast}(round({cast}({value} AS DOUBLE), {target.scale}) AS {target.duckdb})"
            return f"CASE typeof({value}) WHEN 'DOUBLE' THEN {rounded} ELSE {cast}({value} AS {target.duckdb}) END"
        case "BINARY":
            return f"CASE typeof({value}) WHEN 'BLOB' THEN {cast}({value} AS BLOB) ELSE unhex(CAST({value} AS VARCHAR)) END"
        case _:
            return f"{cast}({value} AS {target.duckdb})"


def _as_json(value: str, source: str | None, family: str) -> str:
    if source is None:
        if family != "VARIANT":
            raise NotKnown(f"a cast to {family} of what is not semi-structured")
        return f"to_json({value})"
    return value if family in ("VARIANT", source) else f"sf_{family.lower()}({value})"


def text(node: exp.Expr) -> str:
    """A part that was lowered already, as DuckDB's SQL."""
    return node.sql("duckdb")


def raw(sql: str) -> exp.Var:
    """DuckDB's SQL as a part of the tree."""
    return exp.Var(this=sql)
