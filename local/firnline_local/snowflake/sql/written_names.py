"""The functions by the names that Snowflake documents, and only those that the embedded one computes as it does.

sqlglot reads functions of any database: LCASE, CHAR_LENGTH and JSON_EXTRACT come out as LOWER, LENGTH and GET_PATH, and
Snowflake has none of the three. So the parser here notes each name as it was written. A name's page is
sql-reference/functions/NAME, in small letters (docs.snowflake.com/en; "All functions (alphabetical)", 2026-11-28).
"""

from collections.abc import Callable
from typing import Any

from sqlglot import exp
from sqlglot.parsers.snowflake import SnowflakeParser

from firnline_local.snowflake.catalog.errors import NotKnown

SYNTAX = frozenset({"ALL", "ANY", "CASE", "CAST", "EXISTS", "TABLE", "TRY_CAST"})
FUNCTIONS = frozenset(
    {
        "ABS", "ARRAY_CONSTRUCT", "AVG", "COALESCE", "CONCAT", "COUNT", "DATE", "DIV0", "DIV0NULL", "GETDATE", "GET_PATH", "IFF",
        "IFNULL", "ILIKE", "LEN", "LENGTH", "LIKE", "LOCALTIMESTAMP", "LOWER", "LPAD", "LTRIM", "MAX", "MIN", "MOD", "NULLIFZERO",
        "NVL", "OBJECT_CONSTRUCT", "PARSE_JSON", "REPLACE", "ROUND", "ROW_NUMBER", "RPAD", "RTRIM", "SUBSTR", "SUBSTRING", "SUM",
        "SYSTIMESTAMP", "TO_DATE", "TO_DECIMAL", "TO_NUMBER", "TO_NUMERIC", "TO_TIME", "TO_TIMESTAMP", "TO_TIMESTAMP_LTZ",
        "TO_TIMESTAMP_NTZ", "TO_TIMESTAMP_TZ", "TRIM", "TRY_PARSE_JSON", "TRY_TO_DECIMAL", "TRY_TO_NUMBER", "TRY_TO_NUMERIC",
        "UPPER", "ZEROIFNULL",
    }
)  # fmt: skip # a paragraph, not a column
SESSION = "CURRENT_"
"""How the functions begin that ask for the session; functions.py answers those that there are."""
WRITTEN = "written"


class WrittenNames(SnowflakeParser):
    """Notes of each function that sqlglot has a class for how it was called."""

    def _parse_function_call(
        self,
        functions: dict[str, Callable[..., Any]] | None = None,
        anonymous: bool = False,
        optional_parens: bool = True,
        any_token: bool = False,
    ) -> exp.Expr | None:
        called = self._next is not None and self._next.text == "("
        name = self._curr.text.upper() if called and self._curr is not None else ""
        found: exp.Expr | None = super()._parse_function_call(functions, anonymous, optional_parens, any_token)
        node = found.this if isinstance(found, exp.Window) else found
        if name and node is not None and not isinstance(node, exp.Anonymous):
            node.meta[WRITTEN] = name
        return found


def refuse_foreign_names(tree: exp.Expr) -> None:
    """Raises NotKnown for the first function that is written as no page of Snowflake's has it."""
    for node in tree.walk():
        name = node.meta.get(WRITTEN, "")
        if name and name not in FUNCTIONS | SYNTAX and not name.startswith(SESSION):
            raise NotKnown(f"the function {name}")
