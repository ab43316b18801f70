"""Types of a query's parts, as far as the translation must know, and how a value becomes one of another type.

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
    **{kind: {"returns": exp.DType.VARIANT} for kind in (exp.JSONExtract, exp.Bracket, exp.ParseJSON)},
    exp.Struct: {"returns": exp.DType.OBJECT},
    exp.Array: {"returns": exp.DType.ARRAY},
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


def column_type(kind: DataType) -> str:
    """A column's type as sqlglot has to get it: a precision would make nanoseconds of times, and they aren't kept. What is
    structured is asked like what is not.
    """
    if kind.is_structured:
        return "ARRAY" if kind.family == "ARRAY" else "OBJECT"
    return kind.family if kind.is_timestamp or kind.family == "TIME" else str(kind)


def lower_cast(node: exp.Cast) -> exp.Expr:
    return _as(node, data_type(node.to))


def lower_to_number(node: exp.ToNumber) -> exp.Expr:
    """TO_NUMBER(x), also with precision and scale; without them sqlglot adds Snowflake's."""
    if node.args.get("format") or node.args.get("safe"):
        raise NotKnown(f"{node.sql('snowflake')[:60]}: only TO_NUMBER without a format")
    return _as(node, DataType("NUMBER", int(node.args["precision"].name), int(node.args["scale"].name)))


def _as(node: exp.Expr, target: DataType) -> exp.Expr:
    return raw(converted(text(node.this), semistructured_family(node.this), target))


def converted(value: str, source: str | None, target: DataType) -> str:
    """DuckDB's expression for a value as another type. `source` is VARIANT, OBJECT, ARRAY, or None for all others."""
    if target.is_json:
        return _as_json(value, source, target.family)
    if source is not None:
        value = f"json_extract_string({value}, '$')"
    match target.family:
        case "VARCHAR":
            shown = value if source is not None else f"sf_text({value})"
            return shown if target.size == DEFAULT_VARCHAR else f"sf_fit({shown}, {target.size})"
        case "NUMBER" if source is None:
            rounded = f"CAST(round(CAST({value} AS DOUBLE), {target.scale}) AS {target.duckdb})"
            return f"CASE typeof({value}) WHEN 'DOUBLE' THEN {rounded} ELSE CAST({value} AS {target.duckdb}) END"
        case "BINARY":
            return (
                f"CASE typeof({value}) WHEN 'BLOB' THEN CAST({value} AS BLOB) ELSE unhex(CAST({value} AS VARCHAR)) END"
            )
        case _:
            return f"CAST({value} AS {target.duckdb})"


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
