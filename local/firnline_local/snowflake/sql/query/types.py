"""What type each part of a query has, as far as the translation has to know: what is semi-structured, what is exact.

sqlglot infers the types from those of the columns. It is told here what it would get wrong for Snowflake: that paths
lead to VARIANTs, that 1.5 is a NUMBER.
"""

from typing import Any

from sqlglot import exp
from sqlglot.dialects.snowflake import Snowflake
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.schema import MappingSchema

from firnline_local.snowflake.catalog.errors import NotKnown
from firnline_local.snowflake.catalog.types import DataType

SEMISTRUCTURED = {
    exp.DType.VARIANT: "VARIANT",
    exp.DType.OBJECT: "OBJECT",
    exp.DType.STRUCT: "OBJECT",
    exp.DType.ARRAY: "ARRAY",
    exp.DType.JSON: "VARIANT",
}


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
    return DataType.parse(kind.sql("snowflake"))


def scale(node: exp.Expr) -> int | None:
    """The digits behind the point of an exact number; None for a FLOAT. Raises NotKnown where it can't be told."""
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
    """A column's type as sqlglot has to be told: a precision would make nanoseconds of times, and they aren't kept."""
    return kind.family if kind.is_timestamp or kind.family == "TIME" else str(kind)
