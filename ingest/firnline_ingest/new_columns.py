"""Adds columns for keys that have none, before the rows with their values are sent (`adds_columns` of a pipeline).

A page whose keys have no answer yet is not appended. An answer is a column, or a refusal: then the keys are counted as unknown,
and are asked for again after a while. So no value is dropped uncounted, and no refusal holds a shard. An answer is as old as the
channel at most: the account behind a channel that is opened again may be another one, whose table has less.

No page says that a channel which was open before knows a column that was added since, and other clients open theirs again
(supabase/etl, `client.rs`, read 2026-11-29). So a column answers for a channel only if its opening began after it was seen.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from firnline_ingest.config.model import EngineConfig, PipelineConfig
from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis.page import Record
from firnline_ingest.ledger.backend import ColumnLedger
from firnline_ingest.planned_columns import ColumnPlans, refuse_undecided
from firnline_ingest.records.first_sight import NewKey
from firnline_ingest.records.key_shape import TableKeys, column_key
from firnline_ingest.records.rows import RowMaker, Rows
from firnline_ingest.snowflake.errors import StatementRefused
from firnline_ingest.snowflake.new_column import NewColumn
from firnline_ingest.snowflake.target import NOT_ALLOWED, TargetCatalog, TargetState, add_columns

AT_ONCE = 100  # columns of one statement: as many as schema evolution adds at once (data-load-schema-evolution)
MOST_REFUSED = 2000  # keys remembered of a table; a stream whose keys are data has new ones without end
AGAIN_S = 300.0
"""After which all is asked again: what was refused may be granted by now, and a column may have been dropped."""
MOST_LOGGED = 20  # keys of one line
BY_ITS_OWNER = "its type has to be given by a person"

ALWAYS = float("-inf")

UNASKED = TableKeys(frozenset(), gets_more=True)

log = logging.getLogger(__name__)


class Opening(NamedTuple):
    """The time that the opening of a channel took, in seconds by the clock of NewColumns."""

    begun_s: float
    """What came to a table since then, the channel may not know."""
    done_s: float
    """What was looked at before then may have been another account's."""


NO_CHANNEL = Opening(begun_s=float("inf"), done_s=float("-inf"))


@dataclass(slots=True)
class _Table:
    """The knowledge that this process has of one table."""

    known: TableKeys = UNASKED
    misses_no_key: bool = False
    """True if it evolves now, or a SELECT says what is taken."""
    begun_s: float | None = None
    """The time at which the first of it was learned; None where nothing was asked yet."""
    asked_s: float = 0.0
    """The time at which the columns were looked at last."""
    seen: frozenset[str] | None = None
    """The columns of the last look; None before the first one."""
    added_s: dict[str, float] = field(default_factory=dict)
    """The time at which a column was seen first that had not been there at the look before."""

    def look(self, columns: frozenset[str], seen_s: float) -> frozenset[str]:
        """`seen_s`: when they were there at the latest."""
        if self.seen is not None:
            self.added_s |= dict.fromkeys(columns - self.seen, seen_s)
        self.seen = columns
        return columns

    def is_older(self, column: str, opening: Opening) -> bool:
        return self.added_s.get(column, ALWAYS) < opening.begun_s

    def has_newer(self, opening: Opening) -> bool:
        return any(added_s >= opening.begun_s for added_s in self.added_s.values())


