"""Tables of a pipeline with routes, as the audit asks them."""

from collections.abc import Iterator, Sequence
from typing import Any, cast

from firnline_infra.audit.columns import AuditedColumn
from firnline_infra.audit.outcome import AuditOutcome
from firnline_infra.audit.rejected import ErrorRows
from firnline_infra.audit.routed import AuditedTables
from firnline_infra.audit.shards import RowCounts
from firnline_infra.audit.table import AuditedTable, TableDescription, TableInventory

SHARD = "shardId-000000000000"
OWN, ORDERS, REFUNDS = "DB.RAW.SHOP", "DB.RAW.ORDERS", "DB.RAW.REFUNDS"
NAMES = {"": OWN, "ORDERS": ORDERS, "REFUNDS": REFUNDS}


class Table:
    def __init__(
        self, name: str, rows: Sequence[AuditOutcome], *, rejected: Sequence[AuditOutcome] = (), logs: bool = True
    ) -> None:
        self._name, self._rows, self._rejected, self._logs = name, rows, rejected, logs
        self._column = AuditedColumn.described({"name": f"C_{name[-1]}", "type": "VARCHAR", "default": None})

    def __str__(self) -> str:
        return self._name

    def describe(self) -> TableDescription:
        return TableDescription(
            (self._column,),
            evolves=True,
            logs_errors=self._logs,
        )

    def inventory(self) -> TableInventory:
        return TableInventory(frozenset({SHARD} if self._rows else ()), 1, {})

    def error_rows(self) -> ErrorRows:
        assert self._logs, "it has no error table"
        return ErrorRows({SHARD: list(self._rejected)})

    def count_rows(self, shard_id: str, **_: Any) -> RowCounts:
        return RowCounts(1, 0, len(self._rows))

    def rows(self, shard_id: str, *, columns: Sequence[AuditedColumn] | None, **_: Any) -> Iterator[AuditOutcome]:
        return (row._replace(content=[each.name for each in columns or ()]) for row in self._rows)


def several(*tables: Table) -> AuditedTables:
    own, *routed = cast("Sequence[AuditedTable]", tables)
    return AuditedTables(own, {str(table).rpartition(".")[2]: table for table in routed})
