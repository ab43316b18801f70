from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from firnline_local.kinesis import FakeKinesis
from firnline_local.kinesis.numbers import KEY_COUNT, HashRange, even_ranges, hash_of


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
