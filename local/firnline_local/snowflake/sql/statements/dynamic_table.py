"""CREATE DYNAMIC TABLE and ALTER DYNAMIC TABLE: a table of a query's rows, which Snowflake keeps up to date.

Refreshed incrementally, which the tables behind it need change tracking for: it is switched on by who owns them
(`user-guide/dynamic-tables/create`). FULL, a lag of DOWNSTREAM and INITIALIZE = ON_SCHEDULE are refused by name.
"""

import re
from typing import Any

from firnline_local.snowflake.catalog import Dynamic, SqlError, Table, Warehouse, kinds
from firnline_local.snowflake.catalog.errors import CompilationFault, NotKnown
from firnline_local.snowflake.catalog.tables import LAG_UNITS
from firnline_local.snowflake.sql.parameters import OBJECT_PARAMETERS, effective
from firnline_local.snowflake.sql.properties import word
from firnline_local.snowflake.sql.query.refresh import columns_of, refresh, tables_behind
from firnline_local.snowflake.sql.result import Result
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.statements.create import Modifiers, read_new_object
from firnline_local.snowflake.sql.token_reader import TokenReader

LAG = re.compile(r"(\d+) (second|minute|hour|day)s?", re.IGNORECASE)
SHORTEST_LAG_S = 60
NEEDED = ("TARGET_LAG", "WAREHOUSE")


def create_dynamic_table(context: Context, reader: TokenReader, modifiers: Modifiers) -> Result:
    new = read_new_object(context, reader, kinds.TABLE, modifiers)
    given = _read_settings(context, reader, stop="AS")
    reader.expect("AS")
    query = reader.rest
    while not reader.at_end:
        reader.take()
    if missing := [key for key in NEEDED if key not in given]:
        raise CompilationFault(f"A dynamic table needs {' and '.join(missing)}.")
    if new.exists:
        return new.exists_status()
    context.require("USAGE", given["WAREHOUSE"])
    columns = columns_of(context, query, context.role, given["WAREHOUSE"])
    _track_changes(context, query)
    dynamic = Dynamic(
        query=query, text=reader.sql.strip(), warehouse=given["WAREHOUSE"], target_lag_s=given["TARGET_LAG"]
    )
    table = new.create(context, Table, privilege="CREATE DYNAMIC TABLE", columns=columns, dynamic=dynamic)
    table.comment = given.get("COMMENT", "")
    try:
        refresh(context, table, dynamic)
    except SqlError:
        context.catalog.directory.drop(table)
        raise
    context.catalog.dynamic_tables.append(table)
    return new.created_status()


def alter_dynamic_table(context: Context, reader: TokenReader, table: Table, dynamic: Dynamic) -> None:
    """SET, SUSPEND, RESUME and REFRESH."""
    change = reader.choose(("SET", "SUSPEND", "RESUME", "REFRESH"), after="ALTER DYNAMIC TABLE")
    if change == "SET":
        context.require_ownership(table)
        given = _read_settings(context, reader, stop="")
        dynamic.target_lag_s = given.get("TARGET_LAG", dynamic.target_lag_s)
        dynamic.warehouse = given.get("WAREHOUSE", dynamic.warehouse)
        table.comment = given.get("COMMENT", table.comment)
        return
    reader.end()
    context.require("OPERATE", table)
    if change == "REFRESH":
        refresh(context, table, dynamic)
    else:
        dynamic.suspended_on = context.now if change == "SUSPEND" else None


def _read_settings(context: Context, reader: TokenReader, *, stop: str) -> dict[str, Any]:
    given: dict[str, Any] = {}
    while not (reader.at_end or (stop and reader.starts(stop))):
        key = reader.word()
        reader.expect("=")
        match key:
            case "TARGET_LAG":
                given[key] = _lag(reader)
            case "WAREHOUSE":
                given[key] = context.find(Warehouse, (reader.identifier(),))
            case "COMMENT":
                given[key] = reader.string()
            case "REFRESH_MODE" | "INITIALIZE":
                _refuse_others(key, word(reader))
            case _:
                raise NotKnown(f"the property {key} of a dynamic table")
    return given


def _refuse_others(key: str, value: str) -> None:
    taken = {"REFRESH_MODE": ("INCREMENTAL", "AUTO"), "INITIALIZE": ("ON_CREATE",)}[key]
    if value not in taken:
        raise NotKnown(f"{key} = {value} of a dynamic table: only {' and '.join(taken)}")


def _lag(reader: TokenReader) -> int:
    if reader.accept("DOWNSTREAM"):
        raise NotKnown("TARGET_LAG = DOWNSTREAM")
    text = reader.string()
    match = LAG.fullmatch(text)
    seconds = int(match[1]) * LAG_UNITS[match[2].lower()] if match else 0
    if seconds < SHORTEST_LAG_S:
        raise CompilationFault(f"Invalid value '{text}' for TARGET_LAG: the least is {SHORTEST_LAG_S} seconds.")
    return seconds


def _track_changes(context: Context, query: str) -> None:
    for base in tables_behind(context, query):
        if base.interactive:
            raise CompilationFault(f"A dynamic table can't read the interactive table '{base.full_name}'.")
        if effective(base, OBJECT_PARAMETERS["DATA_RETENTION_TIME_IN_DAYS"])[0] == "0":
            raise CompilationFault(f"Change tracking needs Time Travel, which '{base.full_name}' has none of.")
        if not base.change_tracking:
            context.require_ownership(base)
            base.change_tracking = True
