"""Rows are sent when their keys have a column, or had one refused; never before."""

from dataclasses import replace
from typing import Any, cast

import pytest

from firnline_ingest.new_columns import AGAIN_S, MOST_REFUSED, NewColumns
from firnline_ingest.records.first_sight import JsonKind, NewKey
from firnline_ingest.shard.receipt import ShardState
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.snowflake.target import TargetState
from tests.fakes.columns import OWN, ColumnsInMemory
from tests.fakes.configs import TARGET
from tests.fakes.configs import pipeline as configured
from tests.fakes.receipts import problem
from tests.ingest.shard.conftest import World
from tests.ingest.shard.routed import ROUTES, ours, table

from .running import bounded


@pytest.fixture
def catalog() -> ColumnsInMemory:
    return ColumnsInMemory(TargetState(TARGET, evolves=False, logs_errors=True, adds_columns=True))


def services(world: World, catalog: ColumnsInMemory) -> Any:
    return world.services(new_columns=NewColumns(cast("Any", catalog)))


def test_a_bounded_run_keeps_each_value_of_each_key(world: World, catalog: ColumnsInMemory) -> None:
    world.configure(adds_columns=True)
    world.put({"n": 0, **{f"k{number}": number for number in range(130)}}, {"n": 1, "late": 1.5})
    receipt = bounded(services(world, catalog), world.work())
    assert (receipt.state, receipt.rows, receipt.unknown_keys) == (ShardState.DONE, 2, 0)
    assert catalog.columns[TARGET.table] == OWN | {f"K{number}" for number in range(130)} | {"LATE"}
    assert [len(each) for each in catalog.statements] == [100, 31]


def test_no_row_is_sent_before_its_keys_have_an_answer(world: World, catalog: ColumnsInMemory) -> None:
    world.configure(adds_columns=True)
    had: list[set[str]] = []
    world.channels.rejects = lambda row: had.append(set(catalog.columns[TARGET.table])) or False
    world.put({"n": 0, "a": 1}, {"n": 1, "b": "x"})
    bounded(services(world, catalog), world.work())
    assert had
    assert all(each == OWN | {"A", "B"} for each in had)


def test_keys_that_are_refused_are_counted_and_hold_nothing(world: World, catalog: ColumnsInMemory) -> None:
    world.configure(adds_columns=True)
    catalog.refuses = {"C", "F"}
    world.put({"n": 0, **dict.fromkeys("abcdefg", 1)}, {"n": 1, "c": 2})
    receipt = bounded(services(world, catalog), world.work())
    assert (receipt.state, receipt.rows, receipt.unknown_keys) == (ShardState.DONE, 2, 3)
    assert catalog.columns[TARGET.table] == OWN | set("ABDEG")
    asked = len(catalog.statements)
    world.put({"n": 2, "c": 3})
    bounded(services(world, catalog), world.work())
    assert len(catalog.statements) == asked + 1  # another process asks once itself


def test_while_snowflake_is_away_the_page_waits(world: World, catalog: ColumnsInMemory) -> None:
    world.configure(adds_columns=True)
    catalog.is_away = 3
    world.put({"n": 0, "a": 1})
    receipt = bounded(services(world, catalog), world.work())
    assert (receipt.state, problem(receipt), receipt.rows, receipt.unknown_keys) == (ShardState.DONE, None, 1, 0)
    assert "A" in catalog.columns[TARGET.table]


