"""SYSTEM$ functions: they look at one object, named by a string, and say what they found as JSON."""

import json
from collections.abc import Callable, Sequence

from firnline_local.snowflake.catalog import ExternalVolume, Pipe
from firnline_local.snowflake.catalog.errors import CompilationFault
from firnline_local.snowflake.catalog.names import read_name
from firnline_local.snowflake.sql.query.volume_check import verify
from firnline_local.snowflake.sql.scope import Context


def _pipe_status(context: Context, name: str) -> str:
    pipe = context.find(Pipe, read_name(name))
    if not pipe.is_default:
        context.require("MONITOR", pipe)
    return json.dumps({"executionState": "PAUSED" if pipe.paused else "RUNNING", "pendingFileCount": 0})


def _verify_volume(context: Context, name: str) -> str:
    volume = context.find(ExternalVolume, read_name(name))
    context.require("USAGE", volume)
    return verify(context, volume)


FUNCTIONS: dict[str, Callable[[Context, str], str]] = {
    "SYSTEM$PIPE_STATUS": _pipe_status,
    "SYSTEM$VERIFY_EXTERNAL_VOLUME": _verify_volume,
}


def answer_system_function(context: Context, function: str, arguments: Sequence[str | None]) -> str:
    """Raises CompilationFault for anything but one string."""
    if len(arguments) != 1 or arguments[0] is None:
        raise CompilationFault(f"{function} takes one string: the name of what it is about.")
    return FUNCTIONS[function](context, arguments[0])
