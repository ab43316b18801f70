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
