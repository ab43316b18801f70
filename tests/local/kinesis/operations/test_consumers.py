from collections.abc import Callable
from typing import Any

import pytest

from firnline_local.kinesis import FakeKinesis, FakeKinesisError, ManualClock, StreamHandle

Register = Callable[..., dict[str, Any]]


@pytest.fixture
def arn(orders: StreamHandle) -> str:
    return orders.arn


@pytest.fixture
def register(kinesis: FakeKinesis, arn: str) -> Register:
    def register(name: str = "engine", **more: Any) -> dict[str, Any]:
        answer = kinesis.call("RegisterStreamConsumer", {"StreamARN": arn, "ConsumerName": name, **more})
        consumer: dict[str, Any] = answer["Consumer"]
        return consumer

    return register


def refused(kinesis: FakeKinesis, code: str, operation: str, request: dict[str, Any]) -> None:
    with pytest.raises(FakeKinesisError) as refusal:
        kinesis.call(operation, request)
    assert refusal.value.code == code


def test_a_consumer_is_found_by_its_arn_and_by_its_name(
    kinesis: FakeKinesis, arn: str, register: Register, clock: ManualClock
) -> None:
    consumer = register()
    assert consumer["ConsumerARN"] == f"{arn}/consumer/engine:{int(clock().timestamp())}"
    assert consumer["ConsumerStatus"] == "ACTIVE"
    by_name = {"StreamARN": arn, "ConsumerName": "engine"}
    for request in ({"ConsumerARN": consumer["ConsumerARN"]}, by_name):
        described = kinesis.call("DescribeStreamConsumer", request)["ConsumerDescription"]
        assert described == {**consumer, "StreamARN": arn}


def test_consumers_are_listed_page_by_page_and_counted(kinesis: FakeKinesis, arn: str, register: Register) -> None:
    for name in ("c", "a", "b"):
        register(name)
    first = kinesis.call("ListStreamConsumers", {"StreamARN": arn, "MaxResults": 2})
    rest = kinesis.call("ListStreamConsumers", {"StreamARN": arn, "NextToken": first["NextToken"]})
    assert [[each["ConsumerName"] for each in page["Consumers"]] for page in (first, rest)] == [["a", "b"], ["c"]]
    assert "NextToken" not in rest
    summary = kinesis.call("DescribeStreamSummary", {"StreamARN": arn})["StreamDescriptionSummary"]
    assert summary["ConsumerCount"] == 3


def test_a_name_that_is_taken_is_refused(kinesis: FakeKinesis, arn: str, register: Register) -> None:
    register()
    refused(kinesis, "ResourceInUseException", "RegisterStreamConsumer", {"StreamARN": arn, "ConsumerName": "engine"})


def test_a_stream_has_at_most_twenty_consumers(kinesis: FakeKinesis, arn: str, register: Register) -> None:
    for number in range(20):
        register(f"c{number}")
    refused(kinesis, "LimitExceededException", "RegisterStreamConsumer", {"StreamARN": arn, "ConsumerName": "one-more"})


def test_a_consumer_that_was_removed_is_another_one_than_its_successor(
    kinesis: FakeKinesis, register: Register, clock: ManualClock
) -> None:
    before = register()["ConsumerARN"]
    kinesis.call("DeregisterStreamConsumer", {"ConsumerARN": before})
    refused(kinesis, "ResourceNotFoundException", "DescribeStreamConsumer", {"ConsumerARN": before})
    clock.advance(seconds=1)
    assert register()["ConsumerARN"] != before
    refused(kinesis, "ResourceNotFoundException", "DescribeStreamConsumer", {"ConsumerARN": before})


def test_who_names_neither_is_told_so(kinesis: FakeKinesis, arn: str) -> None:
    refused(kinesis, "InvalidArgumentException", "DescribeStreamConsumer", {"StreamARN": arn})


def test_a_stream_with_consumers_is_deleted_only_with_them(kinesis: FakeKinesis, arn: str, register: Register) -> None:
    register()
    refused(kinesis, "ResourceInUseException", "DeleteStream", {"StreamARN": arn})
    kinesis.call("DeleteStream", {"StreamARN": arn, "EnforceConsumerDeletion": True})
    assert kinesis.streams == []


def test_a_consumer_has_tags_of_its_own(kinesis: FakeKinesis, arn: str, register: Register) -> None:
    consumer = {"ResourceARN": register(Tags={"a": "1"})["ConsumerARN"]}
    kinesis.call("TagResource", {**consumer, "Tags": {"b": "2"}})
    kinesis.call("UntagResource", {**consumer, "TagKeys": ["a"]})
    assert kinesis.call("ListTagsForResource", consumer)["Tags"] == [{"Key": "b", "Value": "2"}]
    assert kinesis.call("ListTagsForResource", {"ResourceARN": arn})["Tags"] == []
