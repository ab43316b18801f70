"""Requests and answers are held against the services' own models, in each protocol that is served."""

import json
from typing import Any
from urllib.parse import urlencode

import boto3
import pytest
from botocore.awsrequest import AWSPreparedRequest
from botocore.config import Config

from firnline_local import record
from firnline_local.service_models.judge import judged, read, wrong_answer
from firnline_local.service_models.models import WireRequest

LOCAL = "http://127.0.0.1:1"


@pytest.fixture(autouse=True)
def nothing_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """These requests are wrong on purpose, and no run of the suite is described by them."""
    monkeypatch.delenv(record.REQUESTS, raising=False)


class Sent(Exception):
    def __init__(self, request: AWSPreparedRequest) -> None:
        self.request = request


def wire_of(service: str, operation: str, parameters: dict[str, Any]) -> WireRequest:
    """Returns what boto3 would send."""
    client: Any = boto3.session.Session().client(  # type: ignore[call-overload] # by a literal of each service
        service,
        region_name="us-east-1",
        endpoint_url=LOCAL,
        config=Config(parameter_validation=False, s3={"addressing_style": "path"}),
    )

    def keep(request: AWSPreparedRequest, **_: Any) -> None:
        raise Sent(request)

    client.meta.events.register("before-send", keep)
    with pytest.raises(Sent) as caught:
        getattr(client, operation)(**parameters)
    sent = caught.value.request
    path, _, query = str(sent.url).removeprefix(LOCAL).partition("?")
    headers = {str(name).lower(): _text(value) for name, value in sent.headers.items()}
    body = sent.body if isinstance(sent.body, bytes) else str(sent.body or "").encode()
    return WireRequest(sent.method, path, query, headers, body)


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


BUCKET = {"Bucket": "rows"}
RULES = [{"ID": "a", "Status": "Enabled", "Filter": {"Prefix": "x"}, "Expiration": {"Days": 3}}]
TAGS = [{"Key": "a", "Value": "b"}, {"Key": "c", "Value": ""}]
METRIC = {"MetricName": "lag", "Value": 1.5, "Dimensions": [{"Name": "shard", "Value": "a"}]}
REQUESTS: list[tuple[str, str, dict[str, Any]]] = [
    ("dynamodb", "get_item", {"TableName": "rows", "Key": {"stream": {"S": "a"}}, "ConsistentRead": True}),
    ("kinesis", "create_stream", {"StreamName": "orders", "ShardCount": 2}),
    ("iam", "create_role", {"RoleName": "engine", "AssumeRolePolicyDocument": "{}", "Tags": TAGS}),
    ("sts", "assume_role", {"RoleArn": "arn:aws:iam::123456789012:role/engine", "RoleSessionName": "aa", "Tags": TAGS}),
    (
        "ec2",
        "describe_subnets",
        {"SubnetIds": ["subnet-1", "subnet-2"], "Filters": [{"Name": "vpc-id", "Values": ["a", "b"]}]},
    ),
    ("redshift", "create_tags", {"ResourceName": "arn", "Tags": TAGS}),
    ("cloudwatch", "put_metric_data", {"Namespace": "firnline", "MetricData": [METRIC]}),
    ("scheduler", "get_schedule", {"Name": "reads", "GroupName": "default"}),
    ("emr-serverless", "get_application", {"applicationId": "00aa"}),
    ("emr", "list_instance_groups", {"ClusterId": "j-1"}),
    ("s3", "put_object", {**BUCKET, "Key": "a/b", "Metadata": {"x": "y"}, "StorageClass": "STANDARD"}),
    ("s3", "copy_object", {**BUCKET, "Key": "a/b", "CopySource": "rows/a"}),
    ("s3", "list_objects_v2", {**BUCKET, "MaxKeys": 5, "Prefix": "a/"}),
    ("s3", "get_bucket_policy", BUCKET),
    ("s3", "put_bucket_lifecycle_configuration", {**BUCKET, "LifecycleConfiguration": {"Rules": RULES}}),
    ("s3", "delete_objects", {**BUCKET, "Delete": {"Objects": [{"Key": "a"}, {"Key": "b"}], "Quiet": True}}),
    ("s3", "put_bucket_tagging", {**BUCKET, "Tagging": {"TagSet": TAGS}}),
]


@pytest.mark.parametrize(("service", "operation", "parameters"), REQUESTS)
def test_a_request_is_read_as_it_was_meant(service: str, operation: str, parameters: dict[str, Any]) -> None:
    wire = wire_of(service, operation, parameters)
    found, refusal = judged(service, wire)
    assert refusal is None
    assert found is not None
    assert found.operation.name.lower() == operation.replace("_", "")
    assert {name: found.parameters[name] for name in parameters} == parameters


