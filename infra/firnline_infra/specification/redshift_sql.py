"""Functions that Redshift does not have, and those that it keeps out of a view that refreshes itself: the best known ones.

`spec check` and the embedded Redshift, which computes with another database, ask the same lists. Redshift's own functions are in
its Database Developer Guide, "SQL functions reference" (docs.aws.amazon.com/redshift/latest/dg/c_SQL_functions.html).
"""

import re
from collections.abc import Iterator

UNKNOWN = {
    "strftime": "to_char",
    "strptime": "to_timestamp",
    "regexp_extract": "regexp_substr",
    "list_value": "array",
    "struct_pack": "object",
    "json_extract": "json_extract_path_text",
    "json_extract_string": "json_extract_path_text",
    "epoch_ms": "extract(epoch from …)",
    "parse_json": "json_parse",
    "iff": "case",
    "string_split": "split_part",
    "string_agg": "listagg",
    "array_agg": "listagg, or array",
    "list_contains": "a condition for each value",
    "json_value": "json_extract_path_text",
    "to_json": "json_serialize",
    "to_varchar": "to_char",
    "date_format": "to_char",
    "ifnull": "nvl",
}
"""Functions of DuckDB, Snowflake and others, and what Redshift has for them. One in no list passes: AWS adds functions."""
MUTABLE = ("getdate", "sysdate", "now", "random", "current_date", "current_time", "current_timestamp", "timeofday")
"""Functions that answer otherwise at another time. CREATE MATERIALIZED VIEW refuses them with AUTO REFRESH YES: "auto refresh is
not supported for materialized view with mutable function" (quoted on openillumi.com/?p=111060, 2026-11-28)."""
# Compiled by what asks for them: most specifications have no view.
_NO_CODE = r"(?s:'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/)"
_CALLED = r"(?<![\w.])(?P<alias>as\s+|with\s+|recursive\s+)?(?P<name>[a-z_]\w*)\s*\((?![^()]*\)\s*as\s*\()"
_WORDS = {
    "all", "and", "any", "as", "between", "by", "case", "distinct", "else", "end", "except", "exists", "filter",
    "from", "group", "having", "ilike", "in", "intersect", "into", "join", "like", "limit", "not", "on", "or",
    "order", "over", "partition", "pivot", "qualify", "select", "similar", "some", "then", "to", "union", "unpivot",
    "using", "values", "when", "where", "within",
}  # fmt: skip # a paragraph, not a column
_TYPES = {
    "bpchar", "char", "character", "decimal", "float", "geometry", "nchar", "numeric", "nvarchar", "time",
    "timestamp", "timestamptz", "varbinary", "varbyte", "varchar", "varying",
}  # fmt: skip # a paragraph, not a column
_WORD = r"(?<![\w.])[a-z_]\w*(?![\w.])"
_ARROW = r"->>?"


def called(sql: str) -> list[str]:
    """The functions that a condition or a SELECT calls, in small letters, each once; not those of a schema that is named."""
    names = [match["name"] for match in re.finditer(_CALLED, _code(sql)) if not match["alias"]]
    return [name for name in dict.fromkeys(names) if name not in _WORDS | _TYPES]


def _code(sql: str) -> str:
    return re.sub(_NO_CODE, " '' ", sql).lower()


def refusals(sql: str, *, refreshes_itself: bool = False) -> Iterator[str]:
    """Yields why Redshift would refuse a condition or a SELECT: each word once, in the order in which they stand there."""
    code = _code(sql)
    if arrow := re.search(_ARROW, code):
        yield f"Redshift has no operator {arrow[0]}; use json_extract_path_text, or a path of SUPER (kinesis_data.kind)"
    for name in called(sql):
        if name in UNKNOWN:
            yield f"Redshift has no function {name}; use {UNKNOWN[name]}"
    for word in dict.fromkeys(re.findall(_WORD, code)):
        if refreshes_itself and word in MUTABLE:
            yield f"{word} is a mutable function, which a view with AUTO REFRESH can't have; filter in a view over it"
