from firnline_local.kinesis import FakeKinesis


def test_open_shards_count_for_provisioned_streams_and_streams_for_those_on_demand(kinesis: FakeKinesis) -> None:
    before = kinesis.call("DescribeLimits", {})
    kinesis.call("CreateStream", {"StreamName": "three", "ShardCount": 3})
    kinesis.call("CreateStream", {"StreamName": "any", "StreamModeDetails": {"StreamMode": "ON_DEMAND"}})
    after = kinesis.call("DescribeLimits", {})
    assert after["OpenShardCount"] - before["OpenShardCount"] == 3
    assert after["OnDemandStreamCount"] - before["OnDemandStreamCount"] == 1
    assert after["ShardLimit"] > after["OpenShardCount"]
