"""Casts. Numbers round half away from zero, text keeps Snowflake's formats and never loses its end."""

from sqlglot import exp

from firnline_local.snowflake.catalog.errors import NotKnown
from firnline_local.snowflake.catalog.types import MAX_VARCHAR, DataType
from firnline_local.snowflake.sql.query.types import data_type, semistructured_family

FLOAT = DataType("FLOAT")


def lower_cast(node: exp.Cast | exp.TryCast) -> exp.Expr:
    target = data_type(node.to)
    source = semistructured_family(node.this)
    return raw(converted(text(node.this), source, target, forgiving=isinstance(node, exp.TryCast)))


def lower_to_number(node: exp.ToNumber) -> exp.Expr:
    if node.args.get("format"):
        raise NotKnown("TO_NUMBER with a format")
    precision, scale = node.args.get("precision"), node.args.get("scale")
    target = DataType("NUMBER", int(precision.name) if precision else 38, int(scale.name) if scale else 0)
    return raw(
        converted(text(node.this), semistructured_family(node.this), target, forgiving=bool(node.args.get("safe")))
    )


def lower_to_double(node: exp.ToDouble) -> exp.Expr:
    if node.args.get("format"):
        raise NotKnown("TO_DOUBLE with a format")
    return raw(
        converted(text(node.this), semistructured_family(node.this), FLOAT, forgiving=bool(node.args.get("safe")))
    )


def lower_to_char(node: exp.ToChar) -> exp.Expr:
    if node.args.get("format"):
        raise NotKnown("TO_CHAR with a format")
    return raw(converted(text(node.this), semistructured_family(node.this), DataType("VARCHAR", MAX_VARCHAR)))


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
            return shown if target.size == MAX_VARCHAR else f"sf_fit({shown}, {target.size})"
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
