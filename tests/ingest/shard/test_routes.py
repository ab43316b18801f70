"""One shard into several tables: every record in its own table once, whatever is killed between two of its appends."""

from typing import Any

import pytest

from firnline_ingest.ledger.incident import IncidentKind
from firnline_ingest.ledger.resume import accept_errors
from firnline_ingest.shard.receipt import Receipt, ShardState
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.snowflake import in_flight, sending
from firnline_ingest.snowflake.channel_errors import ChannelLost
from firnline_ingest.values import Position
from tests.fakes.channels import MemoryChannel
from tests.fakes.kills import dies_at
from tests.fakes.receipts import problem
from tests.ingest.shard.conftest import World
from tests.ingest.shard.test_formats import costs_the_channel

from .routed import channel, expected, killed, killed_after, ours, pipeline, put, tables, work
from .running import bounded, drained, frozen_at


@pytest.fixture
def routed(world: World) -> World:
    world.pipeline = pipeline()
    return world


def test_each_record_is_in_the_table_that_its_value_names(routed: World) -> None:
    put(routed, 10)
    receipt = bounded(routed.services(), ours(routed))
    assert (receipt.state, receipt.rows, receipt.routed_rows) == (ShardState.DONE, 10, 7)
    assert tables(routed) == expected(routed, 10)
    assert routed.row.read_through == routed.shard.last_position
    assert not routed.row.is_sending
    assert not any(entry.sending.is_on for entry in routed.row.channels.values() if entry.sending)


def test_a_value_without_a_table_is_a_dead_letter_with_its_reason(routed: World) -> None:
    routed.pipeline = pipeline(unmatched="dead_letter")
    routed.put(b'{"n":0,"kind":"order"}', b'{"n":1,"kind":"new"}', b'{"n":2}', b'{"n":3,"kind":7}')
    receipt = bounded(routed.services(), ours(routed))
    assert (receipt.rows, receipt.dead_letters) == (1, 3)
    letters = routed.letters
    assert {letter.reason for letter in letters} == {"no-route"}
    assert sorted(letter.detail for letter in letters) == [
        "it has no key 'kind', by which it would be routed.",
        "its key 'kind' has a value that is not text.",
        "its key 'kind' has a value that no route names.",
    ]


def test_a_table_that_gets_nothing_holds_the_shard_back_no_longer_than_its_last_rows(routed: World) -> None:
    put(routed, 3)
    bounded(routed.services(), ours(routed))
    put(routed, 5, 3, kinds=("order",))
    bounded(routed.services(), ours(routed))
    row = routed.row
    assert row.read_through == routed.shard.last_position
    proven = {name.rpartition("~")[2]: entry.proven.position for name, entry in row.channels.items()}
    assert proven["REFUNDS"] < proven["ORDERS"] == row.read_through  # type: ignore[operator] # both have some


KILLS = [(step, 1, True) for step in EpochStep if step is not EpochStep.RECEIPT]
BETWEEN = [(EpochStep.APPENDED, times, commits) for times in (1, 2, 3) for commits in (False, True)]


@pytest.mark.parametrize(("step", "times", "commits"), sorted({*KILLS, *BETWEEN}))
def test_a_kill_at_any_point_leaves_every_record_in_one_table_once(
    routed: World, step: EpochStep, times: int, commits: bool
) -> None:
    """The process dies after the first, the second or the third append of a page, committed or discarded."""
    routed.channels.discards_on_open, routed.channels.commits_at_once = not commits, commits
    put(routed, 4)
    killed_after(routed, step, times, ours(routed))
    put(routed, 8, 4)
    killed_after(routed, step, times, ours(routed))
    routed.channels.commits_at_once = True
    receipt = bounded(routed.services(), ours(routed))
    assert (receipt.state, problem(receipt)) == (ShardState.DONE, None)
    assert tables(routed) == expected(routed, 12)
    assert routed.row.read_through == routed.shard.last_position
    counts = {name: entry.proven.rows_inserted for name, entry in routed.row.channels.items()}
    assert sum(counts.values()) == 12


@pytest.mark.parametrize("step", [EpochStep.OPENED, EpochStep.READ, EpochStep.APPENDED, EpochStep.PROVEN])
def test_a_process_that_was_frozen_at_any_point_adds_nothing_when_it_thaws(routed: World, step: EpochStep) -> None:
    put(routed, 6)
    with frozen_at(step, routed, ours(routed)):
        put(routed, 6, 6)
        assert problem(bounded(routed.services(), ours(routed))) is None
    put(routed, 6, 12)
    assert problem(bounded(routed.services(), ours(routed))) is None
    assert tables(routed) == expected(routed, 18)


@pytest.mark.parametrize("step", [EpochStep.APPENDED, EpochStep.LEDGERED])
def test_a_row_that_was_lost_begins_after_the_lowest_token(routed: World, step: EpochStep) -> None:
    put(routed, 6)
    bounded(routed.services(), ours(routed))
    put(routed, 6, 6)
    killed_after(routed, step, 1, ours(routed))
    routed.ledger.forget(routed.key())
    receipt = bounded(routed.services(), ours(routed))
    assert problem(receipt) is None
    assert tables(routed) == expected(routed, 12)
    assert [incident.kind for incident in routed.row.incidents] == [IncidentKind.LEDGER_REBUILT]


def test_rows_that_one_table_rejects_stop_the_shard_with_that_tables_name(routed: World) -> None:
    routed.channels.rejects = lambda row: b'"n": 4' in row
    put(routed, 6)
    receipt = bounded(routed.services(), ours(routed))
    assert problem(receipt) == "FL-3105"
    assert "DB.RAW.REFUNDS" in receipt.problem.what
    assert receipt.rejected_rows == 1


