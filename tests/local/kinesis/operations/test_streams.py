from datetime import datetime
from typing import Any

import pytest

from firnline_local.kinesis import FakeKinesis, FakeKinesisError, ManualClock

ORDERS = {"StreamName": "orders"}


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def kinesis(clock: ManualClock) -> FakeKinesis:
    return FakeKinesis(clock=clock)


def summary(kinesis: FakeKinesis, name: str = "orders") -> dict[str, Any]:
    summary: dict[str, Any] = kinesis.call("DescribeStreamSummary", {"StreamName": name})["StreamDescriptionSummary"]
    return summary


def test_a_stream_that_is_being_made_is_listed_and_neither_read_nor_written_nor_changed(clock: ManualClock) -> None:
    kinesis = FakeKinesis(clock=clock, creating_s=5)
    kinesis.call("CreateStream", {**ORDERS, "ShardCount": 2})
    assert (summary(kinesis)["StreamStatus"], summary(kinesis)["OpenShardCount"]) == ("CREATING", 0)
    (listed,) = kinesis.call("ListStreams")["StreamSummaries"]
    assert listed["StreamStatus"] == "CREATING"
    assert kinesis.call("DescribeStream", ORDERS)["StreamDescription"]["Shards"] == []
    record = {**ORDERS, "Data": b"x", "PartitionKey": "k"}
    first = {**ORDERS, "ShardId": "shardId-000000000000", "ShardIteratorType": "LATEST"}
    in_use: list[tuple[str, dict[str, Any]]] = [
        ("ListShards", ORDERS),
        ("RegisterStreamConsumer", {"StreamARN": summary(kinesis)["StreamARN"], "ConsumerName": "reader"}),
        ("IncreaseStreamRetentionPeriod", {**ORDERS, "RetentionPeriodHours": 48}),
    ]
    for operation, request in in_use:
        with pytest.raises(FakeKinesisError, match="ResourceInUseException"):
            kinesis.call(operation, request)
    for operation, request in (("PutRecord", record), ("GetShardIterator", first)):
        with pytest.raises(FakeKinesisError, match="ResourceNotFoundException"):
            kinesis.call(operation, request)
    clock.advance(seconds=5)
    assert (summary(kinesis)["StreamStatus"], summary(kinesis)["OpenShardCount"]) == ("ACTIVE", 2)
    kinesis.call("PutRecord", record)


def test_a_stream_takes_one_change_at_a_time_and_is_read_meanwhile(clock: ManualClock) -> None:
    kinesis = FakeKinesis(clock=clock, updating_s=5)
    kinesis.create_stream("orders", shards=1)
    kinesis.call("UpdateShardCount", {**ORDERS, "TargetShardCount": 2, "ScalingType": "UNIFORM_SCALING"})
    assert summary(kinesis)["StreamStatus"] == "UPDATING"
    kinesis.call("PutRecord", {**ORDERS, "Data": b"x", "PartitionKey": "k"})
    assert len(kinesis.call("ListShards", ORDERS)["Shards"]) == 3
    longer = {**ORDERS, "RetentionPeriodHours": 48}
    with pytest.raises(FakeKinesisError, match=r"ResourceInUseException.* UPDATING"):
        kinesis.call("IncreaseStreamRetentionPeriod", longer)
    clock.advance(seconds=5)
    kinesis.call("IncreaseStreamRetentionPeriod", longer)
    assert summary(kinesis)["RetentionPeriodHours"] == 48


def test_a_new_stream_says_what_it_is(kinesis: FakeKinesis, clock: ManualClock) -> None:
    kinesis.call("CreateStream", {**ORDERS, "ShardCount": 3, "Tags": {"team": "sales"}})
    found = summary(kinesis)
    assert found["StreamStatus"] == "ACTIVE"
    assert found["StreamARN"] == "arn:aws:kinesis:us-east-1:123456789012:stream/orders"
    assert (found["OpenShardCount"], found["RetentionPeriodHours"], found["MaxRecordSizeInKiB"]) == (3, 24, 1024)
    assert found["StreamModeDetails"] == {"StreamMode": "PROVISIONED"}
    assert found["EncryptionType"] == "NONE"
    assert found["StreamCreationTimestamp"] == clock()
    assert kinesis.call("ListTagsForStream", ORDERS)["Tags"] == [{"Key": "team", "Value": "sales"}]


