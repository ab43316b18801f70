"""Rewrites what means something else in DuckDB than in Snowflake; the rest goes through sqlglot's own translation.

Works on a qualified and typed tree, from the leaves up. What a VARIANT may be used for without a cast is listed here:
comparing, sorting or adding JSON text would give answers that only look right.
"""

from collections.abc import Callable

from sqlglot import exp

from firnline_local.snowflake.catalog.errors import NotKnown
from firnline_local.snowflake.sql.query import variants
from firnline_local.snowflake.sql.query.casts import lower_cast, lower_to_char, lower_to_double, lower_to_number
from firnline_local.snowflake.sql.query.comparisons import lower_comparison
from firnline_local.snowflake.sql.query.flatten import FlattenInput, lower_join
from firnline_local.snowflake.sql.query.numbers import lower_avg, lower_div
from firnline_local.snowflake.sql.query.texts import TEXT_FUNCTIONS, lower_listagg, lower_text_function
from firnline_local.snowflake.sql.query.times import lower_date_add, lower_extract
from firnline_local.snowflake.sql.query.types import semistructured_family

SOURCES = (exp.From, exp.Join, exp.CTE, exp.SetOperation, exp.Exists)
"""Where a query is a source of rows, and not a value."""
COMPARISONS = (exp.EQ, exp.NEQ, exp.In)
ORDERINGS = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)
TAKE_VARIANTS = (
    exp.Select, exp.Alias, exp.Paren, exp.Subquery, exp.Cast, exp.TryCast, exp.JSONExtract, exp.GetExtract, exp.Bracket,
    exp.Is, exp.Count, exp.ParseJSON, exp.ArraySize, exp.Typeof, exp.JSONFormat, exp.ToVariant, exp.JSONKeys,
    exp.IsNullValue, exp.Struct, exp.PropertyEQ, exp.Array, exp.Tuple, FlattenInput, *COMPARISONS,
)  # fmt: skip # a paragraph, not a column

LOWERINGS: dict[type[exp.Expr], Callable[..., exp.Expr]] = {
    exp.Cast: lower_cast,
    exp.TryCast: lower_cast,
    exp.ToNumber: lower_to_number,
    exp.ToDouble: lower_to_double,
    exp.ToChar: lower_to_char,
    exp.Div: lower_div,
    exp.Avg: lower_avg,
    exp.DateAdd: lower_date_add,
    exp.Extract: lower_extract,
    exp.GroupConcat: lower_listagg,
    exp.JSONExtract: variants.lower_path,
    exp.GetExtract: variants.lower_path,
    exp.Bracket: variants.lower_path,
    exp.Struct: variants.lower_object_construct,
    exp.Array: variants.lower_array_construct,
    exp.ArraySize: variants.lower_array_size,
    exp.Typeof: variants.lower_typeof,
    exp.JSONKeys: variants.lower_object_keys,
    exp.ToVariant: variants.lower_to_variant,
    exp.JSONFormat: variants.lower_to_json,
    exp.ParseJSON: variants.lower_parse_json,
    exp.Join: lower_join,
    **dict.fromkeys((*COMPARISONS, *ORDERINGS), lower_comparison),
    **dict.fromkeys((*TEXT_FUNCTIONS, exp.Like, exp.ILike), lower_text_function),
}


def lower(tree: exp.Expr) -> None:
    """Makes of it, in place, a tree that sqlglot can write for DuckDB. Raises NotKnown."""
    for node in tree.walk():
        _refuse_bare_variants(node)
    nodes = list(tree.walk(bfs=False))
    for node in reversed(nodes):
        rule = LOWERINGS.get(type(node))
        if rule is not None:
            replacement = rule(node)
            if replacement is not node:
                replacement.type = node.type
                node.replace(replacement)


def _refuse_bare_variants(node: exp.Expr) -> None:
    parent = node.parent
    if semistructured_family(node) is None or parent is None or isinstance(node, exp.DataType):
        return
    if isinstance(node, exp.Query) and isinstance(parent, SOURCES):
        return
    distinct = isinstance(parent, exp.Select) and parent.args.get("distinct") is not None
    if not isinstance(parent, TAKE_VARIANTS) or distinct:
        where = "SELECT DISTINCT" if distinct else parent.sql("snowflake")[:60]
        value = node.unalias().sql("snowflake")[:60]
        raise NotKnown(f"{where}, where {value} is semi-structured: cast it first, as in {value}::VARCHAR")
