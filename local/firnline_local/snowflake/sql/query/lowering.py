"""Rewrites what means something else in DuckDB than in Snowflake; the rest goes through sqlglot's own translation.

Works on a qualified and typed tree, from the leaves up. What a VARIANT may be used for without a cast is listed here:
comparing, sorting or adding JSON text would give answers that only look right.
"""

import json
from collections.abc import Callable
from decimal import Decimal, InvalidOperation

from sqlglot import exp

from firnline_local.snowflake.catalog.errors import DataFault, NotKnown
from firnline_local.snowflake.catalog.store import Store
from firnline_local.snowflake.sql.query.types import lower_cast, lower_to_number, raw, semistructured_family, text

AS_TEXT = (*exp.DataType.TEXT_TYPES, exp.DType.BOOLEAN, exp.DType.NULL, exp.DType.UNKNOWN)
OTHERWISE_WRITTEN = (
    *exp.DataType.FLOAT_TYPES, exp.DType.TIMESTAMP, exp.DType.TIMESTAMPNTZ, exp.DType.TIMESTAMPLTZ, exp.DType.TIMESTAMPTZ,
    exp.DType.DATETIME, exp.DType.TIME, exp.DType.BINARY, exp.DType.VARBINARY,
)  # fmt: skip # a paragraph, not a column
TEXT_FUNCTIONS: tuple[type[exp.Expr], ...] = (
    exp.DPipe, exp.Concat, exp.Upper, exp.Lower, exp.Length, exp.Trim, exp.Substring, exp.Replace, exp.Pad, exp.Like,
    exp.ILike,
)  # fmt: skip # a paragraph, not a column
SOURCES = (exp.From, exp.Join, exp.CTE, exp.SetOperation, exp.Exists)
"""Parents under which a query is a source of rows, not a value."""
COMPARISONS = (exp.EQ, exp.NEQ, exp.In)
ORDERINGS = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)
TAKE_VARIANTS = (
    exp.Select, exp.Alias, exp.Paren, exp.Subquery, exp.Cast, exp.JSONExtract, exp.Bracket, exp.Is, exp.Count, exp.ParseJSON,
    exp.Struct, exp.PropertyEQ, exp.Array, exp.Tuple, *COMPARISONS,
)  # fmt: skip # a paragraph, not a column


def lower_comparison(node: exp.Expr) -> exp.Expr:
    """Across types: DuckDB would compare the JSON text of a VARIANT, and round '5.4' before comparing it with a whole number."""
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
    """Compares a VARIANT with text or a boolean as such; with anything else it has to be cast."""
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


def lower_div(node: exp.Div) -> exp.Expr:
    _require_float(node, node.left, node.right)
    return raw(f"sf_quotient({text(node.left)}, {text(node.right)})")


def lower_avg(node: exp.Avg) -> exp.Expr:
    _require_float(node, node.this)
    return node


def _require_float(node: exp.Expr, *parts: exp.Expr) -> None:
    """Quotients and averages of exact numbers are exact in Snowflake, with digits by rules of their own, and not in DuckDB."""
    if not any(part.is_type(*exp.DataType.FLOAT_TYPES) for part in parts):
        shown = node.sql("snowflake")[:60]
        raise NotKnown(f"{shown}, which would be an exact number: cast to FLOAT, as in {text(parts[0])[:40]}::FLOAT")


def lower_text_function(node: exp.Expr) -> exp.Expr:
    """Text functions take any value as its text, and DuckDB writes times, floats and binary values differently."""
    for argument in list(node.iter_expressions()):
        if argument.is_type(*OTHERWISE_WRITTEN):
            argument.replace(raw(f"sf_text({text(argument)})"))
    return node


def lower_path(node: exp.JSONExtract | exp.Bracket) -> exp.Expr:
    """`v:a.b[0]`, `v['a']`: keys keep their case, what isn't there is NULL."""
    if isinstance(node, exp.JSONExtract):
        steps = [_path_step(part) for part in node.expression.expressions if not isinstance(part, exp.JSONPathRoot)]
    else:
        steps = [_literal_step(key) for key in node.expressions]
    path = "$" + "".join(steps)
    return raw(f"json_extract({text(node.this)}, {_quoted(path)})")


def lower_object_construct(node: exp.Struct) -> exp.Expr:
    """OBJECT_CONSTRUCT leaves out what is NULL."""
    members = [
        f"to_json({_key(member)})::VARCHAR || ':' || to_json({text(member.expression)})::VARCHAR"
        for member in node.expressions
    ]
    return raw(f"CAST('{{' || array_to_string([{', '.join(members)}]::VARCHAR[], ',') || '}}' AS JSON)")


