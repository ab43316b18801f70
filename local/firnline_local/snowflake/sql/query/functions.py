"""Functions that ask about the session or about one object, answered before the rest of a query is looked at.

SYSTEM$ functions take the name of an object as a string, and say what they found as JSON.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import exp

from firnline_local.snowflake.catalog import ExternalVolume, Pipe, StorageLocation
from firnline_local.snowflake.catalog.errors import CompilationFault
from firnline_local.snowflake.catalog.names import read_name
from firnline_local.snowflake.catalog.storage import storage_user_arn
from firnline_local.snowflake.sql.scope import Context

PASSED, FAILED = "PASSED", "FAILED"
TESTS = ("readResult", "writeResult", "listResult", "deleteResult", "awsRoleArnValidationResult")
REGION = "LOCAL"
Value = str | int | None


def obstacles(context: Context, volume: ExternalVolume) -> list[str]:
    """Returns what keeps Snowflake from using the active location, which is the first; empty if nothing does."""
    return _ask(context, volume.locations[0])


def verify(context: Context, volume: ExternalVolume) -> str:
    """The JSON that a real account answers (`sql-reference/functions/system_verify_external_volume`)."""
    location, found = volume.locations[0], obstacles(context, volume)
    result = FAILED if found else PASSED
    answer: dict[str, Any] = {
        "success": not found,
        "storageLocationSelectionResult": result,
        "storageLocationName": location.name,
        "servicePrincipalProperties": (
            f"STORAGE_AWS_IAM_USER_ARN: {storage_user_arn(context.account.name)}; "
            f"STORAGE_AWS_EXTERNAL_ID: {location.external_id}"
        ),
        "location": location.base_url,
        "storageAccount": None,
        "region": None,
        **dict.fromkeys(TESTS, result),
        "azureGetUserDelegationKeyResult": "SKIPPED",
    }
    return json.dumps(answer | ({"error": "; ".join(found)} if found else {}))


def _ask(context: Context, location: StorageLocation) -> list[str]:
    return context.catalog.volume_access(location, storage_user_arn(context.account.name))


def _pipe_status(context: Context, name: str) -> str:
    pipe = context.find(Pipe, read_name(name))
    if not pipe.is_default:
        context.require("MONITOR", pipe)
    state = "PAUSED" if pipe.paused else "RUNNING"
    if pipe.source is not None and not pipe.source.stage.is_live:
        state = "STOPPED_STAGE_DROPPED"  # sql-reference/functions/system_pipe_status (2026-11-28)
    return json.dumps({"executionState": state, "pendingFileCount": 0})


def _verify_volume(context: Context, name: str) -> str:
    volume = context.find(ExternalVolume, read_name(name))
    context.require("USAGE", volume)
    return verify(context, volume)


SYSTEM_FUNCTIONS: dict[str, Callable[[Context, str], str]] = {
    "SYSTEM$PIPE_STATUS": _pipe_status,
    "SYSTEM$VERIFY_EXTERNAL_VOLUME": _verify_volume,
}


def answer_system_function(context: Context, function: str, arguments: Sequence[str | None]) -> str:
    """Raises CompilationFault for anything but one string."""
    if len(arguments) != 1 or arguments[0] is None:
        raise CompilationFault(f"{function} takes one string: the name of what it is about.")
    return SYSTEM_FUNCTIONS[function](context, arguments[0])


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
}
"""Session functions by Snowflake's name."""


def answer_session_functions(context: Context, tree: exp.Expr) -> None:
    """Replaces them, and CURRENT_TIMESTAMP, by what they return."""
    tree.transform(lambda node: _answered(context, node), copy=False)


def _answered(context: Context, node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.CurrentTimestamp):
        return exp.cast(exp.Literal.string(context.now.isoformat(sep=" ")), "TIMESTAMP_LTZ", dialect="snowflake")
    name = node.name.upper() if isinstance(node, exp.Anonymous) else _function_name(node)
    if name in SYSTEM_FUNCTIONS:
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
