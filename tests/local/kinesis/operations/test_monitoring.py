from typing import Any

import pytest

from firnline_local.kinesis import FakeKinesis, FakeKinesisError
from firnline_local.kinesis.operations.streams import METRICS

pytestmark = pytest.mark.usefixtures("orders")

ORDERS = {"StreamName": "orders"}


def metrics(kinesis: FakeKinesis) -> Any:
    summary = kinesis.call("DescribeStreamSummary", ORDERS)["StreamDescriptionSummary"]
    (monitoring,) = summary["EnhancedMonitoring"]
    return monitoring["ShardLevelMetrics"]


def test_metrics_are_enabled_and_disabled_one_by_one(kinesis: FakeKinesis) -> None:
    assert metrics(kinesis) == []
    kinesis.call("EnableEnhancedMonitoring", {**ORDERS, "ShardLevelMetrics": ["OutgoingBytes", "IncomingBytes"]})
    answer = kinesis.call("DisableEnhancedMonitoring", {**ORDERS, "ShardLevelMetrics": ["OutgoingBytes"]})
    assert answer["CurrentShardLevelMetrics"] == ["IncomingBytes", "OutgoingBytes"]
    assert answer["DesiredShardLevelMetrics"] == metrics(kinesis) == ["IncomingBytes"]


def test_all_stands_for_every_metric(kinesis: FakeKinesis) -> None:
    kinesis.call("EnableEnhancedMonitoring", {**ORDERS, "ShardLevelMetrics": ["ALL"]})
    assert metrics(kinesis) == list(METRICS)
    kinesis.call("DisableEnhancedMonitoring", {**ORDERS, "ShardLevelMetrics": ["ALL"]})
    assert metrics(kinesis) == []


def test_a_metric_that_does_not_exist_is_refused(kinesis: FakeKinesis) -> None:
    with pytest.raises(FakeKinesisError, match="no shard-level metric Latency"):
        kinesis.call("EnableEnhancedMonitoring", {**ORDERS, "ShardLevelMetrics": ["Latency"]})
