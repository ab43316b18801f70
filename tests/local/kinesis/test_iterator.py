from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from firnline_local.kinesis import FakeKinesis, FakeKinesisError, ManualClock, ShardHandle
from firnline_local.kinesis.numbers import SequenceNumber


def iterator(kinesis: FakeKinesis, shard: ShardHandle, kind: str, **place: Any) -> str:
    request = {"StreamName": shard.stream.name, "ShardId": shard.id, "ShardIteratorType": kind, **place}
    return str(kinesis.call("GetShardIterator", request)["ShardIterator"])


def read_from(kinesis: FakeKinesis, shard: ShardHandle, kind: str, **place: Any) -> list[bytes]:
    page = kinesis.call("GetRecords", {"ShardIterator": iterator(kinesis, shard, kind, **place)})
    return [record["Data"] for record in page["Records"]]


@pytest.fixture
def shard(kinesis: FakeKinesis, clock: ManualClock) -> ShardHandle:
    """Holds a, b and c, put a minute apart; the clock stands at c."""
    shard = kinesis.create_stream("orders").shard()
    for data in (b"a", b"b", b"c"):
        clock.advance(minutes=1)
        shard.put(data)
    return shard


def number(shard: ShardHandle, index: int) -> str:
    return str(shard.records[index].sequence_number)


def test_trim_horizon_begins_at_the_oldest_record(kinesis: FakeKinesis, shard: ShardHandle) -> None:
    assert read_from(kinesis, shard, "TRIM_HORIZON") == [b"a", b"b", b"c"]


def test_latest_begins_after_the_newest_record(kinesis: FakeKinesis, shard: ShardHandle) -> None:
    latest = iterator(kinesis, shard, "LATEST")
    shard.put(b"d")
    assert [record["Data"] for record in kinesis.call("GetRecords", {"ShardIterator": latest})["Records"]] == [b"d"]


def test_at_sequence_number_begins_with_the_record(kinesis: FakeKinesis, shard: ShardHandle) -> None:
    at = number(shard, 1)
    assert read_from(kinesis, shard, "AT_SEQUENCE_NUMBER", StartingSequenceNumber=at) == [b"b", b"c"]


def test_after_sequence_number_begins_beyond_the_record(kinesis: FakeKinesis, shard: ShardHandle) -> None:
    after = number(shard, 1)
    assert read_from(kinesis, shard, "AFTER_SEQUENCE_NUMBER", StartingSequenceNumber=after) == [b"c"]


def test_the_number_that_a_shard_starts_with_reads_all_of_it(kinesis: FakeKinesis, shard: ShardHandle) -> None:
    listed = kinesis.call("ListShards", {"StreamName": "orders"})["Shards"][0]
    start = listed["SequenceNumberRange"]["StartingSequenceNumber"]
    for kind in ("AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"):
        assert read_from(kinesis, shard, kind, StartingSequenceNumber=start) == [b"a", b"b", b"c"]


def test_the_number_that_a_shard_ends_with_reads_nothing(kinesis: FakeKinesis, shard: ShardHandle) -> None:
    shard.split()
    listed = kinesis.call("ListShards", {"StreamName": "orders"})["Shards"][0]
    end = listed["SequenceNumberRange"]["EndingSequenceNumber"]
    for kind in ("AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"):
        page = kinesis.call("GetRecords", {"ShardIterator": iterator(kinesis, shard, kind, StartingSequenceNumber=end)})
        assert page["Records"] == []
        assert page["NextShardIterator"] is None


def test_at_timestamp_begins_with_the_first_record_that_arrived_then_or_later(
    kinesis: FakeKinesis, shard: ShardHandle
) -> None:
    arrived = shard.records[1].arrived_at
    assert read_from(kinesis, shard, "AT_TIMESTAMP", Timestamp=arrived) == [b"b", b"c"]
    assert read_from(kinesis, shard, "AT_TIMESTAMP", Timestamp=arrived + timedelta(milliseconds=1)) == [b"c"]
    assert read_from(kinesis, shard, "AT_TIMESTAMP", Timestamp=arrived - timedelta(days=9)) == [b"a", b"b", b"c"]


def test_at_a_timestamp_in_the_future_reading_waits_for_it(
    kinesis: FakeKinesis, clock: ManualClock, shard: ShardHandle
) -> None:
    at = iterator(kinesis, shard, "AT_TIMESTAMP", Timestamp=clock() + timedelta(minutes=2))
    page = kinesis.call("GetRecords", {"ShardIterator": at})
    clock.advance(minutes=1)
    shard.put(b"too early")
    page = kinesis.call("GetRecords", {"ShardIterator": page["NextShardIterator"]})
    assert page["Records"] == []
    clock.advance(minutes=1)
    shard.put(b"in time")
    page = kinesis.call("GetRecords", {"ShardIterator": page["NextShardIterator"]})
    assert [record["Data"] for record in page["Records"]] == [b"in time"]


