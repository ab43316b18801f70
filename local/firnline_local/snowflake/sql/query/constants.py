"""DEFAULT expressions: constants, session-independent functions, and the time of the insert."""

from sqlglot import exp
from sqlglot.schema import MappingSchema

from firnline_local.snowflake.catalog.errors import NotKnown
from firnline_local.snowflake.catalog.types import DataType
from firnline_local.snowflake.sql.query.casts import converted
from firnline_local.snowflake.sql.query.compile import parse
from firnline_local.snowflake.sql.query.lowering import lower
from firnline_local.snowflake.sql.query.types import infer_types, semistructured_family
from firnline_local.snowflake.sql.query.vocabulary import refuse_unknown


def default_expression(text: str, target: DataType) -> str:
    """In DuckDB's SQL, as a value of the column's type. Raises NotKnown."""
    tree = parse(f"SELECT {text} AS X")
    value = tree.expressions[0].this
    if isinstance(value, exp.CurrentTimestamp):
        return f"CAST(now() AS {target.duckdb})"
    if any(tree.find_all(exp.Column, exp.Table, exp.Subquery)):
        raise NotKnown(f"the default {text}: only constants and CURRENT_TIMESTAMP")
    refuse_unknown(tree)
    infer_types(tree, MappingSchema(dialect="snowflake"))
    lower(tree)
    lowered = tree.expressions[0].this
    return converted(lowered.sql("duckdb"), semistructured_family(value), target)
