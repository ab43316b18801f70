"""The parts of SQL whose translation to DuckDB was compared with what Snowflake documents; everything else is refused.

sqlglot would pass an unknown function through, and DuckDB might have another one of the same name: a guess.
"""

from sqlglot import exp

from firnline_local.snowflake.catalog.errors import NotKnown
from firnline_local.snowflake.sql.query.semistructured import FlattenInput

STRUCTURE: tuple[type[exp.Expr], ...] = (
    exp.Select, exp.From, exp.Table, exp.TableAlias, exp.Identifier, exp.Column, exp.Star, exp.Alias, exp.Where, exp.Join,
    exp.Group, exp.Having, exp.Order, exp.Ordered, exp.Limit, exp.Offset, exp.Fetch, exp.LimitOptions, exp.Distinct, exp.Qualify,
    exp.Subquery, exp.With, exp.CTE, exp.Union, exp.Except, exp.Intersect, exp.Values, exp.Tuple, exp.Window,
    exp.WindowSpec,
)  # fmt: skip # a paragraph, not a column
OPERATORS: tuple[type[exp.Expr], ...] = (
    exp.Literal, exp.Null, exp.Boolean, exp.Paren, exp.And, exp.Or, exp.Not, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT,
    exp.LTE, exp.Is, exp.In, exp.All, exp.Any, exp.Between, exp.Like, exp.ILike, exp.Escape, exp.Case, exp.If, exp.Exists,
    exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Neg, exp.DPipe, exp.Cast, exp.TryCast, exp.DataType,
    exp.DataTypeParam, exp.NullSafeEQ, exp.NullSafeNEQ, exp.EqualNull, exp.Var,
)  # fmt: skip # a paragraph, not a column
SEMISTRUCTURED: tuple[type[exp.Expr], ...] = (
    exp.JSONExtract, exp.JSONPath, exp.JSONPathRoot, exp.JSONPathKey, exp.JSONPathSubscript, exp.Bracket, exp.GetExtract,
    exp.ParseJSON, exp.Struct, exp.PropertyEQ, exp.Array, exp.ArraySize, exp.Typeof, exp.JSONFormat, exp.ToVariant,
    exp.JSONKeys, exp.IsNullValue, FlattenInput,
)  # fmt: skip # a paragraph, not a column
AGGREGATES: tuple[type[exp.Expr], ...] = (
    exp.Count, exp.CountIf, exp.Sum, exp.Min, exp.Max, exp.Avg, exp.GroupConcat, exp.WithinGroup, exp.LogicalAnd,
    exp.LogicalOr, exp.ArgMin, exp.ArgMax, exp.AnyValue,
)  # fmt: skip # a paragraph, not a column
RANKINGS: tuple[type[exp.Expr], ...] = (exp.RowNumber, exp.Rank, exp.DenseRank, exp.Lag, exp.Lead)
FUNCTIONS: tuple[type[exp.Expr], ...] = (
    exp.Coalesce, exp.Nullif, exp.Nvl2, exp.DecodeCase, exp.Greatest, exp.Least, exp.Upper, exp.Lower, exp.Length,
    exp.Trim, exp.Substring, exp.Concat, exp.Left, exp.Right, exp.Replace, exp.SplitPart, exp.StartsWith, exp.EndsWith,
    exp.Contains, exp.StrPosition, exp.Pad, exp.Repeat, exp.Reverse, exp.MD5, exp.SHA2, exp.RegexpLike, exp.Hex,
    exp.Base64Encode, exp.ToBinary, exp.HexString, exp.Abs, exp.Round, exp.Floor, exp.Ceil, exp.Sign, exp.Pow, exp.Sqrt,
    exp.ToNumber, exp.ToDouble, exp.ToChar, exp.ToBoolean, exp.DateAdd, exp.DateDiff, exp.TimestampTrunc,
    exp.DateTrunc, exp.Extract, exp.Year, exp.Month, exp.Day, exp.Hour, exp.Minute, exp.Second, exp.Uuid,
)  # fmt: skip # a paragraph, not a column
KNOWN = frozenset((*STRUCTURE, *OPERATORS, *SEMISTRUCTURED, *AGGREGATES, *RANKINGS, *FUNCTIONS))

STAR_CLAUSES = ("ilike", "rename", "replace")


def refuse_unknown(tree: exp.Expr) -> None:
    """Raises NotKnown for the first part that is not in the tables above."""
    for node in tree.walk():
        if type(node) not in KNOWN:
            raise NotKnown(_called(node))
        if isinstance(node, exp.Star) and any(node.args.get(clause) for clause in STAR_CLAUSES):
            raise NotKnown(f"the clause of {node.sql('snowflake')}")


def _called(node: exp.Expr) -> str:
    if isinstance(node, exp.Anonymous):
        return f"the function {node.name.upper()}"
    if isinstance(node, exp.Func):
        return f"the function {node.sql_name()}"
    return node.sql("snowflake")[:80] or type(node).__name__
