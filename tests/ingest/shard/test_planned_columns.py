"""`adds_columns: approved`: a page waits until a person has decided about each of its new keys."""

import argparse
import random
from dataclasses import replace
from typing import Any, cast

import pytest

from firnline_ingest.commands.columns import add_words, columns
from firnline_ingest.commands.output import plain_echo
from firnline_ingest.errors import UsageError
from firnline_ingest.ledger import column_note, provision
from firnline_ingest.ledger.column_note import ColumnDecision, ColumnNote
from firnline_ingest.new_columns import NewColumns
from firnline_ingest.planned_columns import (
    chosen_tables,
    decide,
    forget,
    require_declined,
    require_planned,
    tables_of,
)
from firnline_ingest.records.first_sight import JsonKind, NewKey
from firnline_ingest.shard.receipt import Receipt, ShardState
from firnline_ingest.snowflake.target import TargetState
from firnline_ingest.snowflake.target_errors import ColumnsUndecided
from tests.fakes.columns import OWN, ColumnsInMemory
from tests.fakes.configs import TARGET, config
from tests.fakes.configs import pipeline as configured
from tests.fakes.ledger import MemoryLedger
from tests.fakes.receipts import problem
from tests.ingest.shard.conftest import World
from tests.ingest.shard.routed import ROUTES, ours, table

from .running import bounded

TABLE = str(TARGET)


@pytest.fixture
def catalog() -> ColumnsInMemory:
    return ColumnsInMemory(TargetState(TARGET, evolves=False, logs_errors=True, adds_columns=True))


def process(world: World, catalog: ColumnsInMemory, ledger: MemoryLedger) -> Any:
    return world.services(new_columns=NewColumns(cast("Any", catalog), ledger=ledger))


def until_it_waits(world: World, catalog: ColumnsInMemory, ledger: MemoryLedger, work: Any = None) -> Receipt:
    return bounded(process(world, catalog, ledger), work or world.work(), seconds=0.5)


def test_until_a_person_has_decided_no_row_of_the_page_is_sent_and_the_plan_says_what_waits(
    world: World, catalog: ColumnsInMemory
) -> None:
    world.configure(adds_columns="approved")
    ledger = MemoryLedger()
    world.put({"n": 0, "price": 1, "day": "x"}, {"n": 1, "price": 2.5})
    receipt = until_it_waits(world, catalog, ledger)
    assert (problem(receipt), receipt.rows) == ("FL-3137", 0)
    assert "price" in (receipt.problem.what if receipt.problem else "")
    note = ledger.column_note(TABLE)
    assert note is not None
    planned = {each.key: (each.definition, each.records) for each in note.planned.values()}
    assert planned == {"price": ('"PRICE" FLOAT', 2), "day": ('"DAY" VARCHAR', 1)}
    first = str(world.stream.shard().records[0].sequence_number)
    assert {each.sequence_number for each in note.planned.values()} == {first}
    assert catalog.statements == []


def test_what_is_approved_is_added_and_what_is_declined_is_counted(world: World, catalog: ColumnsInMemory) -> None:
    world.configure(adds_columns="approved")
    ledger = MemoryLedger()
    world.put({"n": 0, "price": 12345678901234567890}, {"n": 1, "noise": "x"})
    until_it_waits(world, catalog, ledger)
    assert [each.key for each in decide(ledger, TABLE, ColumnDecision.DECLINED, ["NOISE"])] == ["noise"]
    assert problem(until_it_waits(world, catalog, ledger)) == "FL-3137"
    assert [each.key for each in decide(ledger, TABLE, ColumnDecision.APPROVED)] == ["price"]
    receipt = bounded(process(world, catalog, ledger), world.work())
    assert (receipt.state, receipt.rows, receipt.unknown_keys) == (ShardState.DONE, 2, 1)
    assert catalog.statements == [('"PRICE" NUMBER(38, 0)',)]
    assert catalog.columns[TARGET.table] == OWN | {"PRICE"}


