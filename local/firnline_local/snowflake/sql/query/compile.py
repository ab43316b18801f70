"""From a query as the client wrote it to one that DuckDB runs, with Snowflake's names and types for its columns.

Only parts of SQL whose translation to DuckDB was compared with what Snowflake documents go through; everything else is refused:
sqlglot would pass an unknown function through, and DuckDB might have another one of the same name.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.errors import OptimizeError, SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.schema import MappingSchema

from firnline_local.snowflake.catalog.errors import InvalidIdentifier, NotKnown, SqlError
from firnline_local.snowflake.catalog.types import DataType
from firnline_local.snowflake.sql.query.functions import answer_session_functions
from firnline_local.snowflake.sql.query.lowering import lower
from firnline_local.snowflake.sql.query.table_functions import FunctionRows
from firnline_local.snowflake.sql.query.tables import resolve_tables
from firnline_local.snowflake.sql.query.types import converted, infer_types, semistructured_family
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.statement import parse

STRUCTURE: tuple[type[exp.Expr], ...] = (
    exp.Select, exp.From, exp.Table, exp.TableAlias, exp.Identifier, exp.Column, exp.Star, exp.Alias, exp.Where, exp.Join,
    exp.Group, exp.Having, exp.Order, exp.Ordered, exp.Limit, exp.Distinct, exp.Qualify, exp.Subquery, exp.With, exp.CTE,
    exp.Union, exp.Values, exp.Tuple, exp.Window, exp.WindowSpec,
)  # fmt: skip # a paragraph, not a column
OPERATORS: tuple[type[exp.Expr], ...] = (
    exp.Literal, exp.Null, exp.Boolean, exp.Paren, exp.And, exp.Or, exp.Not, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT,
    exp.LTE, exp.Is, exp.In, exp.All, exp.Between, exp.Like, exp.ILike, exp.Case, exp.If, exp.Exists, exp.Add, exp.Sub, exp.Mul,
    exp.Div, exp.Mod, exp.Neg, exp.DPipe, exp.Cast, exp.DataType, exp.DataTypeParam, exp.Var,
)  # fmt: skip # a paragraph, not a column
SEMISTRUCTURED: tuple[type[exp.Expr], ...] = (
    exp.JSONExtract, exp.JSONPath, exp.JSONPathRoot, exp.JSONPathKey, exp.JSONPathSubscript, exp.Bracket, exp.ParseJSON,
    exp.Struct, exp.PropertyEQ, exp.Array,
)  # fmt: skip # a paragraph, not a column
FUNCTIONS: tuple[type[exp.Expr], ...] = (
    exp.Count, exp.Sum, exp.Min, exp.Max, exp.Avg, exp.RowNumber, exp.Coalesce, exp.Upper, exp.Lower, exp.Length, exp.Trim,
    exp.Substring, exp.Replace, exp.Concat, exp.Pad, exp.Abs, exp.Round, exp.ToNumber,
)  # fmt: skip # a paragraph, not a column
KNOWN = frozenset((*STRUCTURE, *OPERATORS, *SEMISTRUCTURED, *FUNCTIONS))

STAR_CLAUSES = ("except_", "ilike", "rename", "replace")


def refuse_unknown(tree: exp.Expr) -> None:
    """Raises NotKnown for the first part that is not in the tables above."""
    for node in tree.walk():
        if type(node) not in KNOWN:
            raise NotKnown(_called(node))
        if isinstance(node, exp.Star) and any(node.args.get(clause) for clause in STAR_CLAUSES):
            raise NotKnown(f"the clause of {node.sql('snowflake')}")
        if isinstance(node, exp.Union) and node.args.get("distinct"):
            raise NotKnown("UNION without ALL: SELECT DISTINCT from a UNION ALL")


def _called(node: exp.Expr) -> str:
    if isinstance(node, exp.Anonymous):
        return f"the function {node.name.upper()}"
    if isinstance(node, exp.Func):
        return f"the function {node.sql_name()}"
    return node.sql("snowflake")[:80] or type(node).__name__


OFFSET_TYPES = (exp.DType.TIMESTAMPTZ,)
NULL = "NULL"


@dataclass(frozen=True)
class Compiled:
    """A query for DuckDB."""

    sql: str
    names: Sequence[str]
    hints: Sequence[str | None]
    """For each column VARIANT, OBJECT, ARRAY, TIMESTAMP_TZ, which DuckDB's types don't tell apart, or NULL; else None."""
    functions: Sequence[FunctionRows]


def compile_query(context: Context, tree: exp.Expr, written: Sequence[str] = ()) -> Compiled:
    """`written` is how the columns without a name were written. Raises what Snowflake would, or NotKnown."""
    if not isinstance(tree, exp.Query):
        raise NotKnown(tree.sql("snowflake")[:80])
    _name_columns(tree, written)
    answer_session_functions(context, tree)
    try:
        sources = resolve_tables(context, tree)
        refuse_unknown(tree)
        schema = sources.schema()
        qualify(
            tree, dialect="snowflake", schema=schema, identify=True, validate_qualify_columns=True, expand_stars=True
        )
    except OptimizeError as error:
        raise _unresolved(error) from error
    infer_types(tree, schema)
    _refuse_clashing_names(tree)
    selects = tree.selects
    names = [select.alias_or_name for select in selects]
    hints = [_hint(select) for select in selects]
    try:
        lower(tree)
        return Compiled(tree.sql("duckdb"), names, hints, sources.functions)
    except SqlglotError as error:
        raise NotKnown(str(error)) from error


def _name_columns(tree: exp.Query, written: Sequence[str]) -> None:
    """Gives the columns of the outermost query the names that a real account would."""
    query = tree
    while isinstance(query, exp.SetOperation | exp.Subquery):
        query = query.this
    selects = query.selects
    if len(selects) != len(written):
        return
    for select, name in zip(selects, written, strict=True):
        if name and not isinstance(select, exp.Alias | exp.Column | exp.Star):
            query.set(
                "expressions",
                [exp.alias_(each, name, quoted=True) if each is select else each for each in query.expressions],
            )


def _hint(select: exp.Expr) -> str | None:
    if select.is_type(*OFFSET_TYPES):
        return "TIMESTAMP_TZ"
    return NULL if select.is_type(exp.DType.UNKNOWN, exp.DType.NULL) else semistructured_family(select)


def _refuse_clashing_names(tree: exp.Expr) -> None:
    """DuckDB can't tell the columns of a subquery apart by case; nor can anybody where they have the same name."""
    for subquery in tree.find_all(exp.Subquery, exp.CTE):
        names = [select.alias_or_name for select in subquery.this.selects]
        if len({name.casefold() for name in names}) < len(names):
            raise NotKnown(
                f"a subquery with two columns that differ in case only, or not at all: {', '.join(names)[:80]}"
            )


def _unresolved(error: OptimizeError) -> SqlError:
    parts = str(error).split("'")
    if "could not be resolved" in str(error) and len(parts) > 1:
        return InvalidIdentifier(parts[1])
    return NotKnown(str(error))


def default_expression(text: str, target: DataType) -> str:
    """A column's DEFAULT (a constant, or the time of the insert) in DuckDB's SQL, as a value of the column's type.

    Raises NotKnown.
    """
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
