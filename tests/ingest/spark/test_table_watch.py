"""Tests of what people change of a table while an engine runs, as the log tells it; with the real service in
tests/contract/snowpipe_streaming/test_tables_that_people_change.py."""

import logging
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from firnline_ingest.ledger.errors import LedgerUnavailable
from firnline_ingest.snowflake.errors import LoginRefused, StatementRefused
from firnline_ingest.snowflake.table_columns import TableColumn
from firnline_ingest.snowflake.target import TargetState
from firnline_ingest.spark.column_notes import ColumnNotes
from firnline_ingest.spark.columns import ColumnWatch
from firnline_ingest.spark.table_watch import AT_ONCE, TableWatch
from firnline_ingest.values import TargetTable
from tests.fakes.ledger import MemoryLedger

TEXT, REQUIRED, LONGER = (
    TableColumn("VARCHAR(5)", True),
    TableColumn("VARCHAR(5)", False),
    TableColumn("VARCHAR(9)", True),
)


@dataclass
class Catalog:
    columns: dict[str, TableColumn] = field(default_factory=lambda: {"A": TEXT, "B": TEXT})
    earlier: str | None = None
    refuses: str = ""
    asked: list[str] = field(default_factory=list)

    def described(self, target: TargetTable) -> dict[str, TableColumn]:
        self.asked.append(target.table)
        if target.table == self.refuses:
            raise StatementRefused("answer", "a test")
        return dict(self.columns)

    def now_called(self, before: TargetTable) -> str | None:
        return self.earlier


def state(table: str = "T", *, evolves: bool = False, logs_errors: bool = True, **target: str) -> TargetState:
    made = replace(TargetTable("DB", "RAW", table, "2026", f"{table}-STREAMING"), **target)
    return TargetState(made, evolves=evolves, logs_errors=logs_errors)


def told(
    caplog: pytest.LogCaptureFixture,
    catalog: Catalog,
    *states: TargetState,
    change: dict[str, TableColumn] | None = None,
) -> list[dict[str, Any]]:
    """Returns what the second look says, and a third of the same says no more."""
    watch = TableWatch()
    caplog.set_level(logging.INFO)
    watch.look(cast("Any", catalog), {"s": states[0]})
    assert not caplog.records
    if change is not None:
        catalog.columns = change
    for _ in range(2):
        watch.look(cast("Any", catalog), {"s": states[-1]})
    return [vars(record) for record in caplog.records]


@pytest.mark.parametrize(
    ("evolves", "change", "columns", "words", "next_step"),
    [
        (False, {"A": TEXT}, ["B"], "dropped or renamed", "ALTER TABLE DB.RAW.T RENAME COLUMN … TO B"),
        (True, {"A": TEXT, "C": TEXT}, ["B"], "dropped or renamed", "begins empty"),
        (False, {"A": TEXT, "B": LONGER}, ["B"], "another type: B VARCHAR(5) → VARCHAR(9)", "does not fit is rejected"),
        (False, {"A": TEXT, "B": REQUIRED}, ["B"], "NOT NULL was set", "ALTER COLUMN B DROP NOT NULL"),
        (True, {"A": TEXT, "B": REQUIRED}, ["B"], "NOT NULL was set", "schema.not_null_dropped"),
        (False, {"A": TEXT, "B": TEXT, "C": REQUIRED}, ["C"], "added with NOT NULL", "is rejected from now on"),
    ],
)
def test_a_changed_column_is_named_once_with_what_becomes_of_rows(
    caplog: pytest.LogCaptureFixture,
    evolves: bool,
    change: dict[str, TableColumn],
    columns: list[str],
    words: str,
    next_step: str,
) -> None:
    (line,) = told(caplog, Catalog(), state(evolves=evolves), change=change)
    assert (line["message"], line["table"]) == ("schema.changed", "DB.RAW.T")
    assert (line["columns"], line["change"]) == (columns, words)
    assert next_step in line["next_step"]


def test_a_nullable_column_that_comes_is_no_news_of_ours(caplog: pytest.LogCaptureFixture) -> None:
    assert told(caplog, Catalog(), state(), change={"A": TEXT, "B": TEXT, "C": TEXT}) == []


