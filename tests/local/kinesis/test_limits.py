from typing import Any

import pytest

from firnline_local.kinesis import FakeKinesis, FakeKinesisError, ManualClock, ShardHandle

MIB = 1024 * 1024
THROTTLED = "ProvisionedThroughputExceededException"


@pytest.fixture
def limited(clock: ManualClock) -> FakeKinesis:
    return FakeKinesis(clock=clock, write_limits=True)


def horizon(kinesis: FakeKinesis, shard: ShardHandle) -> str:
    request = {"StreamName": shard.stream.name, "ShardId": shard.id, "ShardIteratorType": "TRIM_HORIZON"}
    return str(kinesis.call("GetShardIterator", request)["ShardIterator"])


def read(kinesis: FakeKinesis, iterator: str, limit: int = 10_000) -> str:
    return str(kinesis.call("GetRecords", {"ShardIterator": iterator, "Limit": limit})["NextShardIterator"])


def is_throttled(kinesis: FakeKinesis, iterator: str) -> bool:
    try:
        read(kinesis, iterator)
    except FakeKinesisError as refusal:
        if refusal.code != THROTTLED:
            raise
        return True
    return False


def test_a_shard_is_read_five_times_in_any_second(limited: FakeKinesis, clock: ManualClock) -> None:
    iterator = horizon(limited, limited.create_stream("orders").shard())
    for _ in range(5):
        read(limited, iterator)
        clock.advance(seconds=0.1)
    assert is_throttled(limited, iterator)
    clock.advance(seconds=0.499)
    assert is_throttled(limited, iterator)
    clock.advance(seconds=0.001)  # the first of the five is a second ago
    assert not is_throttled(limited, iterator)
    assert is_throttled(limited, iterator)


def test_shards_are_throttled_one_by_one(limited: FakeKinesis) -> None:
    one, other = (horizon(limited, shard) for shard in limited.create_stream("orders", shards=2).shards)
    for _ in range(5):
        read(limited, one)
    assert is_throttled(limited, one)
    assert not is_throttled(limited, other)


def test_after_a_page_of_10_mib_a_shard_refuses_for_5_seconds(limited: FakeKinesis, clock: ManualClock) -> None:
    shard = limited.create_stream("orders").shard()
    for _ in range(10):
        shard.put(b"x" * (MIB - 3), key="key")
    following = read(limited, horizon(limited, shard))
    for _ in range(49):
        clock.advance(seconds=0.1)
        assert is_throttled(limited, following)
    clock.advance(seconds=0.1)
    assert not is_throttled(limited, following)


def test_a_shard_gives_2_mib_a_second_and_refuses_once_they_are_read(limited: FakeKinesis, clock: ManualClock) -> None:
    shard = limited.create_stream("orders").shard()
    for _ in range(10):
        shard.put(b"x" * (MIB - 3), key="key")
    following = read(limited, horizon(limited, shard), limit=1)
    following = read(limited, following, limit=1)
    assert is_throttled(limited, following)
    clock.advance(seconds=1)
    read(limited, following, limit=1)


def test_an_iterator_is_fetched_five_times_in_any_second(limited: FakeKinesis, clock: ManualClock) -> None:
    shard = limited.create_stream("orders").shard()
    for _ in range(5):
        horizon(limited, shard)
    with pytest.raises(FakeKinesisError, match=THROTTLED):
        horizon(limited, shard)
    clock.advance(seconds=1)
    horizon(limited, shard)


def entries(count: int, size_bytes: int) -> list[dict[str, Any]]:
    return [{"Data": b"x" * (size_bytes - 1), "PartitionKey": "k"} for _ in range(count)]


def put(kinesis: FakeKinesis, records: list[dict[str, Any]]) -> dict[str, Any]:
    return kinesis.call("PutRecords", {"StreamName": "orders", "Records": records})


def test_a_shard_takes_1000_records_a_second(limited: FakeKinesis, clock: ManualClock) -> None:
    limited.create_stream("orders")
    assert [put(limited, entries(400, 10))["FailedRecordCount"] for _ in range(3)] == [0, 0, 200]
    with pytest.raises(FakeKinesisError, match=THROTTLED):
        limited.call("PutRecord", {"StreamName": "orders", "Data": b"x", "PartitionKey": "k"})
    clock.advance(seconds=1)
    assert put(limited, entries(400, 10))["FailedRecordCount"] == 0


def test_a_shard_takes_1_mib_a_second_and_the_rest_fails_record_by_record(
    limited: FakeKinesis, clock: ManualClock
) -> None:
    orders = limited.create_stream("orders")
    answer = put(limited, entries(5, MIB // 4))
    assert answer["FailedRecordCount"] == 1
    assert ["ErrorCode" in entry for entry in answer["Records"]] == [False, False, False, False, True]
    failed = answer["Records"][4]
    assert failed["ErrorCode"] == THROTTLED
    assert "shardId-000000000000" in failed["ErrorMessage"]
    assert len(orders.records) == 4
    clock.advance(seconds=1)
    assert put(limited, entries(4, MIB // 4))["FailedRecordCount"] == 0


def test_a_partition_key_counts_in_bytes_and_not_in_characters(limited: FakeKinesis) -> None:
    limited.create_stream("orders")
    record = {"Data": b"x" * (MIB - 4), "PartitionKey": "é"}
    assert put(limited, [record, {"Data": b"xx", "PartitionKey": "k"}])["FailedRecordCount"] == 1


def test_a_record_above_1_mib_passes_when_the_second_is_still_empty(limited: FakeKinesis, clock: ManualClock) -> None:
    limited.create_stream("orders")
    limited.call("UpdateMaxRecordSize", {"StreamARN": limited.stream("orders").arn, "MaxRecordSizeInKiB": 10240})
    assert put(limited, entries(2, 3 * MIB))["FailedRecordCount"] == 1
    clock.advance(seconds=1)
    assert put(limited, entries(1, 3 * MIB))["FailedRecordCount"] == 0


def test_without_the_switches_nothing_is_throttled(clock: ManualClock) -> None:
    free = FakeKinesis(clock=clock, read_limits=False)
    shard = free.create_stream("orders").shard()
    assert [put(free, entries(500, 100))["FailedRecordCount"] for _ in range(4)] == [0, 0, 0, 0]
    for _ in range(20):
        read(free, horizon(free, shard))


def test_an_account_describes_twenty_streams_a_second(clock: ManualClock) -> None:
    kinesis = FakeKinesis(clock=clock)
    names = [f"s{number}" for number in range(21)]
    for name in names:
        kinesis.create_stream(name)
    for name in names[:20]:
        kinesis.call("DescribeStreamSummary", {"StreamName": name})
    with pytest.raises(FakeKinesisError) as refusal:
        kinesis.call("DescribeStreamSummary", {"StreamName": names[20]})
    assert refusal.value.code == "LimitExceededException"
    clock.advance(seconds=1)
    kinesis.call("DescribeStreamSummary", {"StreamName": names[20]})


def test_a_stream_is_listed_a_thousand_times_a_second(clock: ManualClock) -> None:
    kinesis = FakeKinesis(clock=clock)
    for name in ("busy", "idle"):
        kinesis.create_stream(name)
    for _ in range(1000):
        kinesis.call("ListShards", {"StreamName": "busy"})
    with pytest.raises(FakeKinesisError):
        kinesis.call("ListShards", {"StreamName": "busy"})
    kinesis.call("ListShards", {"StreamName": "idle"})
