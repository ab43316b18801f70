import pytest

from firnline_local.kinesis import FakeKinesis, FakeKinesisError

ORDERS = {"StreamName": "orders"}
FIRST, SECOND = "shardId-000000000000", "shardId-000000000001"


@pytest.fixture
def kinesis() -> FakeKinesis:
    kinesis = FakeKinesis()
    kinesis.create_stream("orders", shards=2)
    return kinesis


def open_shards(kinesis: FakeKinesis) -> list[str]:
    return [shard.id[-1] for shard in kinesis.stream("orders").open_shards]


def test_a_client_splits_a_shard(kinesis: FakeKinesis) -> None:
    kinesis.call("SplitShard", {**ORDERS, "ShardToSplit": FIRST, "NewStartingHashKey": "100"})
    assert open_shards(kinesis) == ["2", "3", "1"]


def test_a_client_merges_two_shards(kinesis: FakeKinesis) -> None:
    kinesis.call("MergeShards", {**ORDERS, "ShardToMerge": SECOND, "AdjacentShardToMerge": FIRST})
    assert open_shards(kinesis) == ["2"]


def test_a_shard_that_is_not_there_is_not_found(kinesis: FakeKinesis) -> None:
    with pytest.raises(FakeKinesisError, match="ResourceNotFoundException"):
        kinesis.call("SplitShard", {**ORDERS, "ShardToSplit": "shardId-000000000009", "NewStartingHashKey": "1"})


def test_the_shard_count_is_at_most_doubled_or_halved(kinesis: FakeKinesis) -> None:
    scaling = {**ORDERS, "ScalingType": "UNIFORM_SCALING"}
    answer = kinesis.call("UpdateShardCount", {**scaling, "TargetShardCount": 4})
    assert (answer["CurrentShardCount"], answer["TargetShardCount"]) == (2, 4)
    assert len(open_shards(kinesis)) == 4
    for target in (1, 9):
        with pytest.raises(FakeKinesisError, match="LimitExceededException"):
            kinesis.call("UpdateShardCount", {**scaling, "TargetShardCount": target})
    kinesis.call("UpdateShardCount", {**scaling, "TargetShardCount": 2})
    assert len(open_shards(kinesis)) == 2