def test_each_table_of_a_pipeline_with_routes_gets_the_columns_of_its_own_rows(
    world: World, catalog: ColumnsInMemory
) -> None:
    world.pipeline = configured(routes=ROUTES, adds_columns=True)
    orders, refunds = (replace(catalog.state, target=table(name)) for name in ("ORDERS", "REFUNDS"))
    catalog.state = replace(catalog.state, beside=(orders, replace(refunds, evolves=True, adds_columns=False)))
    world.put(
        {"n": 0, "kind": "order", "a": 1}, {"n": 1, "kind": "refund", "b": 1}, {"n": 2, "kind": "x", "c": 1, "a": 1}
    )
    world.put({"n": 3, "kind": "order", "b": 2})
    receipt = bounded(services(world, catalog), ours(world))
    assert (receipt.state, receipt.rows, receipt.unknown_keys) == (ShardState.DONE, 4, 0)
    assert catalog.columns == {TARGET.table: OWN | {"A", "C"}, "ORDERS": OWN | {"A", "B"}}


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["1", "2"], "NUMBER(38, 0)"),
        (["1", "2.5"], "FLOAT"),
        (["1e3", "1"], "FLOAT"),
        (["null", "-9223372036854775809"], "NUMBER(38, 0)"),
        (["9" * 39], "VARCHAR"),
        (["null"], "VARCHAR"),
        (["true"], "BOOLEAN"),
        (['"x"', "1"], "VARCHAR"),
        (['{"a":1}'], "VARIANT"),
        (["[1]"], "ARRAY"),
    ],
)
def test_a_column_takes_what_its_first_page_has(
    world: World, catalog: ColumnsInMemory, values: list[str], expected: str
) -> None:
    world.configure(adds_columns=True)
    world.put(*[f'{{"n":0,"a":{value}}}'.encode() for value in values])
    bounded(services(world, catalog), world.work())
    assert catalog.statements == [(f'"A" {expected}',)]


def test_a_stream_whose_keys_are_data_asks_in_bounds(world: World, catalog: ColumnsInMemory) -> None:
    world.configure(adds_columns=True)
    clock = [0.0]
    found = NewColumns(cast("Any", catalog), clock=lambda: clock[0])
    catalog.refuses = {f"K{number}" for number in range(3 * MOST_REFUSED)}
    world.put(*[{"n": first, **{f"k{first + number}": 1 for number in range(500)}} for first in range(0, 5000, 500)])
    receipt = bounded(world.services(new_columns=found), world.work())
    assert (receipt.rows, receipt.unknown_keys) == (10, 5000)
    asked = len(catalog.statements)
    world.put({"n": 1, "k5999": 1})
    bounded(world.services(new_columns=found), world.work())
    assert len(catalog.statements) == asked
    clock[0] = AGAIN_S + 1
    world.put({"n": 1, "k5999": 1})
    bounded(world.services(new_columns=found), world.work())
    assert len(catalog.statements) == asked + 1


def test_what_was_known_before_the_channel_was_opened_again_is_asked_again(
    world: World, catalog: ColumnsInMemory
) -> None:
    """The account has failed over to a replica that has fewer columns."""
    world.configure(adds_columns=True)
    process = services(world, catalog)
    world.put({"n": 0, "a": 1, "b": 2})
    bounded(process, world.work())
    catalog.columns[TARGET.table] -= {"A", "B"}
    world.put({"n": 1, "a": 2})
    receipt = bounded(process, world.work())
    assert (receipt.rows, receipt.unknown_keys) == (1, 0)
    assert catalog.columns[TARGET.table] == OWN | {"A"}


def test_a_column_that_another_process_adds_before_the_first_look_of_this_one_is_newer_than_the_channel(
    world: World, catalog: ColumnsInMemory
) -> None:
    world.configure(adds_columns=True)
    steps: list[EpochStep] = []

    def add(step: EpochStep, _: object) -> None:
        steps.append(step)
        if step is EpochStep.RECONCILED:
            catalog.columns[TARGET.table].add("A")

    world.put({"n": 0, "a": 1})
    found = NewColumns(cast("Any", catalog))
    receipt = bounded(world.services(new_columns=found, observer=add), world.work())
    assert (receipt.rows, receipt.unknown_keys, catalog.statements) == (1, 0, [])
    assert steps.count(EpochStep.OPENED) == 2


def test_a_column_that_a_person_dropped_is_added_again_for_the_next_value_after_a_while(
    world: World, catalog: ColumnsInMemory
) -> None:
    world.configure(adds_columns=True)
    clock = [1.0]
    found = NewColumns(cast("Any", catalog), clock=lambda: clock[0])
    pipeline = world.work().pipeline
    found.answer(pipeline, {"": {"a": NewKey(JsonKind.INTEGER, 0)}}, "a")
    catalog.columns[TARGET.table] -= {"A"}
    assert found.known(pipeline, [""])[""].missing(["a"]) == (0, 0)
    clock[0] += AGAIN_S + 1
    assert found.known(pipeline, [""])[""].missing(["a"]) == (1, 1)
