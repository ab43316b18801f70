"""Functions that ask about the session, answered before the rest of a query is looked at."""

from collections.abc import Callable

from sqlglot import exp

from firnline_local.snowflake.sql.query.system_functions import FUNCTIONS, answer_system_function
from firnline_local.snowflake.sql.scope import Context

VERSION = "10.0.0"
REGION = "LOCAL"

Value = str | int | None


def _name(found: object) -> str | None:
    return getattr(found, "name", None)


ANSWERS: dict[str, Callable[[Context], Value]] = {
    "CURRENT_ROLE": lambda context: context.role.name,
    "CURRENT_USER": lambda context: context.session.user.name,
    "CURRENT_ACCOUNT": lambda context: context.account.name,
    "CURRENT_ACCOUNT_NAME": lambda context: context.account.name.rpartition("-")[2],
    "CURRENT_ORGANIZATION_NAME": lambda context: context.account.name.rpartition("-")[0] or "FIRNLINE",
    "CURRENT_REGION": lambda _: REGION,
    "CURRENT_DATABASE": lambda context: _name(context.session.database),
    "CURRENT_SCHEMA": lambda context: _name(context.session.schema),
    "CURRENT_WAREHOUSE": lambda context: _name(context.session.warehouse),
    "CURRENT_SESSION": lambda context: str(context.session.id),
    "CURRENT_SECONDARY_ROLES": lambda _: '{"roles":"","value":""}',
    "CURRENT_VERSION": lambda _: VERSION,
    "LAST_QUERY_ID": lambda context: context.session.last_query_id,
}
"""By the name as Snowflake calls it."""


def answer_session_functions(context: Context, tree: exp.Expr) -> None:
    """Replaces them, and the functions that tell the time, by what they return."""
    tree.transform(lambda node: _answered(context, node), copy=False)


def _answered(context: Context, node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.CurrentTimestamp):
        moment = context.now.strftime("%Y-%m-%d %H:%M:%S.%f")
        if node.args.get("sysdate"):
            return exp.cast(exp.Literal.string(moment), "TIMESTAMP_NTZ", dialect="snowflake")
        return exp.cast(exp.Literal.string(f"{moment}+00:00"), "TIMESTAMP_LTZ", dialect="snowflake")
    if isinstance(node, exp.CurrentDate):
        return exp.cast(exp.Literal.string(f"{context.now:%Y-%m-%d}"), "DATE")
    name = node.name.upper() if isinstance(node, exp.Anonymous) else _function_name(node)
    if name in FUNCTIONS:
        arguments = [
            each.this if isinstance(each, exp.Literal) and each.is_string else None for each in node.expressions
        ]
        return exp.Literal.string(answer_system_function(context, name, arguments))
    if name not in ANSWERS or node.expressions:
        return node
    value = ANSWERS[name](context)
    return exp.null() if value is None else exp.Literal.string(str(value))


def _function_name(node: exp.Expr) -> str:
    return node.sql_name() if isinstance(node, exp.Func) else ""
