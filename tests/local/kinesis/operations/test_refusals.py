import pytest

from firnline_local.kinesis import FakeKinesis, FakeKinesisError


def test_records_are_not_pushed_and_what_to_use_instead_is_said() -> None:
    with pytest.raises(FakeKinesisError, match=r"SubscribeToShard: .*GetRecords"):
        FakeKinesis().call("SubscribeToShard", {})


def test_an_operation_that_is_not_carried_is_refused_by_name() -> None:
    with pytest.raises(FakeKinesisError, match="DescribeAccountSettings") as refusal:
        FakeKinesis().call("DescribeAccountSettings", {"ResourceARN": "a", "Policy": "{}"})
    assert (refusal.value.code, refusal.value.status) == ("UnknownOperationException", 400)


def test_a_body_that_is_not_json_is_refused() -> None:
    with pytest.raises(FakeKinesisError, match="SerializationException"):
        FakeKinesis().handle("ListStreams", b"{")