@pytest.mark.parametrize(
    ("service", "operation", "parameters", "code", "words"),
    [
        ("dynamodb", "get_item", {"TableName": "rows"}, "ValidationException", "Value at 'Key'"),
        (
            "dynamodb",
            "query",
            {"TableName": "a", "IndexName": "a b"},
            "ValidationException",
            "regular expression pattern",
        ),
        ("kinesis", "create_stream", {"StreamName": "a" * 129}, "ValidationException", "less than or equal to 128"),
        ("kinesis", "create_stream", {"StreamName": "arn:aws:kinesis"}, "ValidationException", "pattern"),
        ("iam", "create_role", {"RoleName": "a", "AssumeRolePolicyDocument": ""}, "ValidationError", "length"),
        ("sts", "assume_role", {"RoleArn": "a" * 20}, "ValidationError", "'RoleSessionName'"),
        (
            "redshift",
            "create_tags",
            {"ResourceName": "a"},
            "InvalidParameterValue",
            "'Tags' failed to satisfy constraint: Member must not be null",
        ),
        ("cloudwatch", "put_metric_data", {"Namespace": ":a"}, "ValidationError", "pattern"),
        ("scheduler", "get_schedule", {"Name": "a b"}, "ValidationException", "pattern"),
        ("s3", "put_object", {**BUCKET, "Key": "a", "StorageClass": "COLD"}, "InvalidArgument", "enum value set"),
        (
            "s3",
            "put_bucket_lifecycle_configuration",
            {**BUCKET, "LifecycleConfiguration": {"Rules": [{"Status": "On"}]}},
            "MalformedXML",
            "enum value set: [Enabled, Disabled]",
        ),
    ],
)
def test_a_request_that_breaks_its_model_is_refused(
    service: str, operation: str, parameters: dict[str, Any], code: str, words: str
) -> None:
    _, refusal = judged(service, wire_of(service, operation, parameters))
    assert refusal is not None
    assert refusal.code == code
    assert words in refusal.message


def _target(operation: str, body: bytes) -> WireRequest:
    return WireRequest("POST", "/", "", {"x-amz-target": f"DynamoDB_20120810.{operation}"}, body)


def test_a_member_that_the_model_does_not_have_is_refused() -> None:
    _, of_json = judged("dynamodb", _target("GetItem", b'{"TableName": "rows", "Key": {}, "Consistent": true}'))
    form = urlencode({"Action": "GetRole", "Version": "2010-05-08", "RoleName": "a", "RolName": "b"}).encode()
    headers = {"content-type": "application/x-www-form-urlencoded; charset=utf-8"}
    _, of_form = judged("iam", WireRequest("POST", "/", "", headers, form))
    for refusal, name in ((of_json, "Consistent"), (of_form, "RolName")):
        assert refusal is not None
        assert (
            f"Value at '{name}' failed to satisfy constraint: Member is not in the service's model" in refusal.message
        )


@pytest.mark.parametrize("body", [b"{", b"[]", b"\xff"])
def test_a_body_that_is_none_is_refused(body: bytes) -> None:
    _, refusal = judged("dynamodb", _target("GetItem", body))
    assert refusal is not None
    assert refusal.code == "SerializationException"


def test_an_operation_that_the_service_does_not_have_is_left_to_who_serves() -> None:
    assert judged("dynamodb", _target("FetchItem", b"{}")) == (None, None)


DESCRIBED: dict[str, Any] = {
    "TableName": "rows",
    "TableStatus": "ACTIVE",
    "ProvisionedThroughput": {"ReadCapacityUnits": 0},
}


@pytest.mark.parametrize(
    ("table", "problems"),
    [
        (DESCRIBED, 0),
        ({**DESCRIBED, "TableStatus": "READY"}, 1),
        ({**DESCRIBED, "TableSizeBytes": "3"}, 1),
        ({**DESCRIBED, "Size": 3}, 1),
        ({**DESCRIBED, "SSEDescription": None}, 0),
    ],
)
def test_an_answer_has_what_the_model_has(table: dict[str, Any], problems: int) -> None:
    request = read("dynamodb", _target("DescribeTable", b'{"TableName": "rows"}'))
    assert request is not None
    assert len(wrong_answer(request, json.dumps({"Table": table}).encode())) == problems


ROLE = (
    "<Path>/</Path><RoleName>a</RoleName><RoleId>AROAAAAAAAAAAAAAAAAA</RoleId><Arn>arn:aws:iam::123456789012:role/a</Arn>"
    "<CreateDate>2026-11-28T00:00:00Z</CreateDate>"
)


@pytest.mark.parametrize(("more", "problems"), [("", 0), ("<Colour>red</Colour>", 1)])
def test_an_answer_in_xml_is_judged_too(more: str, problems: int) -> None:
    request = read("iam", wire_of("iam", "get_role", {"RoleName": "a"}))
    assert request is not None
    body = (
        f'<GetRoleResponse xmlns="https://iam.amazonaws.com/doc/2010-05-08/"><GetRoleResult><Role>{ROLE}{more}</Role>'
    )
    body += "</GetRoleResult><ResponseMetadata><RequestId>1</RequestId></ResponseMetadata></GetRoleResponse>"
    assert len(wrong_answer(request, body.encode())) == problems
