from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firnline_local.kinesis import FakeKinesis, ManualClock
from firnline_local.kinesis.numbers import (
    GENERATION_BITS,
    INDEX_BITS,
    KEY_COUNT,
    SHARD_BITS,
    TAG_BITS,
    HashRange,
    SequenceNumber,
    even_ranges,
    hash_of,
)

numbers = st.builds(
    SequenceNumber,
    generation=st.integers(0, 2**GENERATION_BITS - 1),
    index=st.integers(0, 2**INDEX_BITS - 1),
    stream_tag=st.integers(0, 2**TAG_BITS - 1),
    shard_number=st.integers(0, 2**SHARD_BITS - 1),
)


@given(numbers)
def test_every_number_has_56_digits_and_can_be_taken_apart_again(number: SequenceNumber) -> None:
    assert len(str(int(number))) == 56
    assert SequenceNumber.from_int(int(number)) == number


@given(numbers, numbers)
def test_numbers_are_ordered_as_their_parts_are(one: SequenceNumber, other: SequenceNumber) -> None:
    assert (int(one) < int(other)) == (one < other)


@pytest.mark.parametrize("number", [0, 1, 10**55, 10**56])
def test_a_number_that_the_service_never_gave_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match="not a sequence number"):
        SequenceNumber.from_int(number)


def test_numbers_grow_strictly_within_a_shard(kinesis: FakeKinesis) -> None:
    shard = kinesis.create_stream("orders").shard(records=50)
    given_numbers = [record.sequence_number for record in shard.records]
    assert given_numbers == sorted(set(given_numbers))
    assert len(given_numbers) == 50


def test_children_begin_above_everything_their_parents_had_even_within_one_millisecond(kinesis: FakeKinesis) -> None:
    parent = kinesis.create_stream("orders").shard(records=3)
    for child in parent.split():
        assert child.put("x").sequence_number > parent.last_position.sequence_number
        for grandchild in child.split():
            assert grandchild.put("x").sequence_number > child.last_position.sequence_number


def test_a_seed_and_a_clock_give_the_same_numbers_again() -> None:
    def run(seed: int) -> list[int]:
        orders = FakeKinesis(clock=ManualClock(), seed=seed).create_stream("orders", shards=2)
        return [orders.put("x", key=str(number)).sequence_number for number in range(5)]

    assert run(seed=1) == run(seed=1)
    assert not set(run(seed=1)) & set(run(seed=2))


def test_a_partition_key_is_hashed_with_md5() -> None:
    assert hash_of("") == 0xD41D8CD98F00B204E9800998ECF8427E
    assert hash_of("a") == 0x0CC175B9C0F1B6A831C399E269772661


@given(st.integers(1, 300))
def test_even_ranges_cover_every_key_once(count: int) -> None:
    ranges = even_ranges(count)
    assert ranges[0].start == 0
    assert ranges[-1].end == KEY_COUNT - 1
    assert all(one.end + 1 == other.start for one, other in pairwise(ranges))
    sizes = {each.end - each.start for each in ranges}
    assert max(sizes) - min(sizes) <= 1


def test_ranges_that_touch_join_and_others_do_not() -> None:
    assert HashRange(0, 4).is_adjacent_to(HashRange(5, 9))
    assert HashRange(5, 9).is_adjacent_to(HashRange(0, 4))
    assert not HashRange(0, 4).is_adjacent_to(HashRange(6, 9))
    assert HashRange(5, 9).joined(HashRange(0, 4)) == HashRange(0, 9)


def test_a_record_goes_to_the_shard_whose_range_holds_its_hash(kinesis: FakeKinesis) -> None:
    orders = kinesis.create_stream("orders", shards=16)
    for number in range(64):
        put = orders.put("x", key=f"customer-{number}")
        assert put.shard_id == orders.shards[hash_of(f"customer-{number}") >> 124].id


def test_an_explicit_hash_key_overrides_the_partition_key(kinesis: FakeKinesis) -> None:
    kinesis.create_stream("orders", shards=2)
    for key, shard in ((0, 0), (KEY_COUNT // 2 - 1, 0), (KEY_COUNT // 2, 1), (KEY_COUNT - 1, 1)):
        request = {"StreamName": "orders", "Data": b"x", "PartitionKey": "same", "ExplicitHashKey": str(key)}
        assert kinesis.call("PutRecord", request)["ShardId"] == f"shardId-{shard:012d}"
