"""One shard from Kinesis to proven rows, in memory: what it writes, in which order, and what it refuses."""

import json
import threading
from dataclasses import fields, replace

import pytest

from firnline_ingest.kinesis.start import After
from firnline_ingest.ledger.row import IncidentKind
from firnline_ingest.shard.receipt import Receipt, ShardState, Tally
from firnline_ingest.shard.request import ShardRequest
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.values import Fence, Position, ShardKey
from tests.fakes.kills import Killed, dies_at
from tests.fakes.receipts import problem
from tests.ingest.shard.conftest import World

from .running import bounded, epochs, frozen_at, has_rows, now_ms, reading, run, soon


def test_every_record_becomes_one_row_in_order_and_is_proven(world: World) -> None:
    world.stream.shard(records=25)
    receipt = bounded(world.services(), world.work())
    assert receipt.state is ShardState.DONE
    assert (receipt.records, receipt.rows, receipt.opens) == (25, 25, 1)
    assert receipt.proof_delay_ms is not None
    assert world.numbers == list(range(25))
    assert world.row.read_through == world.shard.last_position
    assert receipt.proven == receipt.end == world.shard.last_position.token


def test_the_row_carries_its_place_in_the_stream(world: World) -> None:
    record = world.stream.put({"n": 1}, key="customer-7")
    bounded(world.services(), world.work())
    metadata = json.loads(world.served.rows[0])["KINESISMETADATA"]
    assert metadata["sequenceNumber"] == str(record.sequence_number)
    assert (metadata["shardId"], metadata["partitionKey"]) == (world.shard.id, "customer-7")


def test_a_restart_goes_on_after_what_was_proven(world: World) -> None:
    world.stream.shard(records=10)
    bounded(world.services(), world.work())
    world.put(10)
    receipt = bounded(world.services("second"), world.work())
    assert world.numbers == list(range(11))
    assert (receipt.rows, receipt.reread_rows) == (1, 0)


def test_what_is_no_json_object_is_a_durable_dead_letter_before_any_row_after_it(world: World) -> None:
    _, bad, _ = world.put(0, b"not json", 1)
    steps: list[EpochStep] = []
    receipt = bounded(world.services(observer=lambda step, key: steps.append(step)), world.work())
    assert world.numbers == [0, 1]
    (letter,) = world.letters
    assert (letter.data, letter.sequence_number) == (b"not json", bad)
    assert steps.index(EpochStep.DEAD_LETTERED) < steps.index(EpochStep.APPENDED)
    assert (receipt.records, receipt.rows, receipt.dead_letters) == (3, 2, 1)


def test_dead_letters_alone_move_the_ledger_where_no_token_can(world: World) -> None:
    world.stream.put(b"bad")
    bounded(world.services(), world.work())
    assert world.served.committed is None
    assert world.row.read_through == world.shard.last_position
    assert bounded(world.services("second"), world.work()).records == 0


def test_rows_that_are_committed_but_not_proven_are_counted_and_never_appended_again(world: World) -> None:
    world.stream.shard(records=10)
    with pytest.raises(Killed):
        bounded(world.services(observer=dies_at(EpochStep.COMMITTED)), world.work())
    assert (len(world.served.rows), world.row.read_through) == (10, None)
    receipt = bounded(world.services("second"), world.work())
    assert world.numbers == list(range(10))
    assert (receipt.rows, receipt.reread_rows) == (10, 0), "no receipt has had them"
    assert world.row.read_through == world.shard.last_position


def test_rows_that_were_never_committed_are_read_and_appended_again(world: World) -> None:
    world.channels.commits_at_once = False
    world.channels.discards_on_open = True
    world.stream.shard(records=10)
    request = ShardRequest.lasting(world.work(), 20, arrival_ms=now_ms())
    steps: list[EpochStep] = []

    def stop_when_it_opens_again(step: EpochStep, key: ShardKey) -> None:
        steps.append(step)
        if steps.count(EpochStep.OPENED) > 1:
            request.stop()

    receipt = run(world.services(final_commit_s=0.0, observer=stop_when_it_opens_again), request)
    assert (receipt.state, problem(receipt)) == (ShardState.FAILED, "FL-3010")
    world.channels.commits_at_once = True
    assert bounded(world.services("second"), world.work()).rows == 10
    assert world.numbers == list(range(10))


def test_a_shard_that_somebody_else_opened_yields_and_asked_again_it_opens_the_shard_again(world: World) -> None:
    with reading(world, 5, "first") as group:
        bounded(world.services("second"), world.work())
        world.put(5)
        receipts = epochs(group, [world.work()], has_rows(world, 6))
        assert [receipt.state for receipt in receipts].count(ShardState.FENCED) == 1
    assert world.numbers == list(range(6))


def test_a_zombie_can_neither_append_nor_write_the_ledger(world: World) -> None:
    world.stream.shard(records=3)
    with frozen_at(EpochStep.READ, world) as receipts:
        assert bounded(world.services("owner"), world.work()).state is ShardState.DONE
    assert receipts[0].state is ShardState.FENCED
    assert "owner" in receipts[0].problem.what
    assert world.numbers == [0, 1, 2]
    assert world.row.fence.owner.startswith("owner/")


