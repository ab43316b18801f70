import logging
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from firnline_ingest.records.key_shape import MOST_NAMES
from firnline_ingest.shard.receipt import Receipt, ShardState, Tally
from firnline_ingest.snowflake.errors import StatementRefused
from firnline_ingest.snowflake.target import TargetState
from firnline_ingest.spark.columns import AT_ONCE, MOST_KEPT, MOST_NAMED, ColumnWatch
from firnline_ingest.spark.columns_by_hand import LOOKS, columns_made
from firnline_ingest.values import ShardKey, TargetTable
from tests.fakes.configs import config, reading


def state(name: str, *, evolves: bool = True) -> TargetState:
    return TargetState(TargetTable("DB", "RAW", name, "2026", f"{name}-STREAMING"), evolves=evolves, logs_errors=True)


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

    def add_column(self, state: TargetState, column: str) -> None:
        name = column.split('"')[1]
        if name == self.refuses:
            raise StatementRefused("answer", "not the owner")
        self.columns.add(name)


def look(watch: ColumnWatch, catalog: Catalog, *states: TargetState) -> None:
    watch.look(cast("Any", catalog), {f"s{number}": state for number, state in enumerate(states)})


def sees(watch: ColumnWatch, epoch: int, stream: str = "s0", shard: str = "a", **kinds: str) -> None:
    keys = {key: [f"{epoch}00", kind] for key, kind in kinds.items()}
    of = ShardKey(stream, 1, shard)
    watch.sighted([Receipt.of(of, Tally(new_keys=keys), epoch=epoch, state=ShardState.READING)])


def test_columns_that_were_added_are_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    watch, catalog = ColumnWatch(), Catalog()
    with caplog.at_level(logging.INFO):
        look(watch, catalog, state("A"))
        sees(watch, 1, d="text", e="text")
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


def test_every_table_has_its_turn_and_one_of_a_fixed_schema_a_single_one() -> None:
    watch, catalog = ColumnWatch(), Catalog()
    states = [state(f"T{number}") for number in range(2 * AT_ONCE)]
    for _ in range(5):
        look(watch, catalog, *states, state("FIXED", evolves=False))
    assert len(catalog.asked) == 5 * AT_ONCE
    counts = {name: catalog.asked.count(name) for name in catalog.asked}
    assert counts.pop("FIXED") == 1
    assert (len(counts), {*counts.values()}) == (2 * AT_ONCE, {2, 3})


def test_tables_that_lack_a_column_keep_no_other_from_its_turn() -> None:
    watch, catalog = ColumnWatch(), Catalog()
    short = [state(f"F{number}", evolves=False) for number in range(AT_ONCE)]
    for number in range(AT_ONCE):
        sees(watch, 1, stream=f"s{number}", price="number")
    for _ in range(4):
        look(watch, catalog, *short, state("LAST"))
    assert catalog.asked.count("LAST") >= 2


def test_a_table_that_can_not_be_described_delays_nobody() -> None:
    catalog = Catalog(refuses="A")
    look(ColumnWatch(), catalog, state("A"), state("B"))
    assert catalog.asked == ["A", "B"]


def test_a_column_that_evolution_added_is_told_with_the_record_that_brought_it_first(
    caplog: pytest.LogCaptureFixture,
) -> None:
    watch, catalog = ColumnWatch(), Catalog()
    look(watch, catalog, state("A"))
    sees(watch, 7, price="number")
    sees(watch, 8, shard="b", PRICE="text", other="text")
    catalog.columns |= {"PRICE", "BY_HAND"}
    with caplog.at_level(logging.INFO):
        look(watch, catalog, state("A"))
    (record,) = caplog.records
    assert vars(record)["added"] == ["PRICE"]
    first = vars(record)["first_seen"]
    assert {name: (each["epoch"], each["sequence_number"]) for name, each in first.items()} == {"PRICE": (7, "700")}


