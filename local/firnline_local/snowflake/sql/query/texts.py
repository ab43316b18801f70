"""Text functions, which take any value for its text: times and floats have another one in DuckDB."""

from sqlglot import exp

from firnline_local.snowflake.catalog.errors import NotKnown
from firnline_local.snowflake.sql.query.casts import raw, text

OTHERWISE_WRITTEN = (
    *exp.DataType.FLOAT_TYPES, exp.DType.TIMESTAMP, exp.DType.TIMESTAMPNTZ, exp.DType.TIMESTAMPLTZ, exp.DType.TIMESTAMPTZ,
    exp.DType.DATETIME, exp.DType.TIME, exp.DType.BINARY, exp.DType.VARBINARY,
)  # fmt: skip # a paragraph, not a column
TEXT_FUNCTIONS: tuple[type[exp.Expr], ...] = (
    exp.DPipe, exp.Concat, exp.Upper, exp.Lower, exp.Length, exp.Trim, exp.Substring, exp.Left, exp.Right, exp.Replace,
    exp.SplitPart, exp.StartsWith, exp.EndsWith, exp.Contains, exp.StrPosition, exp.Pad, exp.Repeat, exp.Reverse, exp.MD5,
    exp.SHA2, exp.RegexpLike,
)  # fmt: skip # a paragraph, not a column


def lower_text_function(node: exp.Expr) -> exp.Expr:
    for argument in list(node.iter_expressions()):
        if argument.is_type(*OTHERWISE_WRITTEN):
            argument.replace(raw(f"sf_text({text(argument)})"))
    return node


def lower_listagg(node: exp.GroupConcat) -> exp.Expr:
    """LISTAGG of nothing is an empty text."""
    if isinstance(node.parent, exp.Window):
        raise NotKnown("LISTAGG as a window function")
    return raw(f"coalesce({text(node)}, '')")