def lower_array_construct(node: exp.Array) -> exp.Expr:
    return raw(f"json_array({', '.join(text(element) for element in node.expressions)})")


def lower_parse_json(node: exp.ParseJSON) -> exp.Expr:
    if node.args.get("safe"):
        raise NotKnown("TRY_PARSE_JSON")
    value = f"json_extract_string({text(node.this)}, '$')" if semistructured_family(node.this) else text(node.this)
    return raw(f"CAST({value} AS JSON)")


def _path_step(part: exp.Expr) -> str:
    if isinstance(part, exp.JSONPathKey) and isinstance(part.this, str):
        return "." + json.dumps(part.this, ensure_ascii=False)
    if isinstance(part, exp.JSONPathSubscript) and isinstance(part.this, int):
        return f"[{part.this}]"
    if isinstance(part, exp.JSONPathSubscript) and isinstance(part.this, str):
        return "." + json.dumps(part.this, ensure_ascii=False)
    raise NotKnown(f"the path {part}")


def _literal_step(key: exp.Expr) -> str:
    if not isinstance(key, exp.Literal):
        raise NotKnown(f"a path with the computed key {key.sql('snowflake')[:60]}")
    return "." + json.dumps(key.name, ensure_ascii=False) if key.is_string else f"[{key.name}]"


def _key(member: exp.Expr) -> str:
    if isinstance(member, exp.PropertyEQ) and isinstance(member.this, exp.Identifier | exp.Literal):
        return _quoted(member.this.name)
    raise NotKnown("OBJECT_CONSTRUCT with computed keys")


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


NTZ_FORMAT = "%Y-%m-%d %H:%M:%S.%g"

# Functions that DuckDB lacks. They tell types apart by `typeof`, so that they are right for any argument, and complain in
# Snowflake's words.
MACROS = (
    # A value as text: VARCHAR's casts of times have milliseconds, of binary hexadecimal digits.
    f"""sf_text(x) AS CASE typeof(x)
        WHEN 'DOUBLE' THEN error('[FL-6042] FLOAT as text: cast it to NUMBER first')
        WHEN 'TIMESTAMP' THEN strftime(CAST(CAST(x AS VARCHAR) AS TIMESTAMP), '{NTZ_FORMAT}')
        WHEN 'TIMESTAMP WITH TIME ZONE'
            THEN strftime(CAST(CAST(x AS VARCHAR) AS TIMESTAMP), '{NTZ_FORMAT}') || ' +0000'
        WHEN 'TIME' THEN split_part(CAST(x AS VARCHAR), '.', 1)
        WHEN 'JSON' THEN json_extract_string(CAST(x AS VARCHAR), '$')
        ELSE CAST(x AS VARCHAR) END""",
    # A text that has to fit: Snowflake never truncates in silence.
    """sf_fit(x, n) AS CASE WHEN length(x) > n
        THEN error('[100078] String ''' || left(x, 100) || ''' is too long and would be truncated') ELSE x END""",
    # A quotient of floats.
    """sf_quotient(a, b) AS CASE WHEN b = 0 THEN error('[100051] Division by zero') ELSE a / b END""",
    # A variant as an object or an array.
    """sf_object(x) AS CASE WHEN x IS NULL OR json_type(x) = 'OBJECT' THEN x
        ELSE error('[100071] Failed to cast variant value ' || left(CAST(x AS VARCHAR), 100) || ' to OBJECT') END""",
    """sf_array(x) AS CASE WHEN x IS NULL OR json_type(x) = 'ARRAY' THEN x
        ELSE CAST('[' || CAST(x AS VARCHAR) || ']' AS JSON) END""",
)


def install_macros(store: Store) -> None:
    """Adds the functions that lowered queries call. Once a store."""
    with store.cursor() as cursor:
        for macro in MACROS:
            cursor.execute(f"CREATE OR REPLACE MACRO {macro}")


LOWERINGS: dict[type[exp.Expr], Callable[..., exp.Expr]] = {
    exp.Cast: lower_cast,
    exp.ToNumber: lower_to_number,
    exp.Div: lower_div,
    exp.Avg: lower_avg,
    **dict.fromkeys((exp.JSONExtract, exp.Bracket), lower_path),
    exp.Struct: lower_object_construct,
    exp.Array: lower_array_construct,
    exp.ParseJSON: lower_parse_json,
    **dict.fromkeys((*COMPARISONS, *ORDERINGS), lower_comparison),
    **dict.fromkeys(TEXT_FUNCTIONS, lower_text_function),
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