def changed(world: World) -> Receipt:
    """With refunds in the pipeline's own table."""
    world.pipeline = pipeline(tables={"order": "ORDERS"})
    return bounded(world.services(), work(world, "ORDERS"))


CHANGED = {"ORDERS": [0, 3, 6, 9], "REFUNDS": [1, 4]}
"""What is in the tables of routes that were changed behind the sixth record."""


def test_routes_that_change_while_a_table_is_ahead_stop_the_shard_until_it_is_drained(routed: World) -> None:
    put(routed, 6)
    routed.channels.commits_at_once = False
    killed_after(routed, EpochStep.APPENDED, 2, ours(routed))
    routed.channels.commits_at_once = True
    put(routed, 6, 6)
    refused = changed(routed)
    assert problem(refused) == "FL-2111"
    assert "firnline drain" in refused.problem.next_step
    routed.pipeline = pipeline()
    before = drained(routed.services(), ours(routed))
    assert (before.state, problem(before)) == (ShardState.DONE, None)
    assert sum(map(len, tables(routed).values())) == 6, "what was read with the old routes, and nothing else"
    assert routed.row.read_through == Position(routed.shard.records[5].sequence_number)
    assert problem(changed(routed)) is None
    assert tables(routed) == CHANGED | {routed.shard.id: [2, 5, 7, 8, 10, 11]}


def test_routes_may_change_after_a_stop(routed: World) -> None:
    put(routed, 6)
    bounded(routed.services(), ours(routed))
    put(routed, 6, 6)
    assert problem(changed(routed)) is None
    assert tables(routed) == CHANGED | {routed.shard.id: [2, 5, 7, 8, 10, 11]}


def test_a_pipeline_gets_its_first_routes_where_it_left_off(routed: World) -> None:
    put(routed, 6)
    routed.configure()
    bounded(routed.services(), routed.work())
    routed.pipeline = pipeline()
    put(routed, 6, 6)
    assert problem(bounded(routed.services(), ours(routed))) is None
    assert tables(routed) == {routed.shard.id: [0, 1, 2, 3, 4, 5, 8, 11], "ORDERS": [6, 9], "REFUNDS": [7, 10]}


def test_rejected_rows_of_one_table_are_accepted_and_those_of_another_are_not(routed: World) -> None:
    routed.channels.rejects = lambda row: b'"n": 1,' in row or b'"n": 0,' in row
    put(routed, 6)
    assert problem(bounded(routed.services(), ours(routed))) == "FL-3105"
    accepted = list[str]()
    while (receipt := bounded(routed.services(), ours(routed))).problem:
        what, command = receipt.problem.what, receipt.problem.next_step.split("firnline resume ")[1].split()
        table = command[command.index("--table") + 1]
        assert f"DB.RAW.{table} rejected 1 row" in what
        token = command[command.index("--accept-errors") + 1].rstrip(".")
        routed.ledger.reset(accept_errors(routed.row, Position.from_token(token), 1, table=table))
        accepted.append(table)
        assert len(accepted) <= 2, "each is accepted once"
    assert sorted(accepted) == ["ORDERS", "REFUNDS"]
    assert tables(routed) == {routed.shard.id: [2, 5], "ORDERS": [3], "REFUNDS": [4]}
    assert [incident.count for incident in routed.row.incidents] == [1, 1]


@pytest.mark.parametrize("is_routed", [False, True])
def test_what_was_accepted_stays_so_whatever_has_arrived_since(world: World, is_routed: bool) -> None:
    world.pipeline = pipeline() if is_routed else world.pipeline
    world.channels.rejects = lambda row: b'"n": 1,' in row
    asked = ours(world) if is_routed else world.work()
    put(world, 6)
    refused = bounded(world.services(), asked).problem
    token = refused.next_step.split("--accept-errors ")[1].split()[0]
    table = "REFUNDS" if is_routed else ""
    world.ledger.reset(accept_errors(world.row, Position.from_token(token), 1, table=table))
    put(world, 6, 6)
    assert problem(bounded(world.services(), asked)) is None
    assert sum(map(len, tables(world).values())) == 11


def test_a_refused_record_is_not_for_its_table_again_while_another_one_still_reads_again(
    routed: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The own table has the whole page when ORDERS loses its channel: so the shard can't be past the letter yet."""
    put(routed, 12)
    die = dies_at(EpochStep.APPENDED, when=lambda: tables(routed)["ORDERS"][-1:] == [6])
    with monkeypatch.context() as patch:
        costs_the_channel(patch, 3)
        killed(routed.services(observer=die), ours(routed))
    (letter,) = routed.letters
    assert (letter.reason, letter.sequence_number) == ("refused", str(routed.shard.records[3].sequence_number))
    monkeypatch.setattr(in_flight, "TIMEOUT_S", 0.5)
    assert problem(bounded(routed.services(), ours(routed))) is None
    assert tables(routed) == {**expected(routed, 12), "ORDERS": [0, 6, 9]}
    assert len(routed.letters) == 1


def test_routed_rows_are_counted_that_went_before_the_channel_was_lost(
    routed: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(routed, 12)
    append, made = MemoryChannel.append, list[str]()

    def second_is_lost(self: MemoryChannel, rows: Any, *, start: str, end: str) -> None:
        made.append(self.name)
        if made[-1] == channel(routed, "ORDERS") and made.count(made[-1]) == 2:
            raise ChannelLost(self.name, "lost")
        append(self, rows, start=start, end=end)

    monkeypatch.setattr(sending, "APPEND_BYTES", 450)
    monkeypatch.setattr(MemoryChannel, "append", second_is_lost)
    receipt = bounded(routed.services(), ours(routed))
    assert tables(routed) == expected(routed, 12)
    assert (receipt.rows, receipt.routed_rows) == (12, 8)
