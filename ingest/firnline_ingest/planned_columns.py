"""Columns that wait for a person's word (`adds_columns: approved`): planned by whoever meets the key first, decided by a command.

The plan stands in the ledger, in the note of its table (ledger/column_note.py). Until a key is decided, no page with it is
appended: its records stay in the stream, and nothing is lost. An approved key gets its column from the engine, which owns the
table; a declined one is counted as unknown.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.errors import UsageError
from firnline_ingest.identifiers import stored_name
from firnline_ingest.ledger.backend import ColumnLedger
from firnline_ingest.ledger.column_note import ColumnDecision, ColumnNote, PlannedColumn
from firnline_ingest.records.first_sight import NewKey
from firnline_ingest.records.key_shape import column_key
from firnline_ingest.snowflake.new_column import NewColumn
from firnline_ingest.snowflake.target import TargetState
from firnline_ingest.snowflake.target_errors import ColumnsUndecided
from firnline_ingest.values import TargetTable

TRIES = 5  # against other writers of the same note
SHOWN = 20  # keys that a message names


class Decided(NamedTuple):
    """Decisions of a person, by `column_key`."""

    approved: Mapping[str, str]
    """The definitions that were approved."""
    declined: frozenset[str]
    open: tuple[str, ...]
    """Keys that nobody has decided about yet, as records have them."""


@dataclass(frozen=True, slots=True)
class ColumnPlans:
    """The plans of one application's tables."""

    ledger: ColumnLedger
    now_ms: Callable[[], int]

    def decided(
        self,
        state: TargetState,
        columns: Collection[str],
        wanted: Mapping[str, NewColumn],
        news: Mapping[str, NewKey],
        *,
        shard: str,
    ) -> Decided:
        """Plans what is not planned yet. `wanted` has the columns by `column_key`, `columns` those that the table has. Raises
        LedgerError."""
        new = {name: self._planned(state, column, news[column.key], shard) for name, column in wanted.items()}
        planned = self._noted(state, columns, new)
        said = {name: planned[name] for name in wanted if name in planned}
        approved = {name: each.definition for name, each in said.items() if each.decision is ColumnDecision.APPROVED}
        declined = frozenset(name for name, each in said.items() if each.decision is ColumnDecision.DECLINED)
        left = wanted.keys() - approved.keys() - declined
        return Decided(approved, declined, tuple(sorted(wanted[name].key for name in left)))

    def _planned(self, state: TargetState, column: NewColumn, new: NewKey, shard: str) -> PlannedColumn:
        return PlannedColumn(column.key, column.definition(state), shard, new.number, new.records, self.now_ms())

    def _noted(
        self, state: TargetState, columns: Collection[str], new: Mapping[str, PlannedColumn]
    ) -> Mapping[str, PlannedColumn]:
        """The plan of the table, with as much of what is new as fits in; without where others were faster each time."""
        table, created_on = str(state.target), state.target.table_created_on
        planned: Mapping[str, PlannedColumn] = {}
        for _ in range(TRIES):
            before = self.ledger.column_note(table)
            is_this = before is not None and before.table_created_on == created_on
            note = before if before and is_this else ColumnNote.begun(created_on, columns, evolves=False)
            planned = note.planned
            if new.keys() <= planned.keys():
                break
            changed = _with_as_many(replace(note, number=before.number + 1 if before else 1), new)
            if changed is None:
                break
            if self.ledger.note_columns(table, changed, before):
                return changed.planned
        return planned


