"""Reports what schema evolution did to tables while the engine ran: columns that were added, and NOT NULL that was dropped.

Nothing depends on it but log lines, so a few evolving tables are looked at in an epoch, in turns.
"""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from firnline_ingest.snowflake.errors import StatementRefused
from firnline_ingest.snowflake.target import TargetCatalog, TargetState
from firnline_ingest.values import TargetTable

AT_ONCE = 5  # tables, each a statement
DROPPED = "records came without them: correct the producer, and ALTER TABLE … ALTER COLUMN … SET NOT NULL; or leave it."

log = logging.getLogger(__name__)


@dataclass(slots=True)
class ColumnWatch:
    """Remembers what each table had when it was looked at last."""

    _seen: dict[TargetTable, Mapping[str, bool]] = field(default_factory=dict)
    """By column, whether it takes NULL. The table that was looked at last is at the end."""

    def look(self, catalog: TargetCatalog, states: Iterable[TargetState]) -> None:
        """Raises what keeps the catalog from asking at all."""
        evolving = [state.target for state in states if state.evolves]
        order = {target: number for number, target in enumerate(self._seen)}
        for target in sorted(evolving, key=lambda target: order.get(target, -1))[:AT_ONCE]:
            try:
                self._compare(target, catalog.columns_of(target))
            except StatementRefused as error:
                log.warning("schema.unseen", extra={"table": str(target), "cause": error.what})

    def _compare(self, target: TargetTable, columns: Mapping[str, bool]) -> None:
        before = self._seen.pop(target, columns)
        self._seen[target] = columns
        if added := sorted(columns.keys() - before.keys()):
            log.info("schema.evolved", extra={"table": str(target), "added": added, "columns": len(columns)})
        if dropped := sorted(name for name, takes_null in before.items() if columns.get(name) and not takes_null):
            log.warning(
                "schema.not_null_dropped", extra={"table": str(target), "columns": dropped, "next_step": DROPPED}
            )
