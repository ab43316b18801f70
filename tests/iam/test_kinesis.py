"""Tests of what the face of Kinesis notes of a call, and refuses to a caller whose policies are enforced."""

import json
from typing import Any

import pytest

from firnline_local.kinesis import FakeKinesis
from firnline_local.kinesis.http import HttpRequest
from firnline_local.kinesis.wire import CONTENT_TYPE, TARGET_PREFIX
from tests.iam.kinesis import EnforcingFace

ARN = "arn:aws:kinesis:us-east-1:123456789012:stream/orders"
KEY = "arn:aws:kms:us-east-1:123456789012:key/1"
ROLE = "arn:aws:iam::123456789012:role/engine"


@pytest.fixture
def face() -> EnforcingFace:
    kinesis = FakeKinesis()
    kinesis.create_stream("orders")
    return EnforcingFace(kinesis)


def call(
    face: EnforcingFace, operation: str, request: dict[str, Any], *, access_key: str = "engine"
) -> tuple[int, Any]:
    headers = {
        "x-amz-target": TARGET_PREFIX + operation,
        "content-type": CONTENT_TYPE,
        "authorization": f"AWS4-HMAC-SHA256 Credential={access_key}/20260101/us-east-1/kinesis/aws4_request, Signature=x",
    }
    reply = face.answer(HttpRequest("POST", "/", headers, json.dumps(request).encode()))
    return reply.status, json.loads(reply.body or b"{}")


def control(face: EnforcingFace, method: str, route: str, content: Any = None) -> tuple[int, Any]:
    body = b"" if content is None else json.dumps(content).encode()
    reply = face.answer(HttpRequest(method, f"/__firnline__/{route}", {}, body))
    return reply.status, json.loads(reply.body)


def noted(face: EnforcingFace) -> list[dict[str, Any]]:
    calls: list[dict[str, Any]] = control(face, "GET", "calls")[1]["calls"]
    return calls


def accesses(face: EnforcingFace) -> list[tuple[str, str]]:
    return [(access["action"], access["resource"]) for each in noted(face) for access in each["accesses"]]


def test_streams_are_noted_by_arn_however_they_were_named(face: EnforcingFace) -> None:
    call(face, "DescribeStreamSummary", {"StreamName": "orders"})
    call(face, "ListShards", {"StreamARN": ARN, "MaxResults": 1})
    shard = {"StreamName": "orders", "ShardId": "shardId-000000000000", "ShardIteratorType": "LATEST"}
    _, iterator = call(face, "GetShardIterator", shard)
    call(face, "GetRecords", {"ShardIterator": iterator["ShardIterator"]})
    call(face, "ListStreams", {})
    actions = ("DescribeStreamSummary", "ListShards", "GetShardIterator", "GetRecords")
    assert accesses(face) == [*((f"kinesis:{action}", ARN) for action in actions), ("kinesis:ListStreams", "*")]
    assert {each["access_key"] for each in noted(face)} == {"engine"}


def test_a_listing_that_goes_on_is_noted_with_its_stream(face: EnforcingFace) -> None:
    face.kinesis.stream("orders").shard(0).split()
    _, first = call(face, "ListShards", {"StreamName": "orders", "MaxResults": 1})
    call(face, "ListShards", {"NextToken": first["NextToken"]})
    assert accesses(face) == [("kinesis:ListShards", ARN)] * 2


def test_what_fails_is_noted_as_failed(face: EnforcingFace) -> None:
    call(face, "DescribeStreamSummary", {"StreamName": "nothing"})
    call(face, "GetRecords", {"ShardIterator": "nonsense"})
    call(face, "Invent", {"StreamName": "orders"})
    assert [each["succeeded"] for each in noted(face)] == [False] * 3
    assert accesses(face) == [
        ("kinesis:DescribeStreamSummary", ARN.replace("orders", "nothing")),
        ("kinesis:GetRecords", "*"),
        ("kinesis:Invent", ARN),
    ]


def test_the_use_of_the_streams_key_is_noted_in_the_callers_name(face: EnforcingFace) -> None:
    stream = {"StreamName": "orders"}
    call(face, "StartStreamEncryption", {**stream, "EncryptionType": "KMS", "KeyId": KEY})
    call(face, "PutRecord", {**stream, "Data": "YQ==", "PartitionKey": "a"})
    (put, generate) = noted(face)[-1]["accesses"]
    assert (put["action"], generate["action"], generate["resource"]) == (
        "kinesis:PutRecord",
        "kms:GenerateDataKey",
        KEY,
    )
    assert generate["context"] == {
        "kms:ViaService": "kinesis.us-east-1.amazonaws.com",
        "kms:EncryptionContext:aws:kinesis:arn": ARN,
    }
    call(face, "StartStreamEncryption", {**stream, "EncryptionType": "KMS", "KeyId": "alias/aws/kinesis"})
    call(face, "PutRecord", {**stream, "Data": "YQ==", "PartitionKey": "a"})
    assert [each["action"] for each in noted(face)[-1]["accesses"]] == ["kinesis:PutRecord"]


def test_consumers_are_noted_by_their_own_arn(face: EnforcingFace) -> None:
    _, made = call(face, "RegisterStreamConsumer", {"StreamARN": ARN, "ConsumerName": "c"})
    arn = made["Consumer"]["ConsumerARN"]
    call(face, "DescribeStreamConsumer", {"ConsumerARN": arn})
    assert accesses(face) == [("kinesis:RegisterStreamConsumer", ARN), ("kinesis:DescribeStreamConsumer", arn)]


def enforce(face: EnforcingFace, *statements: dict[str, Any]) -> None:
    fields = {"access_key": "engine", "principal": ROLE, "statements": statements}
    assert control(face, "POST", "callers", fields) == (
        200,
        [{"access_key": "engine", "principal": ROLE, "is_enforced": True}],
    )


def test_a_caller_whose_policies_are_enforced_may_do_only_what_they_allow(face: EnforcingFace) -> None:
    enforce(face, {"Effect": "Allow", "Action": "kinesis:DescribeStreamSummary", "Resource": ARN})
    assert call(face, "DescribeStreamSummary", {"StreamName": "orders"})[0] == 200
    status, refusal = call(face, "ListShards", {"StreamName": "orders"})
    assert (status, refusal["__type"]) == (400, "AccessDeniedException")
    assert refusal["message"] == (
        f"User: {ROLE} is not authorized to perform: kinesis:ListShards on resource: {ARN} "
        "because no identity-based policy allows the kinesis:ListShards action"
    )
    assert call(face, "ListShards", {"StreamName": "orders"}, access_key="another")[0] == 200


def test_a_caller_without_the_key_is_refused_in_the_keys_own_words(face: EnforcingFace) -> None:
    face.kinesis.call("StartStreamEncryption", {"StreamName": "orders", "EncryptionType": "KMS", "KeyId": KEY})
    enforce(face, {"Effect": "Allow", "Action": "kinesis:*", "Resource": "*"})
    _, refusal = call(face, "PutRecord", {"StreamName": "orders", "Data": "YQ==", "PartitionKey": "a"})
    assert refusal["__type"] == "KMSAccessDeniedException"
    assert f"kms:GenerateDataKey on resource: {KEY}" in refusal["message"]


def test_what_is_no_caller_is_refused_with_the_reason(face: EnforcingFace) -> None:
    status, refusal = control(face, "POST", "callers", [])
    assert (status, "a caller is an object" in refusal["error"]) == (400, True)
    assert control(face, "GET", "calls?until=3")[0] == 400