def test_an_iterator_expires_after_five_minutes(kinesis: FakeKinesis, clock: ManualClock, shard: ShardHandle) -> None:
    first = iterator(kinesis, shard, "TRIM_HORIZON")
    clock.advance(minutes=5)
    following = kinesis.call("GetRecords", {"ShardIterator": first})["NextShardIterator"]
    clock.advance(seconds=1)
    with pytest.raises(FakeKinesisError) as refusal:
        kinesis.call("GetRecords", {"ShardIterator": first})
    assert refusal.value.code == "ExpiredIteratorException"
    clock.advance(minutes=4)
    kinesis.call("GetRecords", {"ShardIterator": following})  # has five minutes of its own


def test_a_number_of_another_shard_is_refused_and_named(kinesis: FakeKinesis) -> None:
    left, right = kinesis.create_stream("orders", shards=2).shards
    foreign = str(left.put(b"x").sequence_number)
    with pytest.raises(FakeKinesisError, match=f"encodes {left.id}, .* {right.id}") as refusal:
        iterator(kinesis, right, "AFTER_SEQUENCE_NUMBER", StartingSequenceNumber=foreign)
    assert refusal.value.code == "InvalidArgumentException"


def test_a_number_of_another_stream_is_refused_even_under_the_same_name(kinesis: FakeKinesis) -> None:
    orders = kinesis.create_stream("orders")
    old = str(orders.put(b"x").sequence_number)
    orders.delete()
    again = kinesis.create_stream("orders").shard()
    with pytest.raises(FakeKinesisError, match="did not come from this stream"):
        iterator(kinesis, again, "AT_SEQUENCE_NUMBER", StartingSequenceNumber=old)


def test_a_number_that_no_record_has_yet_is_refused(kinesis: FakeKinesis, shard: ShardHandle) -> None:
    ahead = str(2 * int(number(shard, 2)) - int(number(shard, 1)))
    for text in (ahead, "0", "1"):
        with pytest.raises(FakeKinesisError, match="InvalidArgumentException"):
            iterator(kinesis, shard, "AT_SEQUENCE_NUMBER", StartingSequenceNumber=text)
    shard.put(b"d")
    assert read_from(kinesis, shard, "AT_SEQUENCE_NUMBER", StartingSequenceNumber=ahead) == [b"d"]


def test_a_number_of_a_shard_that_never_was_under_this_id_is_refused(kinesis: FakeKinesis, shard: ShardHandle) -> None:
    known = SequenceNumber.from_int(shard.records[0].sequence_number)
    forged = replace(known, generation=known.generation + 1)
    with pytest.raises(FakeKinesisError, match="InvalidArgumentException"):
        iterator(kinesis, shard, "AT_SEQUENCE_NUMBER", StartingSequenceNumber=str(int(forged)))


def test_a_number_whose_record_was_trimmed_silently_begins_at_the_oldest(
    kinesis: FakeKinesis, clock: ManualClock, shard: ShardHandle
) -> None:
    trimmed = number(shard, 0)
    clock.advance(hours=23, minutes=59, seconds=1)  # a and b have left retention, c has not
    for kind in ("AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"):
        assert read_from(kinesis, shard, kind, StartingSequenceNumber=trimmed) == [b"c"]


@pytest.mark.parametrize(
    ("kind", "place"),
    [
        ("AT_SEQUENCE_NUMBER", {}),
        ("AFTER_SEQUENCE_NUMBER", {"Timestamp": 0}),
        ("AT_TIMESTAMP", {}),
        ("LATEST", {"Timestamp": 0}),
        ("TRIM_HORIZON", {"StartingSequenceNumber": "1"}),
    ],
)
def test_a_type_goes_with_its_own_parameter_and_no_other(
    kinesis: FakeKinesis, shard: ShardHandle, kind: str, place: dict[str, Any]
) -> None:
    with pytest.raises(FakeKinesisError, match="InvalidArgumentException"):
        iterator(kinesis, shard, kind, **place)


def test_a_type_that_there_is_not_is_refused(kinesis: FakeKinesis, shard: ShardHandle) -> None:
    with pytest.raises(FakeKinesisError, match="ValidationException"):
        iterator(kinesis, shard, "EARLIEST")


@pytest.mark.parametrize("token", ["x", "AAAA", "AAAAAAAAAAAAAAAAAAAAAAAA"])
def test_an_iterator_that_the_service_never_made_is_refused(kinesis: FakeKinesis, token: str) -> None:
    with pytest.raises(FakeKinesisError, match="Invalid ShardIterator"):
        kinesis.call("GetRecords", {"ShardIterator": token})


def test_an_iterator_does_not_outlive_its_stream(kinesis: FakeKinesis, shard: ShardHandle) -> None:
    first = iterator(kinesis, shard, "TRIM_HORIZON")
    shard.stream.delete()
    kinesis.create_stream("orders")
    with pytest.raises(FakeKinesisError, match="ResourceNotFoundException"):
        kinesis.call("GetRecords", {"ShardIterator": first})
