"""`adds_columns` against the embedded Snowflake, through the real connector and SDK: no value is dropped uncounted."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from firnline_ingest.new_columns import AT_ONCE, NewColumns
from firnline_ingest.records.first_sight import JsonKind, NewKey
from firnline_ingest.shard.receipt import Receipt
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.snowflake.target import TargetCatalog, TargetState
from tests.contract.snowpipe_streaming.marks import WITH_CONNECTOR
from tests.contract.snowpipe_streaming.under_change import Engine

World = Any  # of conftest.py
Sql = Callable[[str], list[tuple[Any, ...]]]

pytestmark = WITH_CONNECTOR
OWNED = "GRANT OWNERSHIP ON TABLE ORDERS TO ROLE INGEST COPY CURRENT GRANTS"
ID = 1234567890123456789


@pytest.fixture
def adding(start: Callable[..., Engine]) -> Callable[..., Engine]:
    return lambda *statements, **more: start(evolves=False, statements=statements, adds_columns=True, **more)


def unknown(receipts: list[Receipt]) -> int:
    return sum(receipt.unknown_keys for receipt in receipts)


def test_each_value_of_many_new_keys_is_in_the_row_that_brought_them(adding: Callable[..., Engine], sql: Sql) -> None:
    engine, keys = adding(OWNED), [f"k{number}" for number in range(AT_ONCE + 31)]
    engine.records(1, **{key: key for key in keys})
    engine.records(1, late=ID, half=0.5, nested={"a": 1}, quote_d="x", **{'q"q': True})
    receipts = engine.until(lambda: engine.proven == 5)
    ((*values,),) = sql(f"SELECT {', '.join(keys)} FROM ORDERS WHERE N = 3")
    assert values == keys
    assert sql('SELECT LATE, HALF, NESTED:a::VARCHAR, QUOTE_D, "Q""Q" FROM ORDERS WHERE N = 4') == [
        (ID, 0.5, "1", "x", True)
    ]
    assert unknown(receipts) == 0


def test_a_channel_that_knows_the_columns_of_its_opening_alone_is_opened_again_before_a_value_of_a_new_one_is_sent(
    world: World, adding: Callable[..., Engine], sql: Sql
) -> None:
    world.snowflake.streaming.settings.columns_of_opening = True
    engine = adding(OWNED)
    engine.records(1, v="x", late=1)
    engine.until(lambda: engine.proven == 4)
    engine.records(1, v="x", late=2, later="a")
    receipts = engine.until(lambda: engine.proven == 5)
    assert sql("SELECT N, LATE, LATER FROM ORDERS WHERE N > 2 ORDER BY N") == [(3, 1, None), (4, 2, "a")]
    assert unknown(receipts) == 0
    assert not engine.shard.row.incidents


def test_a_column_that_another_shard_adds_while_a_channel_is_being_opened_is_newer_than_the_channel(
    world: World, adding: Callable[..., Engine], sql: Sql
) -> None:
    world.snowflake.streaming.settings.columns_of_opening = True
    engine, opened = adding(OWNED), list[EpochStep]()
    late = {"": {"late": NewKey(JsonKind.INTEGER, 0)}}

    def add(step: EpochStep, _: object) -> None:
        if step is EpochStep.OPENED:
            opened.append(step)
            if len(opened) == 1:
                engine.new_columns.answer(engine.asked, late, "another shard")

    engine.observer = add
    engine.records(1, early=1)
    engine.until(lambda: engine.proven == 4)
    engine.records(1, early=2, late=3)
    receipts = engine.until(lambda: engine.proven == 5)
    assert len(opened) == 2
    assert sql("SELECT N, EARLY, LATE FROM ORDERS WHERE N > 2 ORDER BY N") == [(3, 1, None), (4, 2, 3)]
    assert unknown(receipts) == 0
    assert not engine.shard.row.incidents


def test_who_does_not_own_the_table_counts_the_keys_and_goes_on(
    adding: Callable[..., Engine], sql: Sql, caplog: pytest.LogCaptureFixture
) -> None:
    engine = adding()
    engine.records(2, price=1, other="x")
    receipts = engine.until(lambda: engine.proven == 5)
    assert unknown(receipts) == 4
    (refused,) = [vars(each) for each in caplog.records if each.message == "schema.column_refused"]
    assert refused["count"] == 2
    assert '"PRICE" NUMBER(38, 0)' in refused["next_step"]
    assert "PRICE" not in {name for name, *_ in sql("DESCRIBE TABLE ORDERS")}


def test_what_was_refused_is_tried_again(adding: Callable[..., Engine], sql: Sql) -> None:
    engine, clock = adding(), [0.0]
    found = NewColumns.of(engine.config)
    found.clock = lambda: clock[0]
    wanted = {"": {"price": NewKey(JsonKind.NUMBER, 0)}}
    found.answer(engine.asked, wanted, "a")
    assert found.known(engine.asked, [""])[""].missing(["price"]) == (1, 0)
    sql(OWNED)
    clock[0] = 1000.0
    assert found.known(engine.asked, [""])[""].missing(["price"]) == (1, 1)
    found.answer(engine.asked, wanted, "a")
    assert found.known(engine.asked, [""])[""].missing(["price"]) == (0, 0)
    found.catalog.close()


class Late(TargetCatalog):
    """A catalog whose first statement comes after another engine's."""

    sql: Sql

    def add_columns(self, state: TargetState, columns: Sequence[str]) -> None:
        if len(columns) > 1 and not hasattr(self, "was_late"):
            self.was_late = True
            self.sql("ALTER TABLE ORDERS ADD COLUMN B VARCHAR")
        super().add_columns(state, columns)


def test_a_column_that_another_engine_added_meanwhile_keeps_no_other_from_being_added(
    adding: Callable[..., Engine], sql: Sql
) -> None:
    engine = adding(OWNED)
    catalog = Late(engine.config)
    catalog.sql = sql
    found = NewColumns(catalog)
    try:
        found.answer(engine.asked, {"": {key: NewKey(JsonKind.INTEGER, 0) for key in "abcde"}}, "a")
        assert found.known(engine.asked, [""])[""].missing("abcde") == (0, 0)
    finally:
        catalog.close()
    types = {name: kind for name, kind, *_ in sql("DESCRIBE TABLE ORDERS")}
    assert {types[name] for name in "ACDE"} == {"NUMBER(38,0)"}
    assert types["B"].startswith("VARCHAR")


def test_processes_that_bring_the_same_keys_at_once_are_all_answered(adding: Callable[..., Engine], sql: Sql) -> None:
    engine = adding(OWNED)
    keys = {f"k{number}": NewKey(JsonKind.TEXT, 0) for number in range(40)}
    found = [NewColumns.of(engine.config) for _ in range(3)]
    with ThreadPoolExecutor(len(found)) as processes:
        list(processes.map(lambda each: each.answer(engine.asked, {"": keys}, "a"), found))
    for each in found:
        assert each.known(engine.asked, [""])[""].missing(keys) == (0, 0)
        each.catalog.close()
    assert {key.upper() for key in keys} <= {name for name, *_ in sql("DESCRIBE TABLE ORDERS")}
