"""Reports what people change of a table or pipe while the engine runs, where rows would only silently become others.

What refuses rows is an error of its own; these are log lines, each once, with what it means for the rows and what to run. A
few tables' columns are looked at in an epoch, in turns; what SHOW says of all of them, in every epoch.
"""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from firnline_ingest.errors import FirnlineError, SnowflakeError
from firnline_ingest.snowflake.table_columns import Columns
from firnline_ingest.snowflake.target import TargetCatalog, TargetState
from firnline_ingest.spark.column_notes import ColumnNotes
from firnline_ingest.values import TargetTable

AT_ONCE = 5  # tables, each a statement
GONE = {
    True: "a key that was in it gets a column again with the next record that has it, which begins empty; what it held is gone "
    "(AT (BEFORE …) still has it for the table's retention time). After a RENAME: ",
    False: "the values of a key that was in it are not kept from now on. Add it again, or rename it back: ",
}
RENAME_BACK = "ALTER TABLE {table} RENAME COLUMN … TO {columns}"
SET_NOT_NULL = {
    True: "the next record without it takes the NOT NULL away again (schema.not_null_dropped); or correct the producer.",
    False: "a record without it is rejected from now on, and stops its shard unless tolerance is `all`. Take it back, or correct "
    "the producer: ALTER TABLE {table} ALTER COLUMN {columns} DROP NOT NULL",
}
TYPED = "a value that does not fit is rejected from now on, and stops its shard unless tolerance is `all`."

log = logging.getLogger(__name__)


@dataclass(slots=True)
class TableWatch:
    """The driver's; remembers what it saw of each pipeline's table."""

    notes: ColumnNotes = field(default_factory=ColumnNotes)
    _states: dict[tuple[str, str], TargetState] = field(default_factory=dict)
    """By stream, and by table where its pipeline has routes."""
    _columns: dict[TargetTable, Columns] = field(default_factory=dict)
    """The table that was looked at last is at the end."""

    def look(self, catalog: TargetCatalog, states: Mapping[str, TargetState]) -> None:
        """`states` are the streams' tables as they are now. A table that can't be asked for is reported, and keeps nothing."""
        seen = list(_each(states))
        for key, state in seen:
            before = self._states.get(key, state)
            self._states[key] = state
            _tell_replaced(catalog, key[0], before.target, state.target)
            _tell_switched(before, state)
        tables = {state.target: state for _, state in seen}
        order = {target: number for number, target in enumerate(self._columns)}
        for target in sorted(tables, key=lambda target: order.get(target, -1))[:AT_ONCE]:
            try:
                self._compare(tables[target], catalog.described(target))
            except SnowflakeError as error:  # one pipeline's user: no other's trouble
                log.warning("schema.unseen", extra={"table": str(target), "cause": error.what})

    def _compare(self, state: TargetState, now: Columns) -> None:
        before = self._columns.pop(state.target, now)
        self._columns[state.target] = now
        if not now:
            return  # gone meanwhile: the next look says so
        self.notes.see(state, now)
        for change, columns, next_step in _changes(before, now, evolves=state.evolves):
            extra: dict[str, Any] = {"table": str(state.target), "change": change, "columns": columns}
            named = next_step.format(table=state.target, columns=", ".join(columns))
            log.warning("schema.changed", extra={**extra, "next_step": named})


def _each(states: Mapping[str, TargetState]) -> Iterator[tuple[tuple[str, str], TargetState]]:
    """Every table of every stream's pipeline; its own whatever it is called now."""
    for stream, state in states.items():
        yield (stream, ""), state
        yield from (((stream, beside.target.table), beside) for beside in state.beside)


def _changes(before: Columns, now: Columns, *, evolves: bool) -> Iterator[tuple[str, list[str], str]]:
    if gone := sorted(before.keys() - now.keys()):
        yield "dropped or renamed", gone, GONE[evolves] + RENAME_BACK
    kept = sorted(before.keys() & now.keys())
    if retyped := [name for name in kept if before[name].type != now[name].type]:
        types = ", ".join(f"{name} {before[name].type} → {now[name].type}" for name in retyped)
        yield f"another type: {types}", retyped, TYPED
    if required := [name for name in kept if before[name].takes_null and not now[name].takes_null]:
        yield "NOT NULL was set", required, SET_NOT_NULL[evolves]
    if added := sorted(name for name in now.keys() - before.keys() if not now[name].takes_null):
        yield "added with NOT NULL", added, SET_NOT_NULL[evolves]


def _tell_replaced(catalog: TargetCatalog, stream: str, before: TargetTable, now: TargetTable) -> None:
    extra = {"stream": stream, "table": str(now)}
    if before.table_created_on != now.table_created_on and str(before) == str(now):
        made = {"was_made": before.table_created_on, "now_made": now.table_created_on}
        log.warning("table.replaced", extra={**extra, **made, "earlier_is_now": _called(catalog, before)})
    elif (before.pipe, before.pipe_created_on) != (now.pipe, now.pipe_created_on):
        made = {"was_made": before.pipe_created_on, "now_made": now.pipe_created_on}
        log.warning("pipe.replaced", extra={**extra, "was": before.pipe, "pipe": now.pipe, **made})


def _called(catalog: TargetCatalog, before: TargetTable) -> str:
    try:
        return catalog.now_called(before) or "dropped, or out of sight"
    except FirnlineError as error:
        return f"not known: {error.what}"


def _tell_switched(before: TargetState, now: TargetState) -> None:
    if before.target != now.target:
        return
    table = str(now.target)
    if before.evolves and not now.evolves:
        next_step = (
            "the value of a key without a column is not kept from now on (schema.unknown_keys names each); to have it again: "
            f"ALTER TABLE {table} SET ENABLE_SCHEMA_EVOLUTION = TRUE"
        )
        log.warning(
            "table.changed", extra={"table": table, "change": "schema evolution is off", "next_step": next_step}
        )
    if before.logs_errors and not now.logs_errors:
        next_step = (
            "a row that the table rejects is counted, and kept nowhere; to have it again: "
            f"ALTER TABLE {table} SET ERROR_LOGGING = TRUE"
        )
        log.warning("table.changed", extra={"table": table, "change": "error logging is off", "next_step": next_step})
