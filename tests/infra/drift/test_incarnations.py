"""A table or a pipe that was replaced under its name is one finding, from what the ledger's rows were written of."""

from collections.abc import Mapping
from types import MappingProxyType

import pytest

from firnline_infra.drift.incarnations import NamedObject, replaced
from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.row import ChannelEntry, ShardRow
from firnline_ingest.values import ShardKey, TargetTable

TABLE, PIPE = ("LAKE", "RAW", "ORDERS"), ("LAKE", "RAW", "Typed")
KINDS = {TABLE: "snowflake iceberg table"}
FIRST, SECOND, THIRD = (f"2026-11-0{day}T00:00:00.000+00:00" for day in (1, 2, 3))


def row(shard: int, *targets: TargetTable) -> ShardRow:
    entries = {f"channel {number}": ChannelEntry(target) for number, target in enumerate(targets)}
    return ShardRow(
        key=ShardKey("orders", 1, f"shard-{shard}"), start=TrimHorizon(), channels=MappingProxyType(entries)
    )


def target(table: str = FIRST, *, pipe: str = "", name: str = "ORDERS") -> TargetTable:
    return TargetTable("LAKE", "RAW", name, table, '"Typed"' if pipe else "ORDERS-STREAMING", pipe)


def seen(rows: list[ShardRow], there: Mapping[tuple[str, ...], str]) -> list[tuple[str, str, str, str]]:
    found = replaced(rows, KINDS, lambda wanted: there.get(wanted.name, ""))
    return [(each.object, each.path, each.expected, each.found) for each in found]


@pytest.mark.parametrize(
    ("rows", "there"),
    [
        ([], {TABLE: FIRST}),
        ([row(1, target(pipe=SECOND))], {TABLE: FIRST, PIPE: SECOND}),
        ([row(1, target(FIRST)), row(2, target(SECOND))], {TABLE: SECOND}),
        ([row(1, target(FIRST, pipe=FIRST))], {}),
        ([row(1, target(FIRST, name="FORMER"))], {("LAKE", "RAW", "FORMER"): SECOND}),
    ],
    ids=[
        "nothing was written",
        "as it was",
        "the engine went on into it",
        "both are gone",
        "no table of ours any more",
    ],
)
def test_what_is_as_the_engine_knows_it_is_no_difference(
    rows: list[ShardRow], there: Mapping[tuple[str, ...], str]
) -> None:
    assert seen(rows, there) == []


def test_a_replaced_table_and_a_replaced_pipe_are_one_finding_each_however_many_shards_wrote() -> None:
    rows = [row(shard, target(FIRST, pipe=SECOND)) for shard in range(3)]
    assert seen(rows, {TABLE: THIRD, PIPE: SECOND}) == [
        ("snowflake iceberg table LAKE.RAW.ORDERS", "created_on", FIRST, THIRD)
    ]
    assert seen(rows, {TABLE: FIRST, PIPE: THIRD}) == [("snowflake pipe LAKE.RAW.Typed", "created_on", SECOND, THIRD)]


def test_a_default_pipe_is_its_tables_and_is_not_asked_for() -> None:
    asked: list[NamedObject] = []
    list(replaced([row(1, target())], KINDS, lambda wanted: asked.append(wanted) or FIRST))
    assert asked == [NamedObject("TABLE", TABLE)]