def test_a_column_that_no_record_brought_is_somebodys_and_told_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    watch, catalog = ColumnWatch(), Catalog()
    look(watch, catalog, state("A"))
    catalog.columns |= {"BY_HAND", "LATE"}
    look(watch, catalog, state("A"))
    sees(watch, 2, late="text")  # its row was in the table before its shard's receipt
    for _ in range(LOOKS + 2):
        look(watch, catalog, state("A"))
    evolved, changed = caplog.records
    assert (evolved.message, vars(evolved)["added"]) == ("schema.evolved", ["LATE"])
    assert vars(evolved)["first_seen"]["LATE"]["sequence_number"] == "200"
    assert (changed.message, vars(changed)["change"], vars(changed)["columns"]) == (
        "schema.changed",
        "added",
        ["BY_HAND"],
    )
    assert "ALTER TABLE" in vars(changed)["next_step"]


def test_a_column_that_was_added_and_dropped_again_is_nobodys(caplog: pytest.LogCaptureFixture) -> None:
    watch, catalog = ColumnWatch(), Catalog()
    look(watch, catalog, state("A"))
    catalog.columns.add("SHORT")
    look(watch, catalog, state("A"))
    catalog.columns.remove("SHORT")
    for _ in range(LOOKS + 1):
        look(watch, catalog, state("A"))
    assert caplog.records == []


def test_columns_that_the_engine_itself_fills_are_evolutions(caplog: pytest.LogCaptureFixture) -> None:
    watch, catalog = ColumnWatch(), Catalog()
    watch.by_hand.makes = lambda stream: ["KINESIS_PUSH_TIME"] if stream == "s0" else []
    look(watch, catalog, state("A"))
    catalog.columns.add("KINESIS_PUSH_TIME")
    with caplog.at_level(logging.INFO):
        look(watch, catalog, state("A"))
        look(watch, catalog, state("A"))
    (record,) = caplog.records
    assert (record.message, vars(record)["added"]) == ("schema.evolved", ["KINESIS_PUSH_TIME"])


def test_where_a_stream_has_more_keys_than_are_told_of_a_column_is_evolutions(caplog: pytest.LogCaptureFixture) -> None:
    watch, catalog = ColumnWatch(), Catalog()
    sees(watch, 1, **{f"k{number}": "text" for number in range(MOST_NAMES)})
    look(watch, catalog, state("A"))
    catalog.columns.add("X")
    with caplog.at_level(logging.INFO):
        look(watch, catalog, state("A"))
    (record,) = caplog.records
    assert (record.message, vars(record)["first_seen"]) == ("schema.evolved", {})


def test_the_columns_that_an_engine_makes_are_those_of_metadata_format_and_content() -> None:
    objects = reading("objects", content_column="content")
    lines = reading("lines", format={"type": "csv", "columns": ["a", "b"]})
    made = columns_made(config(pipelines=[objects, lines]))
    assert made("objects") == ["KINESISMETADATA", "CONTENT"]
    assert [name.upper() for name in made("lines")] == ["KINESISMETADATA", "A", "B"]


def test_keys_without_a_column_of_a_fixed_schema_are_named_once_with_what_would_add_them(
    caplog: pytest.LogCaptureFixture,
) -> None:
    watch, catalog, fixed = ColumnWatch(), Catalog({"C"}), state("A", evolves=False)
    look(watch, catalog, fixed)
    look(watch, catalog, fixed)
    assert catalog.asked == ["A"]  # once, to know its columns: nothing is asked where there is nothing new
    sees(watch, 1, c="text", price="number", tags="array", inside="object")
    look(watch, catalog, fixed)
    look(watch, catalog, fixed)
    sees(watch, 2, price="number", late="null")
    look(watch, catalog, fixed)
    first, second = caplog.records
    assert first.message == "schema.unknown_keys"
    assert vars(first)["count"] == 3
    assert list(vars(first)["keys"]) == ["inside", "price", "tags"]
    assert vars(first)["keys"]["price"]["epoch"] == 1
    assert vars(first)["next_step"].endswith(
        'ALTER TABLE "DB"."RAW"."A" ADD COLUMN "INSIDE" VARIANT, "PRICE" FLOAT, "TAGS" ARRAY'
    )
    assert list(vars(second)["keys"]) == ["late"]
    assert catalog.asked == ["A"] * 4