@dataclass(slots=True)
class NewColumns:
    """Serves all shards of a process: a key that one of them had a column added for is answered for all. Thread-safe."""

    catalog: TargetCatalog
    clock: Callable[[], float] = time.monotonic
    ledger: ColumnLedger | None = None
    """Where columns are planned that a person has to approve."""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _tables: dict[tuple[str, str], _Table] = field(default_factory=dict)
    """By stream, and by table where the pipeline has routes."""

    @classmethod
    def of(cls, config: EngineConfig, ledger: ColumnLedger | None = None) -> "NewColumns":
        return cls(TargetCatalog(config), ledger=ledger)

    def begin_opening(self, pipeline: PipelineConfig, tables: Iterable[str]) -> float:
        """Returns when the opening of a channel begins, by the clock: every column that comes later is seen as a new one. Raises
        what keeps Snowflake from being asked."""
        with self._lock:
            found = {name: self._table(pipeline, name) for name in tables}
            unseen = {name: table for name, table in found.items() if table.seen is None and not table.misses_no_key}
            by_table = self._states(pipeline) if unseen else {}
            for name, table in unseen.items():
                table.misses_no_key = not by_table[name].adds_columns
                if not table.misses_no_key:
                    table.look(self._columns(by_table[name]), self.clock())
        return self.clock()

    def known(
        self, pipeline: PipelineConfig, tables: Iterable[str], opening: Opening = NO_CHANNEL
    ) -> Mapping[str, TableKeys]:
        """Returns what is known of the tables that the pipeline adds columns to, by the names that its routes give them; no
        entry for those that miss no key. What was looked at before the channel was open is not known, and neither are columns
        that are newer than the channel."""
        found = {name: self._table(pipeline, name) for name in tables}
        return {name: known for name, table in found.items() if (known := self._known(table, opening))}

    def answer(self, pipeline: PipelineConfig, wanted: Mapping[str, Mapping[str, NewKey]], shard: str) -> None:
        """Gives each of the wanted keys of each table a column, or notes that it has none for now. Raises what keeps Snowflake
        from being asked, and ColumnsUndecided where a person has to be: nothing is noted then.
        """
        with self._lock:
            by_table = self._states(pipeline)
            for name, keys in wanted.items():
                plans = self._plans if pipeline.adds_columns == "approved" else None
                self._answer(self._table(pipeline, name), by_table[name], keys, shard, plans)

    def rows_of(
        self,
        maker: RowMaker,
        records: Sequence[Record],
        pipeline: PipelineConfig,
        tables: Sequence[str],
        shard: str,
        *,
        opening: Opening = NO_CHANNEL,
    ) -> Rows | None:
        """Returns the rows of records of which each key has a column, or had one refused; None where a value's column is newer
        than the channel. Raises what `answer` raises."""
        made = maker.convert(records)
        while made.unanswered_keys:
            self.answer(pipeline, maker.unanswered(records, made), shard)
            maker.set_tables(self.known(pipeline, tables, opening))
            made = maker.convert(records)
            if made.unanswered_keys and any(self._table(pipeline, name).has_newer(opening) for name in tables):
                return None
        return made

    @property
    def _plans(self) -> ColumnPlans:
        assert self.ledger is not None, "who asks for approval has a ledger"
        return ColumnPlans(self.ledger, lambda: int(time.time() * 1000))

    def _states(self, pipeline: PipelineConfig) -> Mapping[str, TargetState]:
        """Returns the state of each table, by the names that the pipeline's routes give them."""
        state = self.catalog.states([pipeline])[pipeline.stream]
        if isinstance(state, FirnlineError):
            raise state
        return {"": state} | {beside.target.table: beside for beside in state.beside}

    def _answer(
        self, table: _Table, state: TargetState, keys: Mapping[str, NewKey], shard: str, plans: ColumnPlans | None
    ) -> None:
        now_s = self.clock()
        table.asked_s, table.misses_no_key = now_s, not state.adds_columns
        if table.begun_s is None:
            table.begun_s = now_s
        if table.misses_no_key:
            return
        found = replace(table.known, columns=table.look(self._columns(state), self.clock()))
        lacking = {
            column_key(key): NewColumn(key, new.kind, declared=new.column)
            for key, new in keys.items()
            if found.is_unanswered(key)
        }
        decided = None
        if plans and lacking:
            decided = plans.decided(state, self.catalog.columns_of(state.target), lacking, keys, shard=shard)
        if decided:
            lacking = {name: lacking[name]._replace(approved=each) for name, each in decided.approved.items()}
        if lacking:
            refused = _Attempt(self.catalog, state).add(list(lacking.values()))
            _tell(state, lacking.values(), refused, shard)
            found = replace(found, columns=table.look(self._columns(state), self.clock()))
        declined = decided.declined if decided else frozenset()
        table.known = replace(found, refused=found.refused | declined | (lacking.keys() - found.columns))
        refuse_undecided(state, decided.open if decided else ())

    def _columns(self, state: TargetState) -> frozenset[str]:
        return frozenset(map(column_key, self.catalog.columns_of(state.target)))

    def _table(self, pipeline: PipelineConfig, name: str) -> _Table:
        return self._tables.setdefault((pipeline.stream, name), _Table())

    def _known(self, table: _Table, opening: Opening) -> TableKeys | None:
        """Returns what is known now; None where no key is missed. Where too many keys were refused, every other one is."""
        if table.begun_s is not None and self.clock() - table.begun_s > AGAIN_S:
            table.known, table.begun_s, table.misses_no_key = UNASKED, None, False
        if table.asked_s < opening.done_s:
            return UNASKED
        if table.misses_no_key:
            return None
        columns = table.known.columns
        if table.has_newer(opening):
            columns = frozenset(name for name in columns if table.is_older(name, opening))
        return replace(table.known, columns=columns, gets_more=len(table.known.refused) < MOST_REFUSED)


@dataclass(slots=True)
class _Attempt:
    """Tries to add columns to one table: all at once, and where that is refused, fewer and fewer."""

    catalog: TargetCatalog
    state: TargetState
    _forbidden: str = ""
    """The reason why none can be added at all."""

    def add(self, columns: Sequence[NewColumn]) -> dict[str, str]:
        """Returns the keys that got no column, each with the reason."""
        refused = {each.key: BY_ITS_OWNER for each in columns if each.is_a_persons(self.state)}
        rest = [each for each in columns if each.key not in refused]
        for first in range(0, len(rest), AT_ONCE):
            refused |= self._added(rest[first : first + AT_ONCE])
        return refused

    def _added(self, columns: Sequence[NewColumn]) -> dict[str, str]:
        """A name that another engine added meanwhile refuses them all; alone it is there, and that is enough."""
        if self._forbidden:
            return dict.fromkeys((each.key for each in columns), self._forbidden)
        try:
            self.catalog.add_columns(self.state, [each.definition(self.state) for each in columns])
        except StatementRefused as error:
            if getattr(error.__cause__, "errno", None) == NOT_ALLOWED:
                self._forbidden = error.what
            if len(columns) == 1 or self._forbidden:
                return dict.fromkeys((each.key for each in columns), error.what)
            middle = len(columns) // 2
            return self._added(columns[:middle]) | self._added(columns[middle:])
        return {}


def _tell(state: TargetState, columns: Iterable[NewColumn], refused: Mapping[str, str], shard: str) -> None:
    extra = {"table": str(state.target), "shard": shard}
    added = sorted(each.key for each in columns if each.key not in refused)
    if added:
        log.info("schema.columns_added", extra={**extra, "keys": added[:MOST_LOGGED], "count": len(added)})
    if refused:
        asked = [each for each in columns if each.key in refused][:MOST_LOGGED]
        next_step = add_columns(state, ", ".join(each.definition(state) for each in asked))
        causes = {each.key: refused[each.key] for each in asked}
        log.warning(
            "schema.column_refused",
            extra={**extra, "count": len(refused), "causes": causes, "next_step": f"as its owner: {next_step}"},
        )
