"""Audits the tables of a pipeline as one: a record has to be in exactly one of them, the one that its routes select.

With several tables, each row names the table in which it was found; without routes there is no such label.
"""

import heapq
from collections.abc import Iterator, Mapping

from firnline_infra.audit.comparison import ContentCheck, position_of
from firnline_infra.audit.findings import ShardFindings
from firnline_infra.audit.outcome import AuditOutcome, LetterContent, StreamRecord
from firnline_infra.audit.rejected import ErrorRows
from firnline_infra.audit.shards import OnInvalidPosition, RowCounts
from firnline_infra.audit.table import AuditedTable, TableDescription, TableInventory

OWN = ""


class AuditedTables:
    """Each method raises what AuditedTable's does. As it was when this was made, if somebody changes a table meanwhile."""

    def __init__(self, own: AuditedTable, routed: Mapping[str, AuditedTable] | None = None) -> None:
        """`routed` by what the engine's routes call them: their stored names."""
        self._tables = {OWN: own, **(routed or {})}
        self.described: Mapping[str, TableDescription] = {
            route: table.describe() for route, table in self._tables.items()
        }

    @property
    def names(self) -> dict[str, str]:
        """The name of each table by its route, the pipeline's own first."""
        return {route: str(table) for route, table in self._tables.items()}

    @property
    def labels(self) -> dict[str, str]:
        """Returns the table's label for each route; empty for a single table."""
        return self.names if len(self._tables) > 1 else {OWN: ""}

    def inventory(self) -> dict[str, TableInventory]:
        return {self.labels[route]: table.inventory() for route, table in self._tables.items()}

    def error_rows(self) -> dict[str, ErrorRows]:
        """The error rows of the tables that keep rejected rows."""
        logging = {route: table for route, table in self._tables.items() if self.described[route].logs_errors}
        found = {self.labels[route]: table.error_rows() for route, table in logging.items()}
        for label, rows in found.items():
            for outcomes in rows.by_shard.values():
                outcomes[:] = [outcome._replace(table=label) for outcome in outcomes]
        return found

    def count_rows(self, shard_id: str, *, first: str | None, kept_since_ms: int) -> RowCounts:
        counts = [
            table.count_rows(shard_id, first=first, kept_since_ms=kept_since_ms) for table in self._tables.values()
        ]
        return RowCounts(*map(sum, zip(*counts, strict=True)))

    def rows(
        self,
        shard_id: str,
        *,
        first: str | None,
        expected: int,
        with_contents: bool,
        on_invalid_position: OnInvalidPosition,
    ) -> Iterator[AuditOutcome]:
        """The rows in the order of positions; one that two tables have comes twice."""
        each = []
        for route, table in self._tables.items():
            columns = self.described[route].columns if with_contents else None
            rows = table.rows(
                shard_id, first=first, expected=expected, columns=columns, on_invalid_position=on_invalid_position
            )
            each.append(_labelled(rows, self.labels[route]))
        return heapq.merge(*each, key=position_of)


def _labelled(rows: Iterator[AuditOutcome], label: str) -> Iterator[AuditOutcome]:
    return (row._replace(table=label) for row in rows) if label else rows


class ContentOfTables:
    """Compares each row with the columns of the table that it is in."""

    def __init__(self, checks: Mapping[str, ContentCheck]) -> None:
        """`checks` are by what rows say of their table."""
        self._checks = checks
        self._of_letters = next(iter(checks.values()))

    def __call__(self, record: StreamRecord, outcome: AuditOutcome, findings: ShardFindings) -> None:
        is_letter = isinstance(outcome.content, LetterContent)
        (self._of_letters if is_letter else self._checks[outcome.table])(record, outcome, findings)
