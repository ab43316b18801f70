from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firnline_local.kinesis import FakeKinesis, FakeKinesisError, ManualClock, ShardHandle, StreamHandle
from firnline_local.kinesis.numbers import KEY_COUNT


def hash_keys(stream: StreamHandle) -> list[tuple[int, int]]:
    listed = stream.account.streams[stream.name].open_shards
    return [(shard.hash_range.start, shard.hash_range.end) for shard in listed]


def test_a_split_closes_the_parent_at_once_and_its_children_take_over(kinesis: FakeKinesis) -> None:
    orders = kinesis.create_stream("orders")
    parent = orders.shard(records=3)
    lower, upper = parent.split()

    assert not parent.is_open
    assert parent.children == [lower, upper]
    assert lower.parents == upper.parents == [parent]
    for number in range(20):
        orders.put("x", key=str(number))
    assert len(parent.records) == 3
    assert len(lower.records) + len(upper.records) == 20


def test_a_split_shares_the_hash_keys_out_at_the_new_starting_key(kinesis: FakeKinesis) -> None:
    orders = kinesis.create_stream("orders")
    orders.shard().split(at=1000)
    assert hash_keys(orders) == [(0, 999), (1000, KEY_COUNT - 1)]


@pytest.mark.parametrize("at", [0, KEY_COUNT])
def test_a_split_outside_of_the_shard_or_at_its_first_key_is_refused(kinesis: FakeKinesis, at: int) -> None:
    parent = kinesis.create_stream("orders").shard()
    with pytest.raises(FakeKinesisError, match="InvalidArgumentException"):
        parent.split(at=at)
    assert parent.is_open


def test_a_merge_joins_two_neighbours_into_one_child(kinesis: FakeKinesis) -> None:
    orders = kinesis.create_stream("orders", shards=2)
    left, right = orders.shards
    child = right.merge(left)
    assert child.parents == [right, left]
    assert hash_keys(orders) == [(0, KEY_COUNT - 1)]
    assert orders.put("x").shard_id == child.id


def test_shards_with_a_third_between_them_do_not_merge(kinesis: FakeKinesis) -> None:
    first, _, third = kinesis.create_stream("orders", shards=3).shards
    with pytest.raises(FakeKinesisError, match="not adjacent"):
        first.merge(third)
    assert first.is_open
    assert third.is_open


def test_a_closed_shard_is_neither_split_nor_merged_again(kinesis: FakeKinesis) -> None:
    left, right = kinesis.create_stream("orders", shards=2).shards
    left.split()
    for again in (left.split, lambda: left.merge(right), lambda: right.merge(left)):
        with pytest.raises(FakeKinesisError, match="already been split or merged"):
            again()
    assert right.is_open


@pytest.mark.parametrize(("before", "after"), [(1, 2), (2, 4), (4, 2), (4, 3), (3, 5), (5, 5)])
def test_rescaling_makes_shards_of_one_size_that_cover_every_key(kinesis: FakeKinesis, before: int, after: int) -> None:
    orders = kinesis.create_stream("orders", shards=before)
    assert len(orders.rescale(after)) == after
    bounds = [KEY_COUNT * part // after for part in range(after + 1)]
    assert hash_keys(orders) == [(bounds[part], bounds[part + 1] - 1) for part in range(after)]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["put", "split", "merge", "tick"]), st.integers(0, 1000)), max_size=60))
def test_following_the_lineage_reads_every_record_once_and_in_order(steps: list[tuple[str, int]]) -> None:
    clock = ManualClock()
    orders = FakeKinesis(clock=clock, read_limits=False).create_stream("orders", shards=2)
    put: dict[str, list[int]] = {}
    for step, number in steps:
        shards = orders.open_shards
        if step == "put":
            key = f"key-{number % 7}"
            put.setdefault(key, []).append(orders.put(str(number), key=key).sequence_number)
        elif step == "split":
            shards[number % len(shards)].split()
        elif step == "merge" and len(shards) > 1:
            at = number % (len(shards) - 1)
            shards[at].merge(shards[at + 1])
        else:
            clock.advance(seconds=number)

    read = [record for shard in parents_first(orders.shards) for record in shard.records]
    by_key = {key: [record.sequence_number for record in read if record.partition_key == key] for key in put}
    assert by_key == put
    assert all(numbers == sorted(numbers) for numbers in by_key.values())


