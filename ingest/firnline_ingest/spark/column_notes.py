"""Notes in the ledger when the columns of a table were seen first, for the audit (ledger/column_note.py).

The driver's. A ledger that does not answer, or a table with too many columns, costs the note and nothing else.
"""

import logging
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from firnline_ingest.errors import FirnlineError
from firnline_ingest.ledger.backend import ColumnLedger
from firnline_ingest.ledger.column_note import ColumnNote
from firnline_ingest.snowflake.target import TargetState

log = logging.getLogger(__name__)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


@dataclass(slots=True)
class ColumnNotes:
    """Remembers what it noted, so that a table without a change costs nothing."""

    ledger: ColumnLedger | None = None
    now_ms: Callable[[], int] = _now_ms
    _noted: dict[str, ColumnNote] = field(default_factory=dict)

    def see(self, state: TargetState, columns: Collection[str]) -> None:
        """Notes what a look at a table has found. What could not be written is written after the next look."""
        if self.ledger is None:
            return
        table = str(state.target)
        try:
            self._see(self.ledger, table, state, columns)
        except FirnlineError as error:
            self._noted.pop(table, None)
            log.warning("schema.not_noted", extra={"table": table, "cause": error.what})

    def _see(self, ledger: ColumnLedger, table: str, state: TargetState, columns: Collection[str]) -> None:
        before = self._noted.get(table) or ledger.column_note(table)
        created_on = state.target.table_created_on
        if before is None or before.table_created_on != created_on:
            note = ColumnNote.begun(created_on, columns, evolves=state.evolves)
        else:
            note = before.after(columns, evolves=state.evolves, now_ms=self.now_ms())
        if note == before or (note.can_be_kept and ledger.note_columns(table, note, before)):
            self._noted[table] = note
        else:  # another engine was faster, or it is too large
            self._noted.pop(table, None)