def test_each_table_of_routes_has_a_plan_of_its_own(world: World, catalog: ColumnsInMemory) -> None:
    world.pipeline = configured(routes=ROUTES, adds_columns="approved")
    orders, refunds = (replace(catalog.state, target=table(name)) for name in ("ORDERS", "REFUNDS"))
    catalog.state = replace(catalog.state, beside=(orders, refunds))
    ledger = MemoryLedger()
    world.put({"n": 0, "kind": "order", "a": 1}, {"n": 1, "kind": "refund", "b": 1}, {"n": 2, "kind": "x", "c": 1})
    for _ in range(3):
        until_it_waits(world, catalog, ledger, ours(world))
        for name in (TARGET, orders.target, refunds.target):
            decide(ledger, str(name), ColumnDecision.APPROVED)
    receipt = bounded(process(world, catalog, ledger), ours(world))
    assert (receipt.state, receipt.rows, receipt.unknown_keys) == (ShardState.DONE, 3, 0)
    assert catalog.columns == {TARGET.table: OWN | {"C"}, "ORDERS": OWN | {"A"}, "REFUNDS": OWN | {"B"}}
    assert len(tables_of(config(pipelines=[world.pipeline.model_dump(by_alias=True)]))) == 3


def test_processes_that_plan_the_same_keys_make_one_plan(world: World, catalog: ColumnsInMemory) -> None:
    pipeline = configured(adds_columns="approved")
    ledger = MemoryLedger()
    keys = [{"a": 1}, {"A": 1, "b": 2}]
    for each in keys:
        found = NewColumns(cast("Any", catalog), ledger=ledger)
        with pytest.raises(ColumnsUndecided):
            found.answer(pipeline, {"": {key: NewKey(JsonKind.INTEGER, 0, "100") for key in each}}, "shard")
    note = ledger.column_note(TABLE)
    assert note is not None
    assert sorted(each.key for each in note.planned.values()) == ["a", "b"]


def test_a_column_that_its_owner_added_waits_no_more(world: World, catalog: ColumnsInMemory) -> None:
    world.configure(adds_columns="approved")
    ledger = MemoryLedger()
    world.put({"n": 0, "price": 1})
    until_it_waits(world, catalog, ledger)
    catalog.columns[TARGET.table].add("PRICE")
    receipt = bounded(process(world, catalog, ledger), world.work())
    assert (receipt.state, receipt.rows, receipt.unknown_keys) == (ShardState.DONE, 1, 0)
    note = ledger.column_note(TABLE)
    assert note is not None
    assert note.after(catalog.columns[TARGET.table], evolves=False, now_ms=1).planned == {}


def test_the_column_is_the_one_that_was_approved_whatever_a_later_record_holds(catalog: ColumnsInMemory) -> None:
    """The second shard has numbers alone, and adds the column first: the text of the first one would fit into none."""
    pipeline, ledger = configured(adds_columns="approved"), MemoryLedger()
    first = NewColumns(cast("Any", catalog), ledger=ledger)
    with pytest.raises(ColumnsUndecided):
        first.answer(pipeline, {"": {"price": NewKey(JsonKind.TEXT, 0, "100")}}, "shard")
    (approved,) = decide(ledger, TABLE, ColumnDecision.APPROVED)
    second = NewColumns(cast("Any", catalog), ledger=ledger)
    second.answer(pipeline, {"": {"Price": NewKey(JsonKind.INTEGER, 0, "200")}}, "other shard")
    assert catalog.statements == [(approved.definition,)] == [('"PRICE" VARCHAR',)]


