from typing import Any

import pytest

from firnline_local.kinesis import FakeKinesis, FakeKinesisError, ManualClock


def listed(kinesis: FakeKinesis, **request: Any) -> list[int]:
    """The numbers of the shards of one page."""
    answer = kinesis.call("ListShards", {"StreamName": "orders", **request})
    return [int(shard["ShardId"].removeprefix("shardId-")) for shard in answer["Shards"]]


def by(kind: str, **place: Any) -> dict[str, Any]:
    return {"Type": kind, **place}


@pytest.fixture
def resharded(kinesis: FakeKinesis, clock: ManualClock) -> FakeKinesis:
    """At 0 h: shards 0 and 1. At 1 h: 0 is split into 2 and 3. At 2 h: 3 and 1 are merged into 4. It is 3 h."""
    zero, one = kinesis.create_stream("orders", shards=2).shards
    clock.advance(hours=1)
    _, three = zero.split()
    clock.advance(hours=1)
    three.merge(one)
    clock.advance(hours=1)
    return kinesis


def test_a_listing_shows_lineage_hash_keys_and_numbers(resharded: FakeKinesis) -> None:
    shards = resharded.call("ListShards", {"StreamName": "orders"})["Shards"]
    assert [shard.get("ParentShardId", "")[-1:] for shard in shards] == ["", "", "0", "0", "3"]
    assert [shard.get("AdjacentParentShardId", "")[-1:] for shard in shards] == ["", "", "", "", "1"]
    assert ["EndingSequenceNumber" in shard["SequenceNumberRange"] for shard in shards] == [
        True,
        True,
        False,
        True,
        False,
    ]
    assert shards[2]["HashKeyRange"]["StartingHashKey"] == "0"
    for parent, child in ((0, 2), (0, 3), (1, 4), (3, 4)):
        ending = int(shards[parent]["SequenceNumberRange"]["EndingSequenceNumber"])
        assert ending < int(shards[child]["SequenceNumberRange"]["StartingSequenceNumber"])


def test_without_a_filter_every_shard_within_retention_is_listed(resharded: FakeKinesis, clock: ManualClock) -> None:
    assert listed(resharded) == listed(resharded, ShardFilter=by("FROM_TRIM_HORIZON")) == [0, 1, 2, 3, 4]
    clock.advance(hours=22, seconds=1)  # shard 0 was closed 24 hours ago
    assert listed(resharded) == [1, 2, 3, 4]


def test_at_trim_horizon_lists_what_was_open_then(resharded: FakeKinesis, clock: ManualClock) -> None:
    at_horizon = by("AT_TRIM_HORIZON")
    assert listed(resharded, ShardFilter=at_horizon) == [0, 1]
    clock.advance(hours=22, seconds=1)
    assert listed(resharded, ShardFilter=at_horizon) == [1, 2, 3]
    clock.advance(hours=1)
    assert listed(resharded, ShardFilter=at_horizon) == [2, 4]


def test_at_latest_lists_the_open_shards(resharded: FakeKinesis) -> None:
    assert listed(resharded, ShardFilter=by("AT_LATEST")) == [2, 4]


@pytest.mark.parametrize(("hours", "at", "since"), [(0.5, [0, 1], [0, 1, 2, 3, 4]), (1.5, [1, 2, 3], [1, 2, 3, 4])])
def test_by_timestamp_lists_what_was_open_at_it_or_since_it(
    resharded: FakeKinesis, clock: ManualClock, hours: float, at: list[int], since: list[int]
) -> None:
    timestamp = clock().timestamp() + (hours - 3) * 3600
    assert listed(resharded, ShardFilter=by("AT_TIMESTAMP", Timestamp=timestamp)) == at
    assert listed(resharded, ShardFilter=by("FROM_TIMESTAMP", Timestamp=timestamp)) == since