def test_a_stream_is_found_by_its_arn_and_not_by_anothers(kinesis: FakeKinesis) -> None:
    arn = kinesis.create_stream("orders").arn
    kinesis.call("DescribeStreamSummary", {"StreamARN": arn})
    kinesis.call("DescribeStreamSummary", {"StreamARN": arn, **ORDERS})
    for wrong in (arn.replace("us-east-1", "eu-west-1"), arn.replace("123456789012", "999999999999")):
        with pytest.raises(FakeKinesisError, match="ResourceNotFoundException"):
            kinesis.call("DescribeStreamSummary", {"StreamARN": wrong})
    with pytest.raises(FakeKinesisError, match="InvalidArgumentException"):
        kinesis.call("DescribeStreamSummary", {})


def test_a_name_is_taken_once_and_a_stream_that_is_not_there_is_not_found(kinesis: FakeKinesis) -> None:
    kinesis.create_stream("orders")
    with pytest.raises(FakeKinesisError, match="ResourceInUseException"):
        kinesis.call("CreateStream", {**ORDERS, "ShardCount": 1})
    with pytest.raises(FakeKinesisError, match="ResourceNotFoundException"):
        kinesis.call("DeleteStream", {"StreamName": "invoices"})


def test_a_stream_made_again_is_empty_and_has_another_creation_time(kinesis: FakeKinesis) -> None:
    orders = kinesis.create_stream("orders")
    orders.put("x")
    before: datetime = summary(kinesis)["StreamCreationTimestamp"]
    kinesis.call("DeleteStream", ORDERS)
    assert kinesis.create_stream("orders").records == []
    assert summary(kinesis)["StreamCreationTimestamp"] > before


def test_an_on_demand_stream_begins_with_four_shards_that_clients_do_not_change(kinesis: FakeKinesis) -> None:
    kinesis.call("CreateStream", {**ORDERS, "StreamModeDetails": {"StreamMode": "ON_DEMAND"}})
    assert summary(kinesis)["OpenShardCount"] == 4
    for operation, request in (
        ("SplitShard", {"ShardToSplit": "shardId-000000000000", "NewStartingHashKey": "1"}),
        ("UpdateShardCount", {"TargetShardCount": 8, "ScalingType": "UNIFORM_SCALING"}),
    ):
        with pytest.raises(FakeKinesisError, match="ValidationException"):
            kinesis.call(operation, {**ORDERS, **request})
    kinesis.stream("orders").shard(0).split()  # as the service itself does when load grows
    assert summary(kinesis)["OpenShardCount"] == 5


@pytest.mark.parametrize(
    "request_",
    [{}, {"ShardCount": 0}, {"ShardCount": 1, "StreamModeDetails": {"StreamMode": "ON_DEMAND"}}, {"ShardCount": "1"}],
)
def test_a_shard_count_goes_with_a_provisioned_stream(kinesis: FakeKinesis, request_: dict[str, Any]) -> None:
    with pytest.raises(FakeKinesisError, match=r"InvalidArgumentException|ValidationException"):
        kinesis.call("CreateStream", {**ORDERS, **request_})


def test_streams_are_listed_by_name_page_by_page(kinesis: FakeKinesis) -> None:
    for name in ("c", "a", "b"):
        kinesis.create_stream(name)
    first = kinesis.call("ListStreams", {"Limit": 2})
    assert (first["StreamNames"], first["HasMoreStreams"]) == (["a", "b"], True)
    for place in ({"NextToken": first["NextToken"]}, {"ExclusiveStartStreamName": "b"}):
        rest = kinesis.call("ListStreams", place)
        assert (rest["StreamNames"], rest["HasMoreStreams"]) == (["c"], False)