def test_a_channel_that_the_service_invalidated_is_opened_again_and_nothing_is_lost(world: World) -> None:
    with reading(world, 5) as group:
        world.served.opens += 1  # as if the service wanted it opened again: the ledger's fence is still ours
        world.put(5)
        receipts = epochs(group, [world.work()], has_rows(world, 6))
    assert sum(receipt.opens for receipt in receipts) == 1
    assert world.numbers == list(range(6))


def test_an_epochs_boundary_costs_no_reopen(world: World) -> None:
    with world.group() as group:
        opens = 0
        for n in range(3):
            world.put(n)
            receipts = epochs(group, [world.work()], has_rows(world, n + 1))
            opens += sum(receipt.opens for receipt in receipts)
    assert opens == 1
    assert world.numbers == [0, 1, 2]


def test_a_key_that_is_new_is_told_with_its_record_in_one_receipt(world: World) -> None:
    with world.group() as group:
        told = []
        for n, payload in enumerate([{"n": 0}, {"n": 1, "late": "x"}, {"late": "y"}]):
            world.stream.put(payload)
            receipts = epochs(group, [world.work()], has_rows(world, n + 1))
            told += [(key, *where) for receipt in receipts for key, where in receipt.new_keys.items()]
    first, second, _ = (str(record.sequence_number) for record in world.shard.records)
    assert told == [("n", first, "integer"), ("late", second, "text")]


def test_a_rejected_row_stops_the_shard_and_the_same_error_comes_again(world: World) -> None:
    world.channels.rejects = lambda row: b'"n":1' in row
    world.stream.shard(records=3)
    for _ in range(2):
        receipt = bounded(world.services(), world.work())
        assert (receipt.state, problem(receipt), receipt.rejected_rows) == (ShardState.FAILED, "FL-3105", 1)
        assert not receipt.problem.is_retryable
    assert len(world.served.rows) == 2


def test_rejected_rows_are_passed_when_tolerated(world: World) -> None:
    world.configure(tolerance="all")
    world.channels.rejects = lambda row: b'"n":1' in row
    world.stream.shard(records=3)
    receipt = bounded(world.services(), world.work())
    assert (receipt.state, receipt.rejected_rows) == (ShardState.DONE, 1)
    assert receipt.rejection == "the test rejects it"
    assert receipt.rejected_through == world.shard.last_position.token
    assert world.row.read_through == world.shard.last_position


def test_a_closed_shard_is_read_to_its_end_and_its_children_are_named(world: World) -> None:
    parent = world.stream.shard(records=4)
    left, right = parent.split()
    receipt = bounded(world.services(), world.work(shard=parent))
    assert receipt.state is ShardState.ENDED
    row = world.ledger.read(world.key(parent))
    assert row.ended
    assert set(row.children) == {left.id, right.id}
    assert world.numbers == [0, 1, 2, 3]


def test_a_bounded_run_leaves_later_arrivals_alone(world: World) -> None:
    clock = world.use_clock()
    world.put(0)
    bound = int(clock.now.timestamp() * 1000) + 1
    clock.advance(seconds=1)
    world.put(1)
    receipt = run(world.services(), ShardRequest.lasting(world.work(), 20, arrival_ms=bound))
    assert receipt.state is ShardState.DONE
    assert world.numbers == [0]


def test_a_lost_ledger_row_is_rebuilt_from_the_token_and_noted(world: World) -> None:
    world.stream.shard(records=5)
    bounded(world.services(), world.work())
    world.ledger.forget(world.key())
    world.put(5)
    assert bounded(world.services("second"), world.work()).rows == 1
    assert world.numbers == list(range(6))
    (incident,) = world.row.incidents
    assert incident.kind is IncidentKind.LEDGER_REBUILT
    assert "firnline audit" in incident.detail
    assert incident.detail.endswith("which dead letters lie beyond it"), "all of it is kept"


def test_a_lost_ledger_row_without_a_token_begins_at_sparks_offset(world: World) -> None:
    world.stream.shard(records=5)
    third = world.shard.records[2]
    receipt = bounded(world.services(), world.work(After(Position(third.sequence_number))))
    assert receipt.rows == 2
    assert world.numbers == [3, 4]
    (incident,) = world.row.incidents
    assert (incident.kind, incident.through) == (IncidentKind.LEDGER_REBUILT, Position(third.sequence_number))
    assert "Spark's offset" in incident.detail


def test_an_open_that_blocks_is_that_shards_lag_and_goes_on_in_the_next_epoch(world: World) -> None:
    world.stream.shard(records=2)
    unblock = threading.Event()
    world.channels.opening = lambda _: unblock.wait(10)
    with world.group() as group:
        assert group.run([world.work()], soon(0.1))[0].state is ShardState.OPENING
        unblock.set()
        epochs(group, [world.work()], has_rows(world, 2))
    assert world.row.fence.generation == 1
    assert world.row.fence != Fence()


def test_a_receipt_comes_through_the_jvm_with_every_count_of_its_epoch_and_its_key() -> None:
    tally = Tally(**{each.name: number for number, each in enumerate(fields(Tally), 1)})
    made = Receipt.of(ShardKey("orders", 1, "shard-0"), tally, epoch=8, state=ShardState.DONE)
    receipt = replace(made, fingerprint="SHA256:a")
    assert receipt.key == ShardKey("orders", 1, "shard-0")
    assert tally.as_dict().items() <= receipt.as_dict().items()
    assert Receipt.from_dict(receipt.as_dict()) == receipt