def test_a_timestamp_before_the_trim_horizon_or_the_stream_is_taken_for_the_horizon(
    resharded: FakeKinesis, clock: ManualClock
) -> None:
    for timestamp in (0, clock().timestamp() - 3 * 3600 - 1):
        assert listed(resharded, ShardFilter=by("AT_TIMESTAMP", Timestamp=timestamp)) == [0, 1]
        assert listed(resharded, ShardFilter=by("FROM_TIMESTAMP", Timestamp=timestamp)) == [0, 1, 2, 3, 4]


def test_after_a_shard_id_the_following_ones_are_listed(resharded: FakeKinesis) -> None:
    assert listed(resharded, ShardFilter=by("AFTER_SHARD_ID", ShardId="shardId-000000000002")) == [3, 4]
    assert listed(resharded, ExclusiveStartShardId="shardId-000000000002") == [3, 4]


@pytest.mark.parametrize(
    "wrong",
    [by("AT_TIMESTAMP"), by("AT_LATEST", Timestamp=0), by("AFTER_SHARD_ID"), by("AT_LATEST", ShardId="x")],
)
def test_a_filter_without_its_parameter_or_with_anothers_is_refused(
    resharded: FakeKinesis, wrong: dict[str, Any]
) -> None:
    with pytest.raises(FakeKinesisError, match="InvalidArgumentException"):
        listed(resharded, ShardFilter=wrong)


def test_a_filter_of_a_type_that_there_is_not_is_refused(resharded: FakeKinesis) -> None:
    with pytest.raises(FakeKinesisError, match="ValidationException"):
        listed(resharded, ShardFilter=by("ALL"))


def test_pages_follow_one_another_by_token_with_the_filter_kept(resharded: FakeKinesis) -> None:
    request: dict[str, Any] = {"StreamName": "orders", "ShardFilter": by("AT_LATEST"), "MaxResults": 1}
    first = resharded.call("ListShards", request)
    second = resharded.call("ListShards", {"NextToken": first["NextToken"], "MaxResults": 1})
    assert [first["Shards"][0]["ShardId"][-1], second["Shards"][0]["ShardId"][-1]] == ["2", "4"]
    assert "NextToken" not in second


def test_at_most_1000_shards_are_listed_at_once(kinesis: FakeKinesis) -> None:
    kinesis.create_stream("orders", shards=1001)
    assert len(listed(kinesis)) == len(listed(kinesis, MaxResults=10_000)) == 1000


def test_a_token_expires_after_five_minutes(resharded: FakeKinesis, clock: ManualClock) -> None:
    token = resharded.call("ListShards", {"StreamName": "orders", "MaxResults": 1})["NextToken"]
    clock.advance(minutes=5)
    resharded.call("ListShards", {"NextToken": token})
    clock.advance(seconds=1)
    with pytest.raises(FakeKinesisError, match="ExpiredNextTokenException"):
        resharded.call("ListShards", {"NextToken": token})


def test_a_token_goes_alone_and_is_not_made_up(resharded: FakeKinesis) -> None:
    token = resharded.call("ListShards", {"StreamName": "orders", "MaxResults": 1})["NextToken"]
    for request in ({"StreamName": "orders", "NextToken": token}, {"NextToken": token[:-4]}, {"NextToken": "x"}):
        with pytest.raises(FakeKinesisError, match="InvalidArgumentException"):
            resharded.call("ListShards", request)


def test_a_stream_of_another_creation_time_is_another_stream(kinesis: FakeKinesis, clock: ManualClock) -> None:
    created = clock()
    kinesis.create_stream("orders")
    clock.advance(hours=1)
    assert listed(kinesis, StreamCreationTimestamp=created) == [0]
    with pytest.raises(FakeKinesisError, match="ResourceNotFoundException"):
        listed(kinesis, StreamCreationTimestamp=clock())


def test_a_listing_may_be_behind_and_leave_a_shard_out(kinesis: FakeKinesis) -> None:
    orders = kinesis.create_stream("orders", shards=2)
    orders.shard(1).leave_out(listings=2)
    assert [listed(kinesis) for _ in range(3)] == [[0], [0], [0, 1]]
