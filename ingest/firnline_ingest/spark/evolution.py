"""Sees columns that Snowflake added while the engine ran, and reports them."""

import logging
from dataclasses import dataclass, field

from firnline_ingest.snowflake.target import TargetState
from firnline_ingest.values import TargetTable

log = logging.getLogger(__name__)


@dataclass(slots=True)
class ColumnWatch:
    """Remembers each table's columns as it saw them last."""

    _seen: dict[TargetTable, frozenset[str]] = field(default_factory=dict)

    def look(self, state: TargetState) -> tuple[str, ...]:
        """The columns that are new since the last look; none at the first."""
        columns = frozenset(state.columns)
        added = tuple(sorted(columns - self._seen.get(state.target, columns)))
        self._seen[state.target] = columns
        if added:
            log.info("schema.evolved", extra={"table": str(state.target), "added": added, "columns": len(columns)})
        return added
