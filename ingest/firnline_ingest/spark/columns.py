"""Reports what becomes of first-level keys: columns that schema evolution adds, with the record that brought each first, and
the NOT NULLs that it drops; columns that others add (columns_by_hand.py); keys that a table of a fixed schema has no
column for, with the statement that would add one.

Nothing depends on it but log lines, so a few tables are looked at in an epoch, in turns.
"""

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from firnline_ingest.errors import SnowflakeError
from firnline_ingest.records.key_shape import MOST_NAMES, column_key
from firnline_ingest.shard.receipt import Receipt
from firnline_ingest.snowflake.new_column import NewColumn
from firnline_ingest.snowflake.target import TargetCatalog, TargetState, add_columns
from firnline_ingest.spark.columns_by_hand import ColumnsByHand
from firnline_ingest.values import TargetTable

AT_ONCE = 5  # tables, each a statement
MOST_NAMED = 20  # keys in one line
MOST_KEPT = 2000  # of a stream; another key is an evolved column without its record
DROPPED = "records came without them: correct the producer, and ALTER TABLE … ALTER COLUMN … SET NOT NULL; or leave it."
UNKNOWN = (
    "their values are not kept, unless the table's own SELECT takes them. Statements for the table's owner, once the types are "
    "as they should be: "
)
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Sight:
    """The first record, of those that one engine read, with a key."""

    key: str
    epoch: int
    shard: str
    sequence_number: str
    kind: str
    """What the value was."""

    def as_dict(self) -> dict[str, Any]:
        return {"epoch": self.epoch, "shard": self.shard, "sequence_number": self.sequence_number}

    def column(self, state: TargetState) -> str:
        """The column's definition for ADD COLUMN; with … where a person has to name a type."""
        return NewColumn(self.key, self.kind).definition(state)