def test_a_description_shows_its_shards_page_by_page(kinesis: FakeKinesis) -> None:
    kinesis.create_stream("orders", shards=3)
    first = kinesis.call("DescribeStream", {**ORDERS, "Limit": 2})["StreamDescription"]
    last_shown = first["Shards"][-1]["ShardId"]
    rest = kinesis.call("DescribeStream", {**ORDERS, "ExclusiveStartShardId": last_shown})["StreamDescription"]
    assert (len(first["Shards"]), first["HasMoreShards"]) == (2, True)
    assert ([s["ShardId"] for s in rest["Shards"]], rest["HasMoreShards"]) == (["shardId-000000000002"], False)


def test_an_on_demand_stream_splits_the_shards_that_had_no_room_and_no_others() -> None:
    kinesis = FakeKinesis(clock=ManualClock(), write_limits=True)
    kinesis.call("CreateStream", {**ORDERS, "StreamModeDetails": {"StreamMode": "ON_DEMAND"}})
    crowd = [{"Data": b"x" * 1000, "PartitionKey": "hot", "ExplicitHashKey": "1"} for _ in range(500)]
    answers = [kinesis.call("PutRecords", {**ORDERS, "Records": crowd}) for _ in range(3)]
    assert [answer["FailedRecordCount"] > 0 for answer in answers] == [False, False, True]
    stream = kinesis.stream("orders")
    assert [shard.is_open for shard in stream.shards] == [False, True, True, True, True, True]
    assert [parent.id for parent in stream.shards[-1].parents] == [stream.shards[0].id]
    kinesis.call("PutRecord", {**ORDERS, "Data": b"x", "PartitionKey": "hot", "ExplicitHashKey": "1"})
    assert len(stream.open_shards) == 5, "the child has room of its own"


def test_a_provisioned_stream_stays_as_it_is_however_full_it_is() -> None:
    kinesis = FakeKinesis(clock=ManualClock(), write_limits=True)
    kinesis.create_stream("orders")
    crowd = [{"Data": b"x" * 1000, "PartitionKey": "hot"} for _ in range(500)]
    assert [kinesis.call("PutRecords", {**ORDERS, "Records": crowd})["FailedRecordCount"] > 0 for _ in range(3)][-1]
    with pytest.raises(FakeKinesisError, match="ProvisionedThroughputExceeded"):
        kinesis.call("PutRecord", {**ORDERS, "Data": b"x" * 100_000, "PartitionKey": "hot"})
    assert len(kinesis.stream("orders").shards) == 1


def test_the_mode_can_be_changed_twice_a_day_and_leaves_the_shards_as_they_are() -> None:
    clock = ManualClock()
    kinesis = FakeKinesis(clock=clock)
    arn = kinesis.create_stream("orders", shards=7).arn

    def change(mode: str) -> None:
        kinesis.call("UpdateStreamMode", {"StreamARN": arn, "StreamModeDetails": {"StreamMode": mode}})

    for mode in ("PROVISIONED", "ON_DEMAND", "ON_DEMAND", "PROVISIONED"):
        change(mode)
    with pytest.raises(FakeKinesisError, match="LimitExceededException"):
        change("ON_DEMAND")
    clock.advance(seconds=86_400)
    change("ON_DEMAND")
    assert len(kinesis.stream("orders").shards) == 7


def test_open_shards_count_for_provisioned_streams_and_streams_for_those_on_demand(kinesis: FakeKinesis) -> None:
    before = kinesis.call("DescribeLimits", {})
    kinesis.call("CreateStream", {"StreamName": "three", "ShardCount": 3})
    kinesis.call("CreateStream", {"StreamName": "any", "StreamModeDetails": {"StreamMode": "ON_DEMAND"}})
    after = kinesis.call("DescribeLimits", {})
    assert after["OpenShardCount"] - before["OpenShardCount"] == 3
    assert after["OnDemandStreamCount"] - before["OnDemandStreamCount"] == 1
    assert after["ShardLimit"] > after["OpenShardCount"]