def test_switches_that_are_turned_off_are_named_and_turned_on_are_not(caplog: pytest.LogCaptureFixture) -> None:
    on, off = state(evolves=True), state(evolves=False, logs_errors=False)
    lines = told(caplog, Catalog(), on, off)
    assert [line["change"] for line in lines] == ["schema evolution is off", "error logging is off"]
    caplog.clear()
    assert told(caplog, Catalog(), off, on) == []


@pytest.mark.parametrize(("earlier", "named"), [("DB.RAW.OLD", "DB.RAW.OLD"), (None, "dropped, or out of sight")])
def test_a_replaced_table_is_told_with_where_the_earlier_one_is(
    caplog: pytest.LogCaptureFixture, earlier: str | None, named: str
) -> None:
    (line,) = told(caplog, Catalog(earlier=earlier), state(), state(table_created_on="2027"))
    assert (line["message"], line["was_made"], line["now_made"]) == ("table.replaced", "2026", "2027")
    assert line["earlier_is_now"] == named


def test_a_replaced_pipe_is_told_as_that(caplog: pytest.LogCaptureFixture) -> None:
    (line,) = told(caplog, Catalog(), state(pipe="P", pipe_created_on="1"), state(pipe="P", pipe_created_on="2"))
    assert (line["message"], line["pipe"], line["now_made"]) == ("pipe.replaced", "P", "2")


def test_what_happens_to_a_table_that_a_route_leads_to_is_told_as_of_the_pipelines_own(
    caplog: pytest.LogCaptureFixture,
) -> None:
    before = replace(state(), beside=(state("ORDERS"), state("REFUNDS")))
    now = replace(before, beside=(state("ORDERS", table_created_on="2027"), state("REFUNDS", logs_errors=False)))
    replaced, switched = told(caplog, Catalog(), before, now)
    assert (replaced["message"], replaced["table"], replaced["stream"]) == ("table.replaced", "DB.RAW.ORDERS", "s")
    assert (switched["change"], switched["table"]) == ("error logging is off", "DB.RAW.REFUNDS")


def test_many_tables_are_looked_at_in_turns_and_one_that_refuses_costs_only_itself() -> None:
    watch, catalog = TableWatch(), Catalog(refuses="T0")
    states = {f"s{number}": state(f"T{number}") for number in range(2 * AT_ONCE)}
    for _ in range(3):
        watch.look(cast("Any", catalog), states)
    assert set(catalog.asked) == {f"T{number}" for number in range(2 * AT_ONCE)}
    assert len(catalog.asked) == 3 * AT_ONCE


def test_a_table_that_goes_between_two_statements_has_no_columns_dropped(caplog: pytest.LogCaptureFixture) -> None:
    assert told(caplog, Catalog(), state(), change={}) == []


def test_a_user_that_may_no_longer_ask_keeps_no_other_pipelines_table_from_being_looked_at() -> None:
    """The user's session dies between two questions of one look; each pipeline may have a user of its own."""
    asked: list[str] = []

    def described(target: TargetTable) -> dict[str, TableColumn]:
        asked.append(target.table)
        if target.table == "A":
            raise LoginRefused("U", "R", "User is disabled")
        return {}

    states = {
        name: TargetState(TargetTable("DB", "RAW", name, "2026", f"{name}-STREAMING"), evolves=True, logs_errors=True)
        for name in ("A", "B")
    }
    catalog: Any = SimpleNamespace(described=described, columns_of=described)
    TableWatch().look(catalog, states)
    ColumnWatch().look(catalog, states)
    assert asked == ["A", "B"] * 2


def test_when_a_column_was_seen_first_is_noted_for_the_audit() -> None:
    """Also by an engine that starts behind the change, and not while the ledger does not answer."""
    ledger, catalog = MemoryLedger(), Catalog()

    def look(now_ms: int, ledger: Any = ledger) -> None:
        watch = TableWatch(notes=ColumnNotes(ledger, now_ms=lambda: now_ms))
        for _ in range(2):
            watch.look(cast("Any", catalog), {"s": state()})

    look(1)
    catalog.columns["C"] = TEXT
    unavailable: Any = SimpleNamespace(column_note=_unavailable)
    look(5, unavailable)
    look(7)
    look(9)
    note = ledger.column_note("DB.RAW.T")
    assert note is not None
    assert (note.since_ms, note.number) == ({"A": 0, "B": 0, "C": 7}, 2)


def _unavailable(_table: str) -> None:
    raise LedgerUnavailable("ledger", "it is down")