@dataclass(slots=True)
class ColumnWatch:
    """Remembers what each table had when it was looked at last."""

    _seen: dict[TargetTable, Mapping[str, bool]] = field(default_factory=dict)
    """By column, whether it takes NULL. The table that was looked at last is at the end."""
    _sights: dict[str, dict[str, Sight]] = field(default_factory=dict)
    """By stream, then by what may be one column."""
    _untold: dict[str, set[str]] = field(default_factory=dict)
    """By stream, keys that were not compared yet with the columns of a table that does not evolve."""

    _fixed: dict[TargetTable, Collection[str]] = field(default_factory=dict)
    """The columns of tables that get no others, by name, as far as they were looked at."""
    by_hand: ColumnsByHand = field(default_factory=ColumnsByHand)
    _changes: dict[str, tuple[int, int]] = field(default_factory=dict)
    """By stream, columns that came for records' keys, and NOT NULLs that went, of which no receipt tells yet."""
    _short: set[TargetTable] = field(default_factory=set)
    """Those of them that lack one which a record has: looked at on and on, until it is added."""

    def fixed(self, target: TargetTable) -> Collection[str] | None:
        """The columns of a table that gets no others; None where it does, where a pipe selects, or where it is not known yet."""
        return self._fixed.get(target)

    def sighted(self, receipts: Iterable[Receipt]) -> None:
        """Takes what an epoch's records had for the first time."""
        for receipt in receipts:
            known = self._sights.setdefault(receipt.stream, {})
            for key, (number, kind) in receipt.new_keys.items():
                sight = Sight(key, receipt.epoch, str(receipt.key), number, kind)
                if len(known) < MOST_KEPT and known.setdefault(column_key(key), sight) is sight:
                    self._untold.setdefault(receipt.stream, set()).add(column_key(key))

    def count(self, receipts: Iterable[Receipt]) -> None:
        """Puts what changed of a stream's table into one of its receipts, once; it waits where there is none."""
        for receipt in receipts:
            added, dropped = self._changes.pop(receipt.stream, (0, 0))
            receipt.new_columns += added
            receipt.not_nulls_dropped += dropped

    def look(self, catalog: TargetCatalog, states: Mapping[str, TargetState]) -> None:
        """`states` are the streams' tables. One that can't be asked for is reported, and keeps nothing."""
        streams = {
            state.target: [each for each in states if states[each].target == state.target] for state in states.values()
        }
        wanted = {
            state.target: state
            for state in states.values()
            if state.evolves or self._is_asked_of(state, streams[state.target])
        }
        order = {target: number for number, target in enumerate(self._seen)}
        for target in sorted(wanted, key=lambda target: order.get(target, -1))[:AT_ONCE]:
            try:
                columns = catalog.columns_of(target)
            except SnowflakeError as error:  # one pipeline's user: no other's trouble
                log.warning("schema.unseen", extra={"table": str(target), "cause": error.what})
                continue
            if wanted[target].evolves:
                self._compare(target, columns, streams[target])
                self._fixed.pop(target, None)
            elif wanted[target].matches_by_name:
                before = self._seen.pop(target, columns)
                self._seen[target], self._fixed[target] = columns, tuple(columns)
                self._changed(streams[target], added=self._of_records(columns.keys() - before.keys(), streams[target]))
                unknown = self._unknown(target, columns, streams[target])
                self._name_unknown(wanted[target], unknown)
            for stream in streams[target]:
                self._untold.pop(stream, None)

    def _is_asked_of(self, state: TargetState, streams: Iterable[str]) -> bool:
        """True if the columns of a table without schema evolution have to be asked for."""
        target = state.target
        is_new = target not in self._fixed and state.matches_by_name
        return is_new or target in self._short or not self._untold.keys().isdisjoint(streams)

    def _compare(self, target: TargetTable, columns: Mapping[str, bool], streams: Sequence[str]) -> None:
        before = self._seen.pop(target, columns)
        self._seen[target] = columns
        new = self.by_hand.waiting(target) | {name for name in columns.keys() - before.keys() if columns[name]}
        sights = {name: sight for name in new & columns.keys() if (sight := self._first(name, streams))}
        is_told = not any(map(self._tells_no_more, streams))
        unexplained = (
            self.by_hand.unexplained(target, new & columns.keys() - sights.keys(), streams) if is_told else set()
        )
        if added := sorted(new & columns.keys() - unexplained):
            first = {name: sight.as_dict() for name, sight in sorted(sights.items())}
            extra = {"table": str(target), "added": added, "first_seen": first, "columns": len(columns)}
            log.info("schema.evolved", extra=extra)
            self._changed(streams, added=len(added))
        if dropped := sorted(name for name, takes_null in before.items() if columns.get(name) and not takes_null):
            log.warning(
                "schema.not_null_dropped", extra={"table": str(target), "columns": dropped, "next_step": DROPPED}
            )
            self._changed(streams, dropped=len(dropped))

    def _of_records(self, columns: Iterable[str], streams: Sequence[str]) -> int:
        """Returns how many of a fixed table's new columns are for keys that records have: the engine's own, or its owner's."""
        return sum(self._first(name, streams) is not None for name in columns)

    def _changed(self, streams: Sequence[str], *, added: int = 0, dropped: int = 0) -> None:
        if added or dropped:
            before = self._changes.get(streams[0], (0, 0))
            self._changes[streams[0]] = before[0] + added, before[1] + dropped

    def _tells_no_more(self, stream: str) -> bool:
        """Returns whether some of its shards may have had keys that were not reported."""
        return len(self._sights.get(stream, {})) >= MOST_NAMES

    def _first(self, column: str, streams: Iterable[str]) -> Sight | None:
        found = (self._sights.get(stream, {}).get(column_key(column)) for stream in streams)
        return min(filter(None, found), key=lambda sight: sight.epoch, default=None)

    def _unknown(self, target: TargetTable, columns: Mapping[str, bool], streams: Iterable[str]) -> dict[str, Sight]:
        """Keys without a column that nothing was said of yet."""
        known = set(map(column_key, columns))
        lacking = {name for stream in streams for name in self._sights.get(stream, {})} - known
        (self._short.add if lacking else self._short.discard)(target)
        return {
            name: self._sights[stream][name] for stream in streams for name in self._untold.get(stream, set()) - known
        }

    def _name_unknown(self, state: TargetState, unknown: Mapping[str, Sight]) -> None:
        if not unknown:
            return
        named = [unknown[name] for name in sorted(unknown)][:MOST_NAMED]
        wanted = ", ".join(sight.column(state) for sight in named)
        log.warning(
            "schema.unknown_keys",
            extra={
                "table": str(state.target),
                "count": len(unknown),
                "keys": {sight.key: sight.as_dict() for sight in named},
                "next_step": f"{UNKNOWN}{add_columns(state, wanted)}",
            },
        )