def parents_first(shards: list[ShardHandle]) -> list[ShardHandle]:
    """The order in which shards were made is one: a child is made after its parents."""
    for place, shard in enumerate(shards):
        assert all(parent in shards[:place] for parent in shard.parents)
    return shards


def retain(kinesis: FakeKinesis, how: str, hours: int) -> None:
    kinesis.call(f"{how}StreamRetentionPeriod", {"StreamName": "orders", "RetentionPeriodHours": hours})


def horizon(kinesis: FakeKinesis, shard_id: str) -> dict[str, Any]:
    request = {"StreamName": "orders", "ShardId": shard_id, "ShardIteratorType": "TRIM_HORIZON"}
    return kinesis.call("GetShardIterator", request)


def test_a_record_can_be_read_for_24_hours(kinesis: FakeKinesis, clock: ManualClock) -> None:
    shard = kinesis.create_stream("orders").shard(records=2)
    clock.advance(hours=24)
    assert len(shard.records) == 2
    clock.advance(seconds=1)
    assert shard.records == []


def test_trimming_leaves_the_numbers_of_what_remains_alone(kinesis: FakeKinesis, clock: ManualClock) -> None:
    shard = kinesis.create_stream("orders").shard(records=2)
    clock.advance(hours=12)
    kept = shard.put(b"kept")
    clock.advance(hours=13)
    assert shard.records == [kept]
    assert shard.put(b"new").sequence_number > kept.sequence_number


def test_a_longer_retention_keeps_what_is_there_and_brings_nothing_back(
    kinesis: FakeKinesis, clock: ManualClock
) -> None:
    shard = kinesis.create_stream("orders").shard()
    shard.put(b"old")
    clock.advance(hours=20)
    shard.put(b"young")
    clock.advance(hours=5)
    retain(kinesis, "Increase", 168)
    assert [record.data for record in shard.records] == [b"young"]
    clock.advance(hours=100)
    assert [record.data for record in shard.records] == [b"young"]


def test_a_shorter_retention_trims_at_once(kinesis: FakeKinesis, clock: ManualClock) -> None:
    shard = kinesis.create_stream("orders", retention_hours=48).shard(records=1)
    clock.advance(hours=30)
    assert len(shard.records) == 1
    retain(kinesis, "Decrease", 24)
    assert shard.records == []


@pytest.mark.parametrize(("how", "hours"), [("Increase", 47), ("Increase", 8761), ("Decrease", 49), ("Decrease", 23)])
def test_retention_moves_only_in_the_named_direction_and_within_a_day_and_a_year(
    kinesis: FakeKinesis, how: str, hours: int
) -> None:
    kinesis.create_stream("orders", retention_hours=48)
    with pytest.raises(FakeKinesisError, match="InvalidArgumentException"):
        retain(kinesis, how, hours)


def test_a_closed_shard_expires_with_its_last_records_and_an_open_one_never(
    kinesis: FakeKinesis, clock: ManualClock
) -> None:
    orders = kinesis.create_stream("orders")
    parent = orders.shard(records=1)
    clock.advance(hours=10)
    lower, upper = parent.split()
    clock.advance(hours=24)
    assert orders.shards == [parent, lower, upper]
    clock.advance(seconds=1)
    assert orders.shards == [lower, upper]
    assert lower.parents == [parent]
    with pytest.raises(FakeKinesisError, match="ResourceNotFoundException"):
        horizon(kinesis, parent.id)


def test_an_iterator_does_not_outlive_its_shard(kinesis: FakeKinesis, clock: ManualClock) -> None:
    parent = kinesis.create_stream("orders", retention_hours=48).shard(records=1)
    parent.split()
    clock.advance(hours=25)
    iterator = horizon(kinesis, parent.id)
    retain(kinesis, "Decrease", 24)
    with pytest.raises(FakeKinesisError, match="ResourceNotFoundException"):
        kinesis.call("GetRecords", iterator)
