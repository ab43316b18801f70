"""Tests of who reads what: little moves when little changes, and nobody gets more than one process may read."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firnline_ingest.spark.groups import Placement, TooFewCores, place
from firnline_ingest.values import ShardKey

MOST = 32


def shards(count: int, *, stream: str = "events", first: int = 0) -> list[ShardKey]:
    return [ShardKey(stream, 1, f"shardId-{number:012d}") for number in range(first, first + count)]


def fleet(count: int, *, cores: int = 4) -> dict[str, int]:
    return {f"executor_host{number}_{number}": cores for number in range(count)}


def homes(placement: Placement) -> dict[ShardKey, tuple[int, str]]:
    return {shard: (group.number, group.executor) for group in placement.groups for shard in group.shards}


def moved(before: Placement, after: Placement) -> set[ShardKey]:
    """Returns those of the shards that were placed before and still are, that are elsewhere now."""
    was, now = homes(before), homes(after)
    return {shard for shard in was.keys() & now.keys() if was[shard] != now[shard]}


def split(those: Iterable[ShardKey], parent: int) -> list[ShardKey]:
    """The parent has ended, and its children are read."""
    kept = [shard for number, shard in enumerate(those) if number != parent]
    return kept + shards(2, first=10_000 + 2 * parent)


@pytest.mark.parametrize("parent", [0, 250, 499])
def test_of_five_hundred_shards_a_split_moves_nobody_else(parent: int) -> None:
    every, slots = shards(500), fleet(5)
    before = place(Placement(), every, slots=slots, most=MOST)
    after = place(before, split(every, parent), slots=slots, most=MOST)
    assert moved(before, after) == set()
    assert len(homes(after)) == 501


def test_many_splits_one_after_another_move_nobody_else() -> None:
    every, slots = shards(500), fleet(8)
    before = place(Placement(), every, slots=slots, most=MOST)
    for parent in range(0, 200, 2):
        every = split(every, parent)
        after = place(before, every, slots=slots, most=MOST)
        assert moved(before, after) == set()
        before = after
    assert len(homes(before)) == 600


def test_a_lost_executor_moves_its_own_and_keeps_their_groups_together() -> None:
    every, slots = shards(500), fleet(6)
    before = place(Placement(), every, slots=slots, most=MOST)
    lost = "executor_host2_2"
    after = place(before, every, slots={name: n for name, n in slots.items() if name != lost}, most=MOST)
    assert moved(before, after) == {shard for shard, (_, executor) in homes(before).items() if executor == lost}
    assert not after.left_out
    numbers = {shard: number for shard, (number, _) in homes(before).items()}
    assert {shard: number for shard, (number, _) in homes(after).items()} == numbers


def test_an_executor_that_takes_a_lost_ones_place_gets_what_that_had() -> None:
    every, slots = shards(500), fleet(4)
    before = place(Placement(), every, slots=slots, most=MOST)
    replaced = {name: n for name, n in slots.items() if name != "executor_host1_1"} | {"executor_new_9": 4}
    after = place(before, every, slots=replaced, most=MOST)
    assert moved(before, after) == {s for s, (_, executor) in homes(before).items() if executor == "executor_host1_1"}
    assert {homes(after)[shard][1] for shard in moved(before, after)} == {"executor_new_9"}


def test_shards_that_no_process_has_room_for_are_left_out_until_there_is() -> None:
    every, slots = shards(500), fleet(3)
    before = place(Placement(), every, slots=slots, most=MOST)
    assert len(before.left_out) == 500 - 12 * MOST
    after = place(before, every, slots=fleet(4), most=MOST)
    assert (after.left_out, moved(before, after)) == ((), set())


def test_shards_are_spread_over_the_groups_that_they_need() -> None:
    placement = place(Placement(), shards(500), slots=fleet(5), most=MOST)
    assert len(placement.groups) == 16
    assert {len(group.shards) for group in placement.groups} == {31, 32}
    tasks = [group.executor for group in placement.groups]
    assert {tasks.count(executor) for executor in fleet(5)} == {3, 4}


def test_too_few_cores_are_told_with_the_number_that_is_needed() -> None:
    error = TooFewCores(shards=500, most=32, slots=12)
    assert "500 shards need 16 tasks" in error.what
    assert error.is_retryable


Fleets = st.dictionaries(st.sampled_from([f"executor_h_{n}" for n in range(6)]), st.integers(1, 4), max_size=6)
Epochs = st.lists(st.tuples(st.sets(st.integers(0, 60)), Fleets), min_size=1, max_size=8)


@given(Epochs, st.integers(1, 7))
def test_whatever_comes_and_goes_every_shard_has_one_place_or_is_left_out_for_want_of_one(
    epochs: list[tuple[set[int], dict[str, int]]], most: int
) -> None:
    placement = Placement()
    for numbers, slots in epochs:
        every = [ShardKey("events", 1, f"shardId-{number}") for number in numbers]
        before, placement = placement, place(placement, every, slots=slots, most=most)
        read = [shard for group in placement.groups for shard in group.shards]
        assert sorted([*read, *placement.left_out], key=str) == sorted(every, key=str)
        assert all(0 < len(group.shards) <= most for group in placement.groups)
        tasks = [group.executor for group in placement.groups]
        assert all(tasks.count(executor) <= slots.get(executor, 0) for executor in tasks)
        assert len({group.number for group in placement.groups}) == len(placement.groups)
        if placement.left_out:
            assert len(read) == most * sum(slots.values())
        survivors = {shard for shard, (_, executor) in homes(before).items() if slots.get(executor, 0) >= 4}
        assert not moved(before, placement) & survivors, "who lost no slot stays"


@given(st.lists(st.integers(0, 500), unique=True), st.integers(1, 40))
def test_the_order_in_which_shards_are_named_changes_nothing(numbers: list[int], most: int) -> None:
    every = [ShardKey("events", 1, f"shardId-{number}") for number in numbers]
    slots = fleet(3)
    assert place(Placement(), every, slots=slots, most=most) == place(Placement(), every[::-1], slots=slots, most=most)


def test_a_stream_that_is_resharded_beyond_the_room_there_is_takes_no_other_streams_place() -> None:
    """The other one comes last by its name, and comes later."""
    room = {"executor_a_1": 2}
    before = place(Placement(), shards(64, stream="noisy"), slots=room, most=MOST)
    assert len(homes(before)) == 64
    both = [*shards(64, stream="noisy"), *shards(3, stream="quiet")]
    after = place(before, both, slots=room, most=MOST)
    read = homes(after)
    assert {key for key in read if key.stream == "quiet"} == set(shards(3, stream="quiet"))
    assert [key.stream for key in after.left_out] == ["noisy"] * 3
    assert moved(before, after) == set()
    assert place(after, both, slots=room, most=MOST) == after, "who is read stays so"


@given(st.lists(st.integers(1, 90), min_size=1, max_size=8), st.integers(1, 4))
def test_no_stream_is_read_with_less_than_its_share_while_another_has_more(counts: list[int], cores: int) -> None:
    every = [shard for number, count in enumerate(counts) for shard in shards(count, stream=f"s{number}")]
    placement = place(Placement(), every, slots=fleet(1, cores=cores), most=MOST)
    read = [sum(key.stream == f"s{number}" for key in homes(placement)) for number in range(len(counts))]
    assert sum(read) == min(len(every), cores * MOST)
    assert len(read) == len(counts)
    short = [number for number, count in enumerate(counts) if read[number] < count]
    assert all(max(read) <= read[number] + 1 for number in short)
    assert {*homes(placement), *placement.left_out} == set(every)
