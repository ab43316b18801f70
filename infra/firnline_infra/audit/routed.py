"""The tables of a pipeline with routes, as one: a record has to be in exactly one of them."""

import heapq
from collections import defaultdict
from collections.abc import Iterator, Sequence

from firnline_infra.audit.columns import AuditedColumn
from firnline_infra.audit.comparison import position_of
from firnline_infra.audit.outcome import Outcome
from firnline_infra.audit.rejected import ErrorRows
from firnline_infra.audit.shards import OnInvalidPosition, RowCounts
from firnline_infra.audit.table import AuditedTable, TableDescription, TableInventory


class RoutedTables:
    """As an AuditedTable; the pipeline's own comes first. Each method raises what AuditedTable's does."""

    def __init__(self, tables: Sequence[AuditedTable]) -> None:
        self._tables = tables

    def __str__(self) -> str:
        return ", ".join(map(str, self._tables))

    def describe(self) -> TableDescription:
        """Without columns, which each has of its own."""
        described = [table.describe() for table in self._tables]
        return TableDescription(
            (), all(each.evolves for each in described), all(each.logs_errors for each in described)
        )

    def inventory(self) -> TableInventory:
        shards, without_position, others = set[str](), 0, defaultdict[str, int](int)
        for found in [table.inventory() for table in self._tables]:
            shards |= found.shards
            without_position += found.without_position
            for stream, rows in found.other_streams.items():
                others[stream] += rows
        return TableInventory(frozenset(shards), without_position, dict(others))

    def error_rows(self) -> ErrorRows:
        found = ErrorRows()
        for rows in [table.error_rows() for table in self._tables]:
            found.without_position.update(rows.without_position)
            found.by_channel.update(rows.by_channel)
            for shard_id, outcomes in rows.by_shard.items():
                found.by_shard.setdefault(shard_id, []).extend(outcomes)
        for outcomes in found.by_shard.values():
            outcomes.sort(key=position_of)
        return found

    def count_rows(self, shard_id: str, *, first: str | None, kept_since: str) -> RowCounts:
        counts = [table.count_rows(shard_id, first=first, kept_since=kept_since) for table in self._tables]
        return RowCounts(*map(sum, zip(*counts, strict=True)))

    def rows(
        self,
        shard_id: str,
        *,
        first: str | None,
        expected: int,
        columns: Sequence[AuditedColumn] | None,
        on_invalid_position: OnInvalidPosition,
    ) -> Iterator[Outcome]:
        """In the order of positions: one that two tables have comes twice."""
        each = [
            table.rows(
                shard_id, first=first, expected=expected, columns=columns, on_invalid_position=on_invalid_position
            )
            for table in self._tables
        ]
        return heapq.merge(*each, key=position_of)
