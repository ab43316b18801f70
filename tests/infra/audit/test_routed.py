"""Several tables as one: a record that is in two of them is doubled, and one that is in none is missing."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from firnline_infra.audit.outcome import Outcome, RecordPlace
from firnline_infra.audit.rejected import ErrorRows
from firnline_infra.audit.routed import RoutedTables
from firnline_infra.audit.shards import RowCounts
from firnline_infra.audit.table import AuditedTable, TableDescription, TableInventory
from tests.infra.audit.conftest import NUMBERS, Shard

SHARD = "shardId-000000000000"


class Table:
    def __init__(
        self, rows: Sequence[Outcome], *, rejected: Sequence[Outcome] = (), others: Mapping[str, int] = {}
    ) -> None:
        self._rows, self._rejected, self._others = rows, rejected, others

    def describe(self) -> TableDescription:
        return TableDescription((), evolves=True, logs_errors=bool(self._rejected))

    def inventory(self) -> TableInventory:
        return TableInventory(frozenset({SHARD} if self._rows else ()), 1, dict(self._others))

    def error_rows(self) -> ErrorRows:
        return ErrorRows({SHARD: list(self._rejected)} if self._rejected else {}, Counter({"c": 2}))

    def count_rows(self, shard_id: str, **_: Any) -> RowCounts:
        return RowCounts(1, 0, len(self._rows))

    def rows(self, shard_id: str, **_: Any) -> Iterator[Outcome]:
        return iter(self._rows)


def several(*tables: Table) -> RoutedTables:
    return RoutedTables(cast("Sequence[AuditedTable]", tables))


def rows_of(tables: RoutedTables) -> list[Outcome]:
    return list(tables.rows(SHARD, first=None, expected=1, columns=None, on_invalid_position=lambda _: None))


def test_a_record_is_in_exactly_one_of_them(shard: Shard) -> None:
    even = [shard.row(number) for number in NUMBERS if number % 2 == 0]
    odd = [shard.row(number) for number in NUMBERS if number % 2]
    shard.outcomes = rows_of(several(Table(even), Table(odd)))
    assert shard.compared().counts.problems == 0
    shard.outcomes = rows_of(several(Table(even), Table([*odd, shard.row(NUMBERS[-1] - 1)])))
    assert [problem.kind.value for problem in shard.compared().problems] == ["doubled"]
    shard.outcomes = rows_of(several(Table(even), Table(odd[1:])))
    assert [problem.kind.value for problem in shard.compared().problems] == ["missing"]


def test_what_they_hold_is_added_up(shard: Shard) -> None:
    rejected = [shard.row(number, place=RecordPlace.ERROR_TABLE) for number in (103, 101)]
    tables = several(Table([shard.row(100)], others={"x": 2}), Table([], rejected=rejected, others={"x": 1, "y": 1}))
    assert tables.inventory() == TableInventory(frozenset({SHARD}), 2, {"x": 3, "y": 1})
    errors = tables.error_rows()
    assert ([each.sequence_number for each in errors.by_shard[SHARD]], errors.without_position["c"]) == ([101, 103], 4)
    assert tables.count_rows(SHARD, first=None, kept_since="") == RowCounts(2, 0, 1)
    assert not tables.describe().logs_errors, "a row that the other one rejects would count as missing"