def _with_as_many(note: ColumnNote, new: Mapping[str, PlannedColumn]) -> ColumnNote | None:
    """The note with more of the plans, or None where it is full: the rest is planned once these are decided and added."""
    more = sorted(new.keys() - note.planned.keys())
    while more:
        changed = replace(note, planned={**note.planned, **{name: new[name] for name in more}})
        if changed.can_be_kept:
            return changed
        more = more[: len(more) // 2]
    return None


def refuse_undecided(state: TargetState, undecided: Collection[str]) -> None:
    """Raises ColumnsUndecided where a key waits for a person."""
    if undecided:
        raise ColumnsUndecided(str(state.target), sorted(undecided))


def tables_of(config: EngineConfig) -> list[tuple[str, str]]:
    """The tables of all pipelines that add columns, each by its stored name and as notes name it."""
    found: dict[str, str] = {}
    for pipeline in config.pipelines:
        if pipeline.adds_columns:
            for name in pipeline.tables:
                target = TargetTable(stored_name(pipeline.database), stored_name(pipeline.schema_), name, "", "")
                found[str(target)] = name
    return [(name, table) for table, name in sorted(found.items())]


def chosen_tables(config: EngineConfig, name: str | None) -> list[str]:
    """Returns the tables of that name, as notes name them, or all where it is absent. Raises UsageError."""
    tables = tables_of(config)
    chosen = [table for each, table in tables if name is None or stored_name(name) == each]
    if name is not None and not chosen:
        raise UsageError(
            f"No pipeline that adds columns fills a table {name}.",
            next_step=f"name one of {', '.join(each for each, _ in tables)}" if tables else "set adds_columns first",
        )
    return chosen


def require_planned(ledger: ColumnLedger, tables: Iterable[str], keys: Iterable[str]) -> None:
    """Raises UsageError for keys that no plan of these tables has, before anything is decided."""
    notes = [note for table in tables if (note := ledger.column_note(table))]
    planned = {name: column.key for note in notes for name, column in note.planned.items()}
    unknown = [key for key in keys if column_key(key) not in planned]
    if unknown:
        raise UsageError(
            f"No column is planned for {', '.join(map(repr, unknown))}; nothing was decided.",
            next_step=f"name one of {', '.join(sorted(planned.values())[:SHOWN])}"
            if planned
            else "wait for a record that has it",
        )


def decide(
    ledger: ColumnLedger, table: str, decision: ColumnDecision, keys: Iterable[str] | None = None
) -> list[PlannedColumn]:
    """A person's word about keys of a table, or about all that wait; what was decided. Raises UsageError where others changed the
    plan each time, and LedgerError."""
    chosen = None if keys is None else set(map(column_key, keys))

    def meant(planned: Mapping[str, PlannedColumn]) -> Mapping[str, PlannedColumn | None]:
        return {
            name: replace(each, decision=decision)
            for name, each in planned.items()
            if (each.decision is ColumnDecision.OPEN if chosen is None else name in chosen)
        }

    return [each for each in _changed(ledger, table, meant).values() if each]


def forget(ledger: ColumnLedger, table: str, keys: Iterable[str]) -> list[str]:
    """Takes declined keys out of a plan, and says which: a record that has one makes it wait for a word again. Raises as
    `decide` does."""
    chosen = set(map(column_key, keys))
    return sorted(_changed(ledger, table, lambda planned: dict.fromkeys(chosen & declined_of(planned).keys())))


def declined_of(planned: Mapping[str, PlannedColumn]) -> Mapping[str, PlannedColumn]:
    return {name: each for name, each in planned.items() if each.decision is ColumnDecision.DECLINED}


def require_declined(ledger: ColumnLedger, tables: Iterable[str], keys: Iterable[str]) -> None:
    """Raises UsageError for keys that no plan of these tables has declined, before anything is forgotten."""
    notes = [note for table in tables if (note := ledger.column_note(table))]
    declined = {name: each.key for note in notes for name, each in declined_of(note.planned).items()}
    if unknown := [key for key in keys if column_key(key) not in declined]:
        raise UsageError(
            f"{', '.join(map(repr, unknown))} was not declined; nothing was forgotten.",
            next_step=f"name one of {', '.join(sorted(declined.values())[:SHOWN])}"
            if declined
            else "no key of these tables is declined: there is nothing to forget",
        )


Changes = Mapping[str, PlannedColumn | None]
"""Of a plan, by `column_key`; None takes a key out."""


def _changed(ledger: ColumnLedger, table: str, change: Callable[[Mapping[str, PlannedColumn]], Changes]) -> Changes:
    for _ in range(TRIES):
        before = ledger.column_note(table)
        changes = change(before.planned) if before else {}
        if before is None or not changes:
            return {}
        planned = {name: each for name, each in {**before.planned, **changes}.items() if each}
        if ledger.note_columns(table, replace(before, planned=planned, number=before.number + 1), before):
            return changes
    raise UsageError(
        f"The plan of {table} was changed by others each of {TRIES} times; nothing was decided about it.",
        next_step="run the command again: an engine that meets many new keys plans them at the same time",
    )