@pytest.fixture
def small_note(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of what an item holds."""
    monkeypatch.setattr(column_note, "MOST_BYTES", 30_000)


@pytest.mark.usefixtures("small_note")
def test_keys_that_do_not_fit_into_one_plan_are_decided_in_turns(catalog: ColumnsInMemory) -> None:
    pipeline, ledger, draw = configured(adds_columns="approved"), MemoryLedger(), random.Random(38)
    keys = {draw.randbytes(100).hex(): NewKey(JsonKind.INTEGER, 0, "100") for _ in range(300)}
    for _ in range(2):
        with pytest.raises(ColumnsUndecided):
            NewColumns(cast("Any", catalog), ledger=ledger).answer(pipeline, {"": keys}, "shard")
        decided = decide(ledger, TABLE, ColumnDecision.APPROVED)
        assert 0 < len(decided) < len(keys)
    assert len(catalog.columns[TARGET.table]) > 10


def test_a_word_about_what_is_not_planned_is_refused_and_nothing_is_decided() -> None:
    settings = config(pipelines=[configured(adds_columns="approved").model_dump(by_alias=True)])
    with pytest.raises(UsageError, match=r"'nope'; nothing was decided"):
        require_planned(MemoryLedger(), chosen_tables(settings, None), ["nope"])
    with pytest.raises(UsageError, match="fills a table NOPE"):
        chosen_tables(settings, "NOPE")
    assert chosen_tables(settings, TARGET.table.lower()) == [TABLE]


@pytest.mark.usefixtures("small_note")
def test_a_full_plan_of_declined_keys_takes_others_once_some_are_forgotten(catalog: ColumnsInMemory) -> None:
    pipeline, ledger, draw = configured(adds_columns="approved"), MemoryLedger(), random.Random(39)

    def meets(*keys: str) -> None:
        found = {key: NewKey(JsonKind.INTEGER, 0, "100") for key in keys}
        with pytest.raises(ColumnsUndecided):
            NewColumns(cast("Any", catalog), ledger=ledger).answer(pipeline, {"": found}, "shard")

    for _ in range(6):
        meets(*(draw.randbytes(100).hex() for _ in range(300)))
        decide(ledger, TABLE, ColumnDecision.DECLINED)
    meets(*("late" + draw.randbytes(100).hex() for _ in range(20)))
    decide(ledger, TABLE, ColumnDecision.DECLINED)
    note = ledger.column_note(TABLE)
    assert note is not None
    assert note.is_nearly_full
    late = [each.key for each in note.planned.values() if each.key.startswith("late")]
    assert len(late) < 20, "there is no room to ask for all of them"
    some = [each.key for each in note.planned.values()][:10]
    assert len(forget(ledger, TABLE, some)) == 10
    meets("late")
    (asked,) = decide(ledger, TABLE, ColumnDecision.APPROVED)
    assert asked.key == "late"


def test_only_what_was_declined_is_forgotten() -> None:
    ledger = planning("price", "day")
    decide(ledger, TABLE, ColumnDecision.DECLINED, ["day"])
    with pytest.raises(UsageError, match=r"'price' was not declined; nothing was forgotten"):
        require_declined(ledger, [TABLE], ["day", "price"])
    assert forget(ledger, TABLE, ["day", "price"]) == ["day"]
    note = ledger.column_note(TABLE)
    assert note is not None
    assert [each.key for each in note.planned.values()] == ["price"]
    with pytest.raises(UsageError, match="was not declined"):
        require_declined(ledger, [TABLE], ["day"])


class Contended(MemoryLedger):
    """Somebody else is faster each time."""

    is_contended = False

    def note_columns(self, table: str, note: ColumnNote, before: ColumnNote | None) -> bool:
        return not self.is_contended and super().note_columns(table, note, before)


def test_a_word_that_others_were_faster_than_each_time_is_refused() -> None:
    ledger = planning("price", ledger=Contended())
    ledger.is_contended = True
    with pytest.raises(UsageError, match="nothing was decided about it"):
        decide(ledger, TABLE, ColumnDecision.APPROVED)
    with pytest.raises(UsageError, match="was changed by others each of 5 times"):
        decide(ledger, TABLE, ColumnDecision.DECLINED, ["price"])


def test_the_command_says_what_is_declined_and_forgets_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger = planning("price", "day")
    monkeypatch.setattr(provision, "open_ledger", lambda _: ledger)
    settings = config(pipelines=[configured(adds_columns="approved").model_dump(by_alias=True)])

    def says(*words: str) -> str:
        parser = argparse.ArgumentParser()
        add_words(parser)
        assert columns(settings, parser.parse_args(words, argparse.Namespace(echo=plain_echo))) == 0
        return capsys.readouterr().out

    assert f"{TABLE}: declined, so without a column: day" in says("--decline", "day")
    assert f"{TABLE}: forgot day" in says("--forget", "day")
    assert "declined" not in says()


def planning(*keys: str, ledger: Any = None) -> Any:
    """A ledger with a plan of these keys."""
    catalog = ColumnsInMemory(TargetState(TARGET, evolves=False, logs_errors=True, adds_columns=True))
    ledger = ledger or MemoryLedger()
    found = {key: NewKey(JsonKind.INTEGER, 0, "100") for key in keys}
    with pytest.raises(ColumnsUndecided):
        NewColumns(cast("Any", catalog), ledger=ledger).answer(
            configured(adds_columns="approved"), {"": found}, "shard"
        )
    return ledger
