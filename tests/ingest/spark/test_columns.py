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


class Columns:
    """A watch over the columns of a catalog, and what it has said."""

    def __init__(self, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.INFO)
        self.watch, self.catalog, self._caplog = ColumnWatch(), Catalog(), caplog

    def look(self, *states: TargetState, times: int = 1) -> None:
        for _ in range(times):
            self.watch.look(cast("Any", self.catalog), {f"s{number}": each for number, each in enumerate(states)})

    def sees(self, epoch: int, stream: str = "s0", shard: str = "a", **kinds: str) -> None:
        keys = {key: [f"{epoch}00", kind] for key, kind in kinds.items()}
        of = ShardKey(stream, 1, shard)
        self.watch.sighted([Receipt.of(of, Tally(new_keys=keys), epoch=epoch, state=ShardState.READING)])

    @property
    def said(self) -> list[dict[str, Any]]:
        return [vars(record) for record in self._caplog.records]


@pytest.fixture
def columns(caplog: pytest.LogCaptureFixture) -> Columns:
    return Columns(caplog)


def test_columns_that_were_added_are_reported_once(columns: Columns) -> None:
    columns.look(state("A"))
    columns.sees(1, d="text", e="text")
    columns.catalog.columns |= {"E", "D"}
    columns.look(state("A"), times=2)
    (line,) = columns.said
    assert (line["message"], line["added"]) == ("schema.evolved", ["D", "E"])


def test_a_column_that_takes_null_now_is_reported_once(columns: Columns) -> None:
    columns.catalog = Catalog({"C", "D"}, not_null={"C"})
    columns.look(state("A"))
    columns.catalog.not_null.clear()
    columns.look(state("A"), times=2)
    (line,) = columns.said
    assert (line["message"], line["columns"]) == ("schema.not_null_dropped", ["C"])


def test_every_table_has_its_turn_and_one_of_a_fixed_schema_a_single_one(columns: Columns) -> None:
    states = [state(f"T{number}") for number in range(2 * AT_ONCE)]
    columns.look(*states, state("FIXED", evolves=False), times=5)
    assert len(columns.catalog.asked) == 5 * AT_ONCE
    counts = {name: columns.catalog.asked.count(name) for name in columns.catalog.asked}
    assert counts.pop("FIXED") == 1
    assert (len(counts), {*counts.values()}) == (2 * AT_ONCE, {2, 3})


def test_tables_that_lack_a_column_keep_no_other_from_its_turn(columns: Columns) -> None:
    short = [state(f"F{number}", evolves=False) for number in range(AT_ONCE)]
    for number in range(AT_ONCE):
        columns.sees(1, stream=f"s{number}", price="number")
    columns.look(*short, state("LAST"), times=4)
    assert columns.catalog.asked.count("LAST") >= 2


def test_a_table_that_can_not_be_described_delays_nobody(columns: Columns) -> None:
    columns.catalog = Catalog(refuses="A")
    columns.look(state("A"), state("B"))
    assert columns.catalog.asked == ["A", "B"]


def test_a_column_that_evolution_added_is_told_with_the_record_that_brought_it_first(columns: Columns) -> None:
    columns.look(state("A"))
    columns.sees(7, price="number")
    columns.sees(8, shard="b", PRICE="text", other="text")
    columns.catalog.columns |= {"PRICE", "BY_HAND"}
    columns.look(state("A"))
    (line,) = columns.said
    assert line["added"] == ["PRICE"]
    first = line["first_seen"]
    assert {name: (each["epoch"], each["sequence_number"]) for name, each in first.items()} == {"PRICE": (7, "700")}


def test_a_column_that_no_record_brought_is_somebodys_and_told_once(columns: Columns) -> None:
    columns.look(state("A"))
    columns.catalog.columns |= {"BY_HAND", "LATE"}
    columns.look(state("A"))
    columns.sees(2, late="text")  # its row was in the table before its shard's receipt
    columns.look(state("A"), times=LOOKS + 2)
    evolved, changed = columns.said
    assert (evolved["message"], evolved["added"]) == ("schema.evolved", ["LATE"])
    assert evolved["first_seen"]["LATE"]["sequence_number"] == "200"
    assert (changed["message"], changed["change"], changed["columns"]) == (
        "schema.changed",
        "added",
        ["BY_HAND"],
    )
    assert "ALTER TABLE" in changed["next_step"]


def test_a_column_that_was_added_and_dropped_again_is_nobodys(columns: Columns) -> None:
    columns.look(state("A"))
    columns.catalog.columns.add("SHORT")
    columns.look(state("A"))
    columns.catalog.columns.remove("SHORT")
    columns.look(state("A"), times=LOOKS + 1)
    assert columns.said == []


def test_columns_that_the_engine_itself_fills_are_evolutions(columns: Columns) -> None:
    columns.watch.by_hand.makes = lambda stream: ["KINESIS_PUSH_TIME"] if stream == "s0" else []
    columns.look(state("A"))
    columns.catalog.columns.add("KINESIS_PUSH_TIME")
    columns.look(state("A"), times=2)
    (line,) = columns.said
    assert (line["message"], line["added"]) == ("schema.evolved", ["KINESIS_PUSH_TIME"])


def test_where_a_stream_has_more_keys_than_are_told_of_a_column_is_evolutions(columns: Columns) -> None:
    columns.sees(1, **{f"k{number}": "text" for number in range(MOST_NAMES)})
    columns.look(state("A"))
    columns.catalog.columns.add("X")
    columns.look(state("A"))
    (line,) = columns.said
    assert (line["message"], line["first_seen"]) == ("schema.evolved", {})


