import pytest

from firnline_ingest.testing import FakeKinesis, FakeKinesisError


@pytest.mark.parametrize("operation", ["RegisterStreamConsumer", "SubscribeToShard"])
def test_enhanced_fan_out_is_refused_by_name_with_what_to_use_instead(operation: str) -> None:
    with pytest.raises(FakeKinesisError, match=f"{operation}: .*GetRecords"):
        FakeKinesis().call(operation, {})


def test_an_operation_that_is_not_carried_is_refused_by_name() -> None:
    with pytest.raises(FakeKinesisError, match="EnableEnhancedMonitoring") as refusal:
        FakeKinesis().call("EnableEnhancedMonitoring", {"StreamName": "orders", "ShardLevelMetrics": ["ALL"]})
    assert (refusal.value.code, refusal.value.status) == ("UnknownOperationException", 400)


def test_a_body_that_is_not_json_is_refused() -> None:
    with pytest.raises(FakeKinesisError, match="SerializationException"):
        FakeKinesis().handle("ListStreams", b"{")
