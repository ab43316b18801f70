"""Tests of which actions on which resources a request is, where the operation's name and its parameters don't say it."""

from typing import Any

import pytest

from tests.iam.accesses import accesses_of
from tests.iam.request import Request

ACCOUNT, REGION = "123456789012", "us-east-1"
KEYS = f"arn:aws:kms:{REGION}:{ACCOUNT}:key"
STREAM = f"arn:aws:kinesis:{REGION}:{ACCOUNT}:stream/orders"
OBJECT = "arn:aws:s3:::lake/a"


class Names:
    """A directory in which everything is where its name says."""

    def role_arn(self, name: str) -> str:
        return f"arn:aws:iam::{ACCOUNT}:role/{name}"

    def user_arn(self, name: str) -> str:
        return f"arn:aws:iam::{ACCOUNT}:user/team/{name}"

    def key_arn(self, key: str) -> str:
        return f"{KEYS}/{key}"

    def key_aliases(self, key: str) -> list[str]:
        return []

    def secret_arn(self, secret: str) -> str:
        return secret

    def hash_key(self, table: str) -> str | None:
        return None


def accesses(service: str, operation: str, **parameters: Any) -> list[tuple[str, str]]:
    request = Request(
        service=service, operation=operation, account=ACCOUNT, region=REGION, directory=Names(), parameters=parameters
    )
    return [(access.action, access.resource) for access in accesses_of(request)]


def of_s3(
    method: str, *, key: str = "a", deleted: Any = (), tagged: bool = False, **query: Any
) -> list[tuple[str, str]]:
    return accesses("s3", method, bucket="lake", key=key, query=query, headers={}, deleted=deleted, tagged=tagged)


@pytest.mark.parametrize(
    "operation",
    ["EnableEnhancedMonitoring", "DisableEnhancedMonitoring", "UpdateShardCount", "UpdateStreamMode"],
)
def test_actions_without_a_resource_are_on_everything_though_a_stream_is_named(operation: str) -> None:
    assert accesses("kinesis", operation, StreamARN=STREAM) == [(f"kinesis:{operation}", "*")]
    assert accesses("kinesis", "UpdateMaxRecordSize", StreamARN=STREAM) == [("kinesis:UpdateMaxRecordSize", STREAM)]


@pytest.mark.parametrize(
    ("method", "query", "actions"),
    [
        ("GET", {"versionId": "1"}, ["GetObjectVersion"]),
        ("DELETE", {"versionId": "1"}, ["DeleteObjectVersion"]),
        ("GET", {"tagging": "", "versionId": "1"}, ["GetObjectVersionTagging"]),
        ("PUT", {"tagging": "", "versionId": "1"}, ["PutObjectVersionTagging"]),
        ("DELETE", {"tagging": "", "versionId": "1"}, ["DeleteObjectVersionTagging"]),
        ("GET", {"acl": "", "versionId": "1"}, ["GetObjectVersionAcl"]),
        ("GET", {"attributes": ""}, ["GetObject", "GetObjectAttributes"]),
        ("GET", {"attributes": "", "versionId": "1"}, ["GetObjectVersion", "GetObjectVersionAttributes"]),
    ],
)
def test_a_version_of_an_object_has_actions_of_its_own(method: str, query: dict[str, Any], actions: list[str]) -> None:
    assert of_s3(method, **query) == [(f"s3:{action}", OBJECT) for action in actions]


def test_of_a_batch_of_deletions_each_is_what_it_would_be_alone() -> None:
    found = of_s3("POST", key="", deleted=[("a", False), ("b", True)], delete="")
    assert found == [("s3:DeleteObject", OBJECT), ("s3:DeleteObjectVersion", "arn:aws:s3:::lake/b")]


def test_a_bucket_that_is_made_with_tags_is_tagged() -> None:
    lake = "arn:aws:s3:::lake"
    assert of_s3("PUT", key="") == [("s3:CreateBucket", lake)]
    assert of_s3("PUT", key="", tagged=True) == [("s3:CreateBucket", lake), ("s3:TagResource", lake)]
    assert of_s3("PUT", key="", tagged=True, tagging="") == [("s3:PutBucketTagging", lake)]


def test_encrypting_anew_is_two_actions() -> None:
    named = accesses("kms", "ReEncrypt", SourceKeyId="old", DestinationKeyId="new")
    assert named == [("kms:ReEncryptFrom", f"{KEYS}/old"), ("kms:ReEncryptTo", f"{KEYS}/new")]
    assert accesses("kms", "ReEncrypt", DestinationKeyId="new")[0] == ("kms:ReEncryptFrom", "*")


@pytest.mark.parametrize("operation", ["DescribeStreamConsumer", "DeregisterStreamConsumer"])
def test_a_consumer_that_is_named_with_its_stream_has_no_time(operation: str) -> None:
    named = accesses("kinesis", operation, StreamARN=STREAM, ConsumerName="fraud")
    assert named == [(f"kinesis:{operation}", f"{STREAM}/consumer/fraud")]
    registered = f"{STREAM}/consumer/fraud:1700000000"
    assert accesses("kinesis", operation, ConsumerARN=registered) == [(f"kinesis:{operation}", registered)]


@pytest.mark.parametrize("operation", ["StartStreamEncryption", "StopStreamEncryption"])
def test_a_stream_is_encrypted_by_who_may_do_so_with_its_key(operation: str) -> None:
    def switching(key: str) -> list[tuple[str, str]]:
        return accesses("kinesis", operation, StreamARN=STREAM, NewKeyId=key)

    action = f"kinesis:{operation}"
    assert switching("1a2b") == [(action, STREAM), (action, f"{KEYS}/1a2b")]
    assert switching("alias/aws/kinesis") == [(action, STREAM)]


def test_a_log_group_is_asked_about_below_itself_but_for_its_tags() -> None:
    group = f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:engine"
    below = f"{group}:log-stream:"
    assert accesses("logs", "DescribeLogStreams", logGroupName="engine") == [("logs:DescribeLogStreams", below)]
    put = accesses("logs", "PutLogEvents", logGroupName="engine", logStreamName="job")
    assert put == [("logs:PutLogEvents", f"{below}job")]
    made = accesses("logs", "CreateLogGroup", logGroupName="engine", tags={"a": "1"})
    assert made == [("logs:CreateLogGroup", below), ("logs:TagResource", group)]
    for operation in ("TagResource", "UntagResource", "ListTagsForResource"):
        assert accesses("logs", operation, resourceArn=group) == [(f"logs:{operation}", group)]
    assert accesses("logs", "DescribeLogGroups") == [("logs:DescribeLogGroups", "*")]
    assert accesses("logs", "Invent") == [("logs:Invent", "*")]


@pytest.mark.parametrize(
    ("change", "becomes"),
    [
        ({"NewUserName": "b"}, "user/team/b"),
        ({"NewPath": "/other/"}, "user/other/a"),
        ({"NewUserName": "b", "NewPath": "/"}, "user/b"),
    ],
)
def test_a_user_is_renamed_by_who_may_change_what_it_becomes_too(change: dict[str, str], becomes: str) -> None:
    found = accesses("iam", "UpdateUser", UserName="a", **change)
    assert found == [
        ("iam:UpdateUser", f"arn:aws:iam::{ACCOUNT}:user/team/a"),
        ("iam:UpdateUser", f"arn:aws:iam::{ACCOUNT}:{becomes}"),
    ]
