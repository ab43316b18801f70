from typing import Any

import pytest

from firnline_local.kinesis import FakeKinesis, FakeKinesisError
from firnline_local.kinesis.operations.streams import METRICS

pytestmark = pytest.mark.usefixtures("orders")

ORDERS = {"StreamName": "orders"}


def summary(kinesis: FakeKinesis) -> dict[str, Any]:
    summary: dict[str, Any] = kinesis.call("DescribeStreamSummary", ORDERS)["StreamDescriptionSummary"]
    return summary


def test_encryption_can_be_started_and_stopped(kinesis: FakeKinesis) -> None:
    key = {**ORDERS, "EncryptionType": "KMS", "KeyId": "alias/aws/kinesis"}
    kinesis.call("StartStreamEncryption", key)
    assert (summary(kinesis)["EncryptionType"], summary(kinesis)["KeyId"]) == ("KMS", "alias/aws/kinesis")
    assert kinesis.call("PutRecord", {**ORDERS, "Data": b"", "PartitionKey": "k"})["EncryptionType"] == "KMS"
    kinesis.call("StopStreamEncryption", key)
    assert summary(kinesis)["EncryptionType"] == "NONE"


def test_the_capacity_mode_can_be_changed(kinesis: FakeKinesis) -> None:
    arn = kinesis.stream("orders").arn
    kinesis.call("UpdateStreamMode", {"StreamARN": arn, "StreamModeDetails": {"StreamMode": "ON_DEMAND"}})
    assert summary(kinesis)["StreamModeDetails"] == {"StreamMode": "ON_DEMAND"}
    with pytest.raises(FakeKinesisError, match="ValidationException"):
        kinesis.call("UpdateStreamMode", {"StreamARN": arn, "StreamModeDetails": {"StreamMode": "SERVERLESS"}})


def test_the_largest_record_can_be_between_1_and_10_mib(kinesis: FakeKinesis) -> None:
    arn = kinesis.stream("orders").arn
    kinesis.call("UpdateMaxRecordSize", {"StreamARN": arn, "MaxRecordSizeInKiB": 10240})
    assert summary(kinesis)["MaxRecordSizeInKiB"] == 10240
    for wrong in (1023, 10241):
        with pytest.raises(FakeKinesisError, match="ValidationException"):
            kinesis.call("UpdateMaxRecordSize", {"StreamARN": arn, "MaxRecordSizeInKiB": wrong})


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
    with pytest.raises(FakeKinesisError, match=r"ValidationException.* enum value set"):
        kinesis.call("EnableEnhancedMonitoring", {**ORDERS, "ShardLevelMetrics": ["Latency"]})
