"""Rewrites what means something else in DuckDB than in Snowflake; the rest goes through sqlglot's own translation.

Works on a qualified and typed tree, from the leaves up. What a VARIANT may be used for without a cast is listed here:
comparing, sorting or adding JSON text would give answers that only look right.
"""

from collections.abc import Callable
from decimal import Decimal, InvalidOperation

from sqlglot import exp

from firnline_local.snowflake.catalog.errors import DataFault, NotKnown
from firnline_local.snowflake.catalog.store import Store
from firnline_local.snowflake.sql.query import semistructured
from firnline_local.snowflake.sql.query.semistructured import FlattenInput, lower_join
from firnline_local.snowflake.sql.query.types import (
    lower_cast,
    lower_conversion,
    raw,
    scale,
    semistructured_family,
    text,
)

AS_TEXT = (*exp.DataType.TEXT_TYPES, exp.DType.BOOLEAN, exp.DType.NULL, exp.DType.UNKNOWN)
ADDED_DIGITS = 6
MOST_DIGITS = 12
OTHERWISE_WRITTEN = (
    *exp.DataType.FLOAT_TYPES, exp.DType.TIMESTAMP, exp.DType.TIMESTAMPNTZ, exp.DType.TIMESTAMPLTZ, exp.DType.TIMESTAMPTZ,
    exp.DType.DATETIME, exp.DType.TIME, exp.DType.BINARY, exp.DType.VARBINARY,
)  # fmt: skip # a paragraph, not a column
TEXT_FUNCTIONS: tuple[type[exp.Expr], ...] = (
    exp.DPipe, exp.Concat, exp.Upper, exp.Lower, exp.Length, exp.Trim, exp.Substring, exp.Left, exp.Right, exp.Replace,
    exp.SplitPart, exp.StartsWith, exp.EndsWith, exp.Contains, exp.StrPosition, exp.Pad, exp.Repeat, exp.Reverse, exp.MD5,
    exp.SHA2, exp.RegexpLike,
)  # fmt: skip # a paragraph, not a column
WHOLE_DAYS = frozenset({"DAY", "WEEK", "MONTH", "QUARTER", "YEAR"})
EPOCHS = {"EPOCH_SECOND": 1_000_000, "EPOCH_MILLISECOND": 1_000, "EPOCH_MICROSECOND": 1}
"""Microseconds in each unit."""
PARTS = frozenset({"YEAR", "QUARTER", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"})
SOURCES = (exp.From, exp.Join, exp.CTE, exp.SetOperation, exp.Exists)
"""Parents under which a query is a source of rows, not a value."""
COMPARISONS = (exp.EQ, exp.NEQ, exp.In)
ORDERINGS = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)
TAKE_VARIANTS = (
    exp.Select, exp.Alias, exp.Paren, exp.Subquery, exp.Cast, exp.TryCast, exp.JSONExtract, exp.GetExtract, exp.Bracket,
    exp.Is, exp.Count, exp.ParseJSON, exp.ArraySize, exp.Typeof, exp.JSONFormat, exp.ToVariant, exp.JSONKeys,
    exp.IsNullValue, exp.Struct, exp.PropertyEQ, exp.Array, exp.Tuple, FlattenInput, *COMPARISONS,
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
    """With text or a boolean, a VARIANT is compared as such; with anything else it has to be cast."""
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
    """A quotient of exact numbers is exact, with six more decimals than its dividend: at most twelve, unless the dividend has
    more (`sql-reference/operators-arithmetic`). DuckDB would answer with a double, so whole numbers are divided instead.
    """
    dividend, divisor = scale(node.left), scale(node.right)
    if dividend is None or divisor is None:
        return raw(f"sf_quotient({text(node.left)}, {text(node.right)})")
    return raw(_exact_quotient(text(node.left), dividend, text(node.right), divisor))


def lower_avg(node: exp.Avg) -> exp.Expr:
    values = node.this
    digits = scale(values.expressions[0] if isinstance(values, exp.Distinct) else values)
    if digits is None:
        return node
    if isinstance(node.parent, exp.Window):
        raise NotKnown("AVG of exact numbers as a window function: cast them to FLOAT")
    count = f"nullif(count({text(values)}), 0)"
    return raw(_exact_quotient(f"sum({text(values)})", digits, count, 0))


def _exact_quotient(dividend: str, dividend_scale: int, divisor: str, divisor_scale: int) -> str:
    wanted = max(dividend_scale, min(dividend_scale + ADDED_DIGITS, MOST_DIGITS))
    shift = wanted - dividend_scale + divisor_scale
    whole = f"sf_ratio({_whole(dividend, dividend_scale)} * {10**shift}::HUGEINT, {_whole(divisor, divisor_scale)})"
    unit = f"CAST('1e-{wanted}' AS DECIMAL({wanted + 1}, {wanted}))"
    return f"(CAST({whole} AS DECIMAL(38, 0)) * {unit})"


def _whole(value: str, digits: int) -> str:
    """The number without its point."""
    shown = f"CAST(CAST({value} AS DECIMAL(38, {digits})) AS VARCHAR)"
    return f"CAST(replace({shown}, '.', '') AS HUGEINT)"


def lower_text_function(node: exp.Expr) -> exp.Expr:
    """Text functions take any value as its text, and DuckDB writes times, floats and binary values differently."""
    for argument in list(node.iter_expressions()):
        if argument.is_type(*OTHERWISE_WRITTEN):
            argument.replace(raw(f"sf_text({text(argument)})"))
    return node


def lower_date_add(node: exp.DateAdd) -> exp.Expr:
    """A date plus days is a date."""
    is_date = node.this.is_type(exp.DType.DATE)
    unit = node.args["unit"].name.upper()
    return raw(f"CAST({text(node)} AS DATE)") if is_date and unit in WHOLE_DAYS else node


def lower_extract(node: exp.Extract) -> exp.Expr:
    """Seconds since 1970 are cut off, not rounded."""
    part = node.this.name.upper()
    if part in PARTS:
        return node
    if part not in EPOCHS:
        raise NotKnown(f"the part {part} of a time")
    return raw(f"CAST(floor(epoch_us({text(node.expression)}) / {EPOCHS[part]}) AS BIGINT)")


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
    # A quotient of floats, and of whole numbers, rounded half away from zero.
    """sf_quotient(a, b) AS CASE WHEN b = 0 THEN error('[100051] Division by zero') ELSE a / b END""",
    """sf_ratio(a, b) AS CASE WHEN b = 0 THEN error('[100051] Division by zero')
        ELSE sign(a) * sign(b) * ((2 * abs(a) + abs(b)) // (2 * abs(b))) END""",
    # A variant as an object or an array.
    """sf_object(x) AS CASE WHEN x IS NULL OR json_type(x) = 'OBJECT' THEN x
        ELSE error('[100071] Failed to cast variant value ' || left(CAST(x AS VARCHAR), 100) || ' to OBJECT') END""",
    """sf_array(x) AS CASE WHEN x IS NULL OR json_type(x) = 'ARRAY' THEN x
        ELSE CAST('[' || CAST(x AS VARCHAR) || ']' AS JSON) END""",
    """sf_array_size(x) AS CASE WHEN json_type(x) = 'ARRAY' THEN json_array_length(x) END""",
    """sf_typeof(x) AS CASE json_type(x) WHEN 'OBJECT' THEN 'OBJECT' WHEN 'ARRAY' THEN 'ARRAY' WHEN 'VARCHAR' THEN 'VARCHAR'
        WHEN 'BOOLEAN' THEN 'BOOLEAN' WHEN 'NULL' THEN 'NULL_VALUE' WHEN 'UBIGINT' THEN 'INTEGER' WHEN 'BIGINT' THEN 'INTEGER'
        WHEN 'HUGEINT' THEN 'INTEGER'
        ELSE CASE WHEN contains(lower(CAST(x AS VARCHAR)), 'e') THEN 'DOUBLE' ELSE 'DECIMAL' END END""",
)


def install_macros(store: Store) -> None:
    """Adds the functions that lowered queries call. Once a store."""
    with store.cursor() as cursor:
        for macro in MACROS:
            cursor.execute(f"CREATE OR REPLACE MACRO {macro}")


LOWERINGS: dict[type[exp.Expr], Callable[..., exp.Expr]] = {
    exp.Cast: lower_cast,
    exp.TryCast: lower_cast,
    **dict.fromkeys((exp.ToNumber, exp.ToDouble, exp.ToChar), lower_conversion),
    exp.Div: lower_div,
    exp.Avg: lower_avg,
    exp.DateAdd: lower_date_add,
    exp.Extract: lower_extract,
    exp.JSONExtract: semistructured.lower_path,
    exp.GetExtract: semistructured.lower_path,
    exp.Bracket: semistructured.lower_path,
    exp.Struct: semistructured.lower_object_construct,
    exp.Array: semistructured.lower_array_construct,
    exp.ToVariant: semistructured.lower_to_variant,
    exp.ParseJSON: semistructured.lower_parse_json,
    exp.Join: lower_join,
    **dict.fromkeys(semistructured.INSPECTIONS, semistructured.lower_inspection),
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
