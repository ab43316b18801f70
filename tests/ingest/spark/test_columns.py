import logging
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from firnline_ingest.snowflake.errors import StatementRefused
from firnline_ingest.snowflake.target import TargetState
from firnline_ingest.spark.columns import AT_ONCE, ColumnWatch
from firnline_ingest.values import TargetTable


def state(name: str, *, evolves: bool = True) -> TargetState:
    return TargetState(TargetTable("DB", "RAW", name, "2026", name), evolves=evolves, logs_errors=True)


@dataclass
class Catalog:
    columns: set[str] = field(default_factory=lambda: {"C"})
    not_null: set[str] = field(default_factory=set)
    refuses: str = ""
    asked: list[str] = field(default_factory=list)

    def columns_of(self, target: TargetTable) -> dict[str, bool]:
        self.asked.append(target.table)
        if target.table == self.refuses:
            raise StatementRefused("answer", "a test")
        return {name: name not in self.not_null for name in self.columns}


def look(watch: ColumnWatch, catalog: Catalog, *states: TargetState) -> None:
    watch.look(cast("Any", catalog), states)


def test_columns_that_were_added_are_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    watch, catalog = ColumnWatch(), Catalog()
    with caplog.at_level(logging.INFO):
        look(watch, catalog, state("A"))
        catalog.columns |= {"E", "D"}
        look(watch, catalog, state("A"))
        look(watch, catalog, state("A"))
    (record,) = caplog.records
    assert (record.message, vars(record)["added"]) == ("schema.evolved", ["D", "E"])


def test_a_column_that_takes_null_now_is_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    watch, catalog = ColumnWatch(), Catalog({"C", "D"}, not_null={"C"})
    look(watch, catalog, state("A"))
    catalog.not_null.clear()
    look(watch, catalog, state("A"))
    look(watch, catalog, state("A"))
    (record,) = caplog.records
    assert (record.message, vars(record)["columns"]) == ("schema.not_null_dropped", ["C"])


def test_every_table_that_evolves_has_its_turn() -> None:
    watch, catalog = ColumnWatch(), Catalog()
    states = [state(f"T{number}") for number in range(2 * AT_ONCE)]
    for _ in range(4):
        look(watch, catalog, *states, state("FIXED", evolves=False))
    assert len(catalog.asked) == 4 * AT_ONCE
    assert {name: catalog.asked.count(name) for name in catalog.asked} == {f"T{n}": 2 for n in range(2 * AT_ONCE)}


def test_a_table_that_can_not_be_described_delays_nobody() -> None:
    catalog = Catalog(refuses="A")
    look(ColumnWatch(), catalog, state("A"), state("B"))
    assert catalog.asked == ["A", "B"]