def test_an_iceberg_table_gets_its_own_statement(caplog: pytest.LogCaptureFixture) -> None:
    watch, fixed = ColumnWatch(), replace(state("A", evolves=False), is_iceberg=True)
    sees(watch, 1, tags="array")
    look(watch, Catalog(), fixed)
    (record,) = caplog.records
    assert vars(record)["next_step"].endswith('ALTER ICEBERG TABLE "DB"."RAW"."A" ADD COLUMN "TAGS" ARRAY(…)')


def test_keys_behind_a_pipe_that_selects_are_nobodys_columns(caplog: pytest.LogCaptureFixture) -> None:
    watch, fixed = ColumnWatch(), state("A", evolves=False)
    sees(watch, 1, other="text")
    look(watch, Catalog(), replace(fixed, matches_by_name=False))
    assert caplog.records == []


def test_keys_behind_a_pipe_of_ones_own_that_matches_by_name_are_columns(caplog: pytest.LogCaptureFixture) -> None:
    watch, fixed = ColumnWatch(), state("A", evolves=False)
    sees(watch, 1, other="text")
    look(watch, Catalog(), replace(fixed, target=replace(fixed.target, pipe="OWN")))
    (record,) = caplog.records
    assert vars(record)["keys"].keys() == {"other"}


def test_a_stream_whose_keys_are_data_is_remembered_in_bounds(caplog: pytest.LogCaptureFixture) -> None:
    watch = ColumnWatch()
    for epoch in range(12):
        sees(watch, epoch, **{f"k{epoch}_{number}": "text" for number in range(300)})
    look(watch, Catalog(), state("A", evolves=False))
    (record,) = caplog.records
    assert (vars(record)["count"], len(vars(record)["keys"])) == (MOST_KEPT, MOST_NAMED)


def test_the_columns_of_a_fixed_schema_are_told_until_none_is_lacking() -> None:
    watch, catalog, fixed = ColumnWatch(), Catalog({"C"}), state("A", evolves=False)
    assert watch.fixed(fixed.target) is None
    look(watch, catalog, fixed)
    assert watch.fixed(fixed.target) == ("C",)
    sees(watch, 1, price="number")
    look(watch, catalog, fixed)
    catalog.columns.add("PRICE")  # by its owner
    look(watch, catalog, fixed)
    assert set(watch.fixed(fixed.target) or ()) == {"C", "PRICE"}
    before = len(catalog.asked)
    look(watch, catalog, fixed)
    assert len(catalog.asked) == before
    for other in (state("B"), replace(fixed, target=replace(fixed.target, pipe="OWN"), matches_by_name=False)):
        look(watch, catalog, other)
        assert watch.fixed(other.target) is None


def test_the_engine_adds_what_it_may_and_names_the_rest(caplog: pytest.LogCaptureFixture) -> None:
    watch, catalog = ColumnWatch(), Catalog({"C"}, refuses="SECRET")
    own = replace(state("A", evolves=False), is_iceberg=True, adds_columns=True)
    look(watch, catalog, own)
    sees(watch, 1, price="number", tags="array", secret="text")
    with caplog.at_level(logging.INFO):
        look(watch, catalog, own)
        look(watch, catalog, own)
    assert catalog.columns == {"C", "PRICE"}
    assert set(watch.fixed(own.target) or ()) == {"C", "PRICE"}
    refused, added, named = caplog.records
    assert (refused.message, vars(refused)["key"]) == ("schema.column_refused", "secret")
    assert (added.message, list(vars(added)["keys"])) == ("schema.columns_added", ["price"])
    assert vars(named)["next_step"].endswith('ADD COLUMN "SECRET" VARCHAR, "TAGS" ARRAY(…)')
