"""KPL aggregates through a whole shard: each user record a row, also where the engine stopped inside an aggregate."""

import json
from contextlib import suppress
from typing import Any

import pytest

from firnline_ingest.kinesis import aggregate
from firnline_ingest.kinesis.errors import ShardUnlisted
from firnline_ingest.shard.receipt import Receipt, ShardState
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.snowflake import sending
from firnline_ingest.values import Position
from tests.fakes.kills import Killed, dies_at
from tests.fakes.kpl_packing import KPL_PARTITION_KEY, Packed, pack, sealed
from tests.fakes.receipts import problem
from tests.ingest.shard.conftest import World

from .running import bounded


def packed(*values: int, key: str = "user") -> bytes:
    return pack(Packed(b'{"n":%d}' % value, f"{key}-{value}") for value in values)


def metadata(row: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(row)["KINESISMETADATA"]
    return found


@pytest.fixture
def mixed(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """A plain record, an aggregate of four, a plain one, an aggregate of two; two rows an append."""
    world.stream.put({"n": 0}, "plain")
    world.stream.put(packed(1, 2, 3, 4), "outer")
    world.stream.put({"n": 5}, "plain")
    world.stream.put(packed(6, 7), "outer")
    monkeypatch.setattr(sending, "APPEND_BYTES", 900)
    return world


EVERY = list(range(8))


def test_each_user_record_is_a_row_with_its_own_key_and_its_place_in_the_aggregate(mixed: World) -> None:
    receipt = bounded(mixed.services(), mixed.work())

    assert mixed.numbers == EVERY
    assert (receipt.records, receipt.rows, receipt.dead_letters) == (8, 8, 0)
    made = [metadata(row) for row in mixed.served.rows]
    assert [each["subSequenceNumber"] for each in made] == [0, 0, 1, 2, 3, 0, 0, 1]
    assert [each["partitionKey"] for each in made[:3]] == ["plain", "user-1", "user-2"]
    assert len({each["sequenceNumber"] for each in made}) == 4
    assert all(
        each["shardedSequenceNumber"] == f"{each['sequenceNumber']}{each['subSequenceNumber']:020}" for each in made
    )
    assert mixed.row.read_through == Position(mixed.shard.last_position.sequence_number, 1)


def test_the_explicit_hash_key_is_told_on_request(world: World) -> None:
    world.configure(metadata={"explicit_hash_key": True})
    world.put(0, pack([Packed(b'{"n":1}', "k", "77"), Packed(b'{"n":2}', "k")]))
    bounded(world.services(), world.work())
    assert [metadata(row)["explicitHashKey"] for row in world.served.rows] == [None, "77", None]


@pytest.mark.parametrize("step", [EpochStep.APPENDED, EpochStep.COMMITTED, EpochStep.LEDGERED])
@pytest.mark.parametrize("kills_at", range(1, 5))
def test_a_kill_inside_an_aggregate_loses_and_doubles_none(mixed: World, step: EpochStep, kills_at: int) -> None:
    with suppress(Killed):
        bounded(mixed.services(observer=dies_at(step, kills_at)), mixed.work())
    receipt = bounded(mixed.services("second"), mixed.work())
    assert mixed.numbers == EVERY
    assert receipt.problem is None


def test_a_stop_inside_an_aggregate_is_gone_on_from_inside_of_it(mixed: World, monkeypatch: pytest.MonkeyPatch) -> None:
    mixed.configure(on_error="stop")
    mixed.stream.put(pack([Packed(b'{"n":8}'), Packed(b"bad"), Packed(b'{"n":9}')]))

    assert problem(bounded(mixed.services(), mixed.work())) == "FL-4017"
    assert mixed.numbers == [*EVERY, 8]
    last = mixed.shard.last_position.sequence_number
    assert mixed.row.read_through == Position(last, 0)

    mixed.configure()
    receipt = bounded(mixed.services("second"), mixed.work())
    assert mixed.numbers == [*EVERY, 8, 9]
    assert (receipt.records, receipt.rows, receipt.dead_letters) == (2, 1, 1)


def test_what_is_no_row_is_a_dead_letter_with_its_place_in_the_aggregate(world: World) -> None:
    world.stream.put(pack([Packed(b'{"n":0}'), Packed(b"no JSON", "my key"), Packed(b"")]))

    receipt = bounded(world.services(), world.work())
    first, second = world.letters
    number = world.shard.last_position.sequence_number
    assert [letter.key.position for letter in (first, second)] == [Position(number, 1), Position(number, 2)]
    assert (first.reason, first.data, first.partition_key) == ("not-json", b"no JSON", "my key")
    assert second.reason == "empty"
    assert (receipt.rows, receipt.dead_letters) == (1, 2)


def test_an_aggregate_that_can_not_be_taken_apart_is_one_dead_letter_with_all_its_bytes(world: World) -> None:
    broken = sealed(b"\x0a\x03key\x1a\x05\x08\x07\x1a\x01x")
    world.stream.put(broken, "outer")
    world.stream.put({"n": 1})

    bounded(world.services(), world.work())
    (letter,) = world.letters
    assert (letter.reason, letter.data, letter.partition_key) == ("broken-aggregate", broken, "outer")
    assert world.numbers == [1]


def test_what_only_looks_like_an_aggregate_is_a_record_like_any_other(world: World) -> None:
    world.stream.put(packed(1, 2)[:-1] + b"\0")

    bounded(world.services(), world.work())
    (letter,) = world.letters
    assert letter.reason == "not-json"


def test_switched_off_an_aggregate_is_a_record_like_any_other(mixed: World) -> None:
    mixed.configure(aggregation="off")
    receipt = bounded(mixed.services(), mixed.work())
    assert mixed.numbers == [0, 5]
    assert receipt.dead_letters == 2


def test_an_aggregate_in_many_pieces_is_proven_piece_by_piece(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aggregate, "PIECE_RECORDS", 10)
    world.stream.put(packed(*range(95)))
    written: list[Position | None] = []

    def note(step: EpochStep, _key: object) -> None:
        if step is EpochStep.LEDGERED:
            written.append(world.row.read_through)

    bounded(world.services(observer=note), world.work())
    assert world.numbers == list(range(95))
    number = world.shard.last_position.sequence_number
    assert Position(number, 9) in written
    assert written[-1] == Position(number, 94)


# After a resharding


def misplaced_after_a_split(world: World, key: str) -> Receipt:
    """The lower child gets an aggregate that was meant for the parent, and then its own part of it once more."""
    records = [Packed(b'{"n":%d}' % n, "k", str(n << 124)) for n in range(16)]
    lower, _ = world.shard.split()
    lower.put(pack(records), key)
    return bounded(world.services(), world.work(shard=lower))


def test_what_a_kpl_packed_for_the_parent_is_a_row_only_in_the_shard_that_owns_it(world: World) -> None:
    receipt = misplaced_after_a_split(world, KPL_PARTITION_KEY)

    assert (world.numbers, receipt.dead_letters) == (list(range(8)), 8)
    assert {letter.reason for letter in world.letters} == {"misplaced"}


def test_what_another_producer_packed_for_the_parent_stays_where_it_is(world: World) -> None:
    misplaced_after_a_split(world, "customer-7")

    assert world.numbers == list(range(16))


@pytest.mark.parametrize(("unusable", "skipped", "letters"), [("stop", 0, 8), ("skip", 8, 0)])
def test_misplaced_records_stop_nobody_are_no_storm_and_are_counted(
    world: World, unusable: str, skipped: int, letters: int
) -> None:
    world.configure(on_error=unusable, max_unusable_per_minute=1)
    receipt = misplaced_after_a_split(world, KPL_PARTITION_KEY)

    assert receipt.problem is None
    assert world.numbers == list(range(8))
    assert (receipt.rows, receipt.skipped, receipt.dead_letters) == (8, skipped, letters)


def test_a_listing_that_lacks_the_shard_is_asked_again(world: World) -> None:
    lower, _ = world.shard.split()
    lower.put(pack([Packed(b'{"n":1}', "k", "0"), Packed(b'{"n":2}', "k", "1")]), KPL_PARTITION_KEY)
    lower.leave_out(listings=2)

    receipt = bounded(world.services(), world.work(shard=lower))
    assert receipt.state is ShardState.DONE
    assert world.numbers == [1, 2]
    assert receipt.interruptions == 2
    assert ShardUnlisted("events", lower.id).is_retryable