def test_the_columns_that_an_engine_makes_are_those_of_metadata_format_and_content() -> None:
    objects = reading("objects", content_column="content")
    lines = reading("lines", format={"type": "csv", "columns": ["a", "b"]})
    made = columns_made(config(pipelines=[objects, lines]))
    assert made("objects") == ["KINESISMETADATA", "CONTENT"]
    assert [name.upper() for name in made("lines")] == ["KINESISMETADATA", "A", "B"]


def test_keys_without_a_column_of_a_fixed_schema_are_named_once_with_what_would_add_them(columns: Columns) -> None:
    fixed = state("A", evolves=False)
    columns.look(fixed, times=2)
    assert columns.catalog.asked == ["A"]  # once, to know its columns: nothing is asked where there is nothing new
    columns.sees(1, c="text", price="number", tags="array", inside="object")
    columns.look(fixed, times=2)
    columns.sees(2, price="number", late="null")
    columns.look(fixed)
    first, second = columns.said
    assert first["message"] == "schema.unknown_keys"
    assert first["count"] == 3
    assert list(first["keys"]) == ["inside", "price", "tags"]
    assert first["keys"]["price"]["epoch"] == 1
    assert first["next_step"].endswith(
        'ALTER TABLE "DB"."RAW"."A" ADD COLUMN "INSIDE" VARIANT, "PRICE" FLOAT, "TAGS" ARRAY'
    )
    assert list(second["keys"]) == ["late"]
    assert columns.catalog.asked == ["A"] * 4


def test_an_iceberg_table_gets_its_own_statement(columns: Columns) -> None:
    fixed = replace(state("A", evolves=False), is_iceberg=True)
    columns.sees(1, tags="array")
    columns.look(fixed)
    (line,) = columns.said
    assert line["next_step"].endswith('ALTER ICEBERG TABLE "DB"."RAW"."A" ADD COLUMN "TAGS" ARRAY(…)')


def test_keys_behind_a_pipe_that_selects_are_nobodys_columns(columns: Columns) -> None:
    fixed = state("A", evolves=False)
    columns.sees(1, other="text")
    columns.look(replace(fixed, matches_by_name=False))
    assert columns.said == []


def test_keys_behind_a_pipe_of_ones_own_that_matches_by_name_are_columns(columns: Columns) -> None:
    fixed = state("A", evolves=False)
    columns.sees(1, other="text")
    columns.look(replace(fixed, target=replace(fixed.target, pipe="OWN")))
    (line,) = columns.said
    assert line["keys"].keys() == {"other"}


def test_a_stream_whose_keys_are_data_is_remembered_in_bounds(columns: Columns) -> None:
    for epoch in range(12):
        columns.sees(epoch, **{f"k{epoch}_{number}": "text" for number in range(300)})
    columns.look(state("A", evolves=False))
    (line,) = columns.said
    assert (line["count"], len(line["keys"])) == (MOST_KEPT, MOST_NAMED)


def test_the_columns_of_a_fixed_schema_are_told_until_none_is_lacking(columns: Columns) -> None:
    fixed = state("A", evolves=False)
    assert columns.watch.fixed(fixed.target) is None
    columns.look(fixed)
    assert columns.watch.fixed(fixed.target) == ("C",)
    columns.sees(1, price="number")
    columns.look(fixed)
    columns.catalog.columns.add("PRICE")  # by its owner
    columns.look(fixed)
    assert set(columns.watch.fixed(fixed.target) or ()) == {"C", "PRICE"}
    before = len(columns.catalog.asked)
    columns.look(fixed)
    assert len(columns.catalog.asked) == before
    for other in (state("B"), replace(fixed, target=replace(fixed.target, pipe="OWN"), matches_by_name=False)):
        columns.look(other)
        assert columns.watch.fixed(other.target) is None


def test_keys_that_are_one_column_are_named_once_with_the_first_record(columns: Columns) -> None:
    fixed = state("A", evolves=False)
    columns.sees(1, price="number")
    columns.sees(2, shard="b", PRICE="text")
    columns.look(fixed)
    columns.sees(3, Price="text")
    columns.look(fixed)
    (line,) = columns.said
    assert (line["count"], line["keys"]["price"]["epoch"]) == (1, 1)


def receipt(stream: str) -> Receipt:
    return Receipt.of(ShardKey(stream, 1, "shard"), Tally(), epoch=1, state=ShardState.DONE)


def test_what_changes_of_a_table_is_counted_once_and_waits_for_a_receipt_of_its_stream(columns: Columns) -> None:
    evolving = state("A")
    columns.catalog.not_null.add("C")
    columns.look(evolving)
    columns.sees(1, price="number", size="text")
    columns.catalog.columns |= {"PRICE", "SIZE"}
    columns.catalog.not_null.clear()
    columns.look(evolving)
    other, first, second = receipt("s1"), receipt("s0"), receipt("s0")
    columns.watch.count([other])
    columns.watch.count([first, second])
    columns.watch.count([again := receipt("s0")])
    counted = [(each.new_columns, each.not_nulls_dropped) for each in (other, first, second, again)]
    assert counted == [(0, 0), (2, 1), (0, 0), (0, 0)]


def test_a_column_that_the_engine_added_for_a_key_is_counted_and_one_of_a_person_is_not(columns: Columns) -> None:
    fixed = state("A", evolves=False)
    columns.look(fixed)
    columns.sees(1, price="number")
    columns.catalog.columns |= {"PRICE", "BY_HAND"}
    columns.look(fixed)
    columns.watch.count([told := receipt("s0")])
    assert (told.new_columns, told.not_nulls_dropped) == (1, 0)
