from typing import Any

import pytest

from firnline_local.kinesis import FakeKinesis, FakeKinesisError, ManualClock


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
