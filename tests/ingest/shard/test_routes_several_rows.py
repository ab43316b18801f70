"""Routes together with a format that makes several rows of a record: a record is in the ledger in whole once all its rows are."""

import json
from collections.abc import Mapping

import pytest

from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.kinesis.page import Record
from firnline_ingest.ledger.item import padded
from firnline_ingest.shard.receipt import ShardState
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.snowflake import sending
from firnline_ingest.values import LAST_ROW, Position
from tests.fakes.configs import pipeline
from tests.fakes.kills import Killed
from tests.fakes.receipts import problem
from tests.ingest.shard.conftest import World

from .routed import ROUTES, channel, killed, ours, tables
from .running import bounded, drained

SEVERAL, ONE, LETTER = 3, 1, 0
OWN = ""


@pytest.fixture
def routed(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """Every row is an append of its own, and what another opener finds uncommitted is gone."""
    monkeypatch.setattr(sending, "APPEND_BYTES", 1)
    world.pipeline = pipeline_of("json_lines")
    world.channels.discards_on_open = True
    return world


def pipeline_of(format_: str, **routes: object) -> PipelineConfig:
    return pipeline(format={"type": format_}, routes={**ROUTES, **routes})


def put(world: World, kind: str, *numbers: int) -> Position:
    """A record of so many rows; of none, one that can't be a row."""
    rows = [json.dumps({"n": number, "kind": kind}) for number in numbers] or ["{oops"]
    return Position(world.shard.put("\n".join(rows).encode()).sequence_number)


def stopped_with(world: World, committed: Mapping[str, int]) -> None:
    """A process that is killed once the ledger was written, when so many rows of each table were committed."""
    names = {channel(world, name) if name else ours(world).channel: count for name, count in committed.items()}
    world.channels.commits_at_once = False

    def die(reached: EpochStep, key: object) -> None:
        if reached is EpochStep.LEDGERED and all(
            world.channels.served[name].committed is not None or not count for name, count in names.items()
        ):
            raise Killed
        if reached is EpochStep.APPENDED:
            for name, count in names.items():
                served = world.channels.served[name]
                world.channels.commit(name, max(0, count - len(served.rows)))

    killed(world.services(observer=die, final_commit_s=0.5), ours(world))
    world.channels.commits_at_once = True


@pytest.mark.parametrize("committed", [1, 2, 3])
def test_a_record_that_was_committed_in_part_is_read_again(routed: World, committed: int) -> None:
    put(routed, "other", 0)
    put(routed, "order", 1, 2, 3)
    stopped_with(routed, {"ORDERS": committed, OWN: 1})
    receipt = bounded(routed.services("second"), ours(routed))
    assert (receipt.state, problem(receipt)) == (ShardState.DONE, None)
    assert tables(routed) == {routed.shard.id: [0], "ORDERS": [1, 2, 3], "REFUNDS": []}


@pytest.mark.parametrize("last", [SEVERAL, ONE, LETTER])
def test_after_a_clean_stop_the_routes_may_change(routed: World, last: int) -> None:
    put(routed, "refund", 0)
    put(routed, "order", 1, 2, 3)
    if last != SEVERAL:
        put(routed, "order", *range(4, 4 + last))
    assert bounded(routed.services(), ours(routed)).state is ShardState.DONE
    routed.pipeline = pipeline_of("json_lines", tables={"order": "ORDERS", "refund": "REFUNDS", "more": "ORDERS"})
    put(routed, "order", 10, 11)
    receipt = bounded(routed.services("second"), ours(routed))
    assert (receipt.state, problem(receipt)) == (ShardState.DONE, None)
    assert tables(routed)["ORDERS"][-2:] == [10, 11]


@pytest.mark.parametrize("committed", [1, 2])
def test_a_page_that_ends_with_a_record_that_was_committed_in_part_is_no_step_back(
    routed: World, committed: int
) -> None:
    """A drain reads the record alone: the table that has none of it stands at its end, never before its rows."""
    put(routed, "order", 1, 2, 3)
    put(routed, "refund", 4)
    stopped_with(routed, {"ORDERS": committed, "REFUNDS": 1})
    assert routed.row.read_through.row == committed
    assert problem(drained(routed.services("drain", final_commit_s=1.0), ours(routed))) is None
    assert tables(routed)["ORDERS"] == [1, 2, 3]


RECORD, NEXT = Position(7), Position(8)
GOLDEN = [
    ("one has a row of it, the other none", RECORD.whole, RECORD.whole, RECORD.whole),
    ("one has its first row of several, the other none", Position(7, 0, 1), RECORD.whole, Position(7, 0, 1)),
    ("one has all of its rows, the other none", Position(7, 0, LAST_ROW), RECORD.whole, RECORD.whole),
    ("one has some of its rows, the other is past it", Position(7, 0, 2), NEXT.whole, Position(7, 0, 2)),
    ("one has none of the next, the other some", RECORD.whole, Position(8, 0, 1), RECORD.whole),
    ("of an aggregate: some rows of a user record, the other none", Position(7, 1, 2), Position(7, 1).whole, Position(7, 1, 2)),
    ("of an aggregate: one user record and the next", Position(7, 0).whole, Position(7, 1, 1), Position(7, 0).whole),
]  # fmt: skip


@pytest.mark.parametrize(("line", "one", "other", "least"), GOLDEN, ids=[line for line, *_ in GOLDEN])
def test_where_two_tables_stand_together(line: str, one: Position, other: Position, least: Position) -> None:
    """The order of positions is that of DynamoDB, which compares the text."""
    assert min(one, other) == min(other, one) == least
    assert (padded(one) <= padded(other)) == (one <= other)


@pytest.mark.parametrize(("format_", "row"), [("json", 0), ("json_lines", LAST_ROW)])
def test_a_record_in_whole_is_behind_all_its_rows_whichever_table_they_are_in(
    routed: World, format_: str, row: int
) -> None:
    routed.pipeline = pipeline_of(format_)
    assert ours(routed).end_of(Record("7")) == Position(7, 0, row)
