import json

import pytest

from firnline_local.kinesis import FakeKinesis, FakeKinesisError, StreamHandle

pytestmark = pytest.mark.usefixtures("orders")

ORDERS = {"StreamName": "orders"}
POLICY = json.dumps({"Statement": [{"Effect": "Allow"}]})


def test_a_stream_keeps_its_policy_until_it_is_deleted(kinesis: FakeKinesis, orders: StreamHandle) -> None:
    def policy_of(arn: str) -> str:
        return str(kinesis.call("GetResourcePolicy", {"ResourceARN": arn})["Policy"])

    assert policy_of(orders.arn) == "{}"
    consumer = kinesis.call("RegisterStreamConsumer", {"StreamARN": orders.arn, "ConsumerName": "c"})["Consumer"]
    kinesis.call("PutResourcePolicy", {"ResourceARN": orders.arn, "Policy": POLICY})
    assert (policy_of(orders.arn), policy_of(consumer["ConsumerARN"])) == (POLICY, "{}")
    kinesis.call("DeleteResourcePolicy", {"ResourceARN": orders.arn})
    assert policy_of(orders.arn) == "{}"


def tags(kinesis: FakeKinesis) -> dict[str, str]:
    listed = kinesis.call("ListTagsForStream", ORDERS)["Tags"]
    return {tag["Key"]: tag["Value"] for tag in listed}


def test_tags_are_added_replaced_and_removed(kinesis: FakeKinesis) -> None:
    kinesis.call("AddTagsToStream", {**ORDERS, "Tags": {"a": "1", "b": "2"}})
    kinesis.call("AddTagsToStream", {**ORDERS, "Tags": {"b": "3"}})
    assert tags(kinesis) == {"a": "1", "b": "3"}
    kinesis.call("RemoveTagsFromStream", {**ORDERS, "TagKeys": ["a", "never there"]})
    assert tags(kinesis) == {"b": "3"}


def test_the_newer_operations_work_on_the_same_tags_by_arn(kinesis: FakeKinesis) -> None:
    arn = {"ResourceARN": kinesis.stream("orders").arn}
    kinesis.call("TagResource", {**arn, "Tags": {"a": "1", "b": "2"}})
    kinesis.call("UntagResource", {**arn, "TagKeys": ["a"]})
    assert kinesis.call("ListTagsForResource", arn)["Tags"] == [{"Key": "b", "Value": "2"}]
    assert tags(kinesis) == {"b": "2"}


def test_tags_are_listed_page_by_page(kinesis: FakeKinesis) -> None:
    kinesis.call("AddTagsToStream", {**ORDERS, "Tags": {"a": "1", "b": "2", "c": "3"}})
    first = kinesis.call("ListTagsForStream", {**ORDERS, "Limit": 2})
    assert ([tag["Key"] for tag in first["Tags"]], first["HasMoreTags"]) == (["a", "b"], True)
    rest = kinesis.call("ListTagsForStream", {**ORDERS, "ExclusiveStartTagKey": "b"})
    assert ([tag["Key"] for tag in rest["Tags"]], rest["HasMoreTags"]) == (["c"], False)


def test_a_stream_has_at_most_50_tags(kinesis: FakeKinesis) -> None:
    kinesis.call("AddTagsToStream", {**ORDERS, "Tags": {f"{n:02}": "" for n in range(50)}})
    with pytest.raises(FakeKinesisError, match="InvalidArgumentException"):
        kinesis.call("AddTagsToStream", {**ORDERS, "Tags": {"one more": ""}})
    assert len(tags(kinesis)) == 50
