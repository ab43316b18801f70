"""Tests of what the enforcing AWS notes of real boto3 calls: the action, the resource, whose key, and whether it was done."""

import json
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from firnline_local.aws.server import AwsServer
from firnline_local.kinesis import Fault, FaultKind
from tests.iam.call_log import CallLog
from tests.iam.callers import Callers
from tests.iam.request import Access

pytestmark = pytest.mark.contract

ClientOf = Callable[..., Any]
ACCOUNT = "123456789012"
REGION = f"us-east-1:{ACCOUNT}"
Noted = list[tuple[str, str]]


class Watch:
    """Notes from its making on."""

    def __init__(self, aws: AwsServer) -> None:
        self._aws = aws
        self._mark = self._ask(0)["next"]

    def _ask(self, since: int) -> Any:
        with urllib.request.urlopen(f"{self._aws.endpoint}/__firnline__/calls?since={since}") as answer:
            return json.load(answer)

    @property
    def calls(self) -> list[dict[str, Any]]:
        calls: list[dict[str, Any]] = self._ask(self._mark)["calls"]
        return calls

    @property
    def accesses(self) -> Noted:
        return [(access["action"], access["resource"]) for call in self.calls for access in call["accesses"]]

    @property
    def contexts(self) -> list[dict[str, Any]]:
        return [access["context"] for call in self.calls for access in call["accesses"]]


@pytest.fixture
def watch(aws: AwsServer) -> Watch:
    return Watch(aws)


def make_table(client_of: ClientOf, name: str, **more: Any) -> str:
    client_of("dynamodb").create_table(
        TableName=name,
        KeySchema=[{"AttributeName": "stream", "KeyType": "HASH"}, {"AttributeName": "shard", "KeyType": "RANGE"}],
        AttributeDefinitions=[{"AttributeName": each, "AttributeType": "S"} for each in ("stream", "shard")],
        BillingMode="PAY_PER_REQUEST",
        **more,
    )
    return f"arn:aws:dynamodb:{REGION}:table/{name}"


KEY = {"stream": {"S": "orders@1"}, "shard": {"S": "0"}}


def test_a_call_is_noted_with_its_caller_and_its_success(client_of: ClientOf, watch: Watch) -> None:
    arn = make_table(client_of, "calls-a")
    with pytest.raises(ClientError):
        client_of("dynamodb").put_item(TableName="calls-a", Item=KEY, ConditionExpression="attribute_exists(absent)")
    create, put = watch.calls
    assert (create["service"], create["operation"], create["access_key"], create["succeeded"]) == (
        "dynamodb",
        "CreateTable",
        "a",
        True,
    )
    assert (put["operation"], put["succeeded"]) == ("PutItem", False)
    assert watch.accesses == [("dynamodb:CreateTable", arn), ("dynamodb:PutItem", arn)]


def test_items_are_noted_with_their_partitions(client_of: ClientOf, aws: AwsServer) -> None:
    arn, dynamodb = make_table(client_of, "calls-items"), client_of("dynamodb")
    watch, table = Watch(aws), {"TableName": "calls-items"}
    dynamodb.put_item(**table, Item=KEY)
    dynamodb.get_item(**table, Key=KEY)
    dynamodb.query(
        **table,
        KeyConditionExpression="#s = :s AND #t > :zero",
        ExpressionAttributeNames={"#s": "stream", "#t": "shard"},
        ExpressionAttributeValues={":s": {"S": "orders@1"}, ":zero": {"S": "-"}},
    )
    dynamodb.transact_write_items(TransactItems=[{"Delete": {**table, "Key": KEY}}])
    dynamodb.batch_get_item(RequestItems={"calls-items": {"Keys": [KEY]}})
    actions = ("PutItem", "GetItem", "Query", "DeleteItem", "BatchGetItem")
    assert watch.accesses == [(f"dynamodb:{action}", arn) for action in actions]
    assert watch.contexts == [{"dynamodb:LeadingKeys": ["orders@1"]}] * 5
    dynamodb.scan(**table)
    assert watch.contexts[-1] == {}


def test_the_use_of_a_customers_key_is_noted_in_the_callers_name(client_of: ClientOf, aws: AwsServer) -> None:
    key = client_of("kms").create_key()["KeyMetadata"]["Arn"]
    make_table(client_of, "calls-key", SSESpecification={"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": key})
    secret = client_of("secretsmanager").create_secret(Name="calls-key", KmsKeyId=key, SecretString="x")["ARN"]
    client_of("s3").create_bucket(Bucket="calls-key")
    client_of("s3").put_bucket_encryption(
        Bucket="calls-key",
        ServerSideEncryptionConfiguration={
            "Rules": [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": key}}]
        },
    )
    watch = Watch(aws)
    client_of("dynamodb").get_item(TableName="calls-key", Key=KEY)
    client_of("secretsmanager").get_secret_value(SecretId="calls-key")
    client_of("s3").put_object(Bucket="calls-key", Key="a", Body=b"x")
    client_of("s3").get_object(Bucket="calls-key", Key="a")
    uses = [
        (action, context) for (action, on), context in zip(watch.accesses, watch.contexts, strict=True) if on == key
    ]

    def via(service: str, **encryption: str) -> dict[str, str]:
        context = {f"kms:EncryptionContext:{name}": value for name, value in encryption.items()}
        return {**context, "kms:ViaService": f"{service}.us-east-1.amazonaws.com"}

    assert uses == [
        ("kms:Decrypt", via("dynamodb", **{"aws:dynamodb:tableName": "calls-key"})),
        ("kms:Decrypt", via("secretsmanager", SecretARN=secret)),
        ("kms:GenerateDataKey", via("s3", **{"aws:s3:arn": "arn:aws:s3:::calls-key/a"})),
        ("kms:Decrypt", via("s3", **{"aws:s3:arn": "arn:aws:s3:::calls-key/a"})),
    ]


def test_the_use_of_a_key_of_awss_needs_no_permission(client_of: ClientOf, aws: AwsServer) -> None:
    arn = make_table(client_of, "calls-own", SSESpecification={"Enabled": True, "SSEType": "KMS"})
    watch = Watch(aws)
    client_of("dynamodb").get_item(TableName="calls-own", Key=KEY)
    assert watch.accesses == [("dynamodb:GetItem", arn)]


BUCKET, OBJECT = "arn:aws:s3:::calls-s3", "arn:aws:s3:::calls-s3/a/b c"
OF_S3: list[tuple[Callable[[Any], Any], Noted]] = [
    (lambda s3: s3.list_buckets(), [("s3:ListAllMyBuckets", "*")]),
    (lambda s3: s3.head_bucket(Bucket="calls-s3"), [("s3:ListBucket", BUCKET)]),
    (lambda s3: s3.list_objects_v2(Bucket="calls-s3", Prefix="a/"), [("s3:ListBucket", BUCKET)]),
    (lambda s3: s3.list_object_versions(Bucket="calls-s3"), [("s3:ListBucketVersions", BUCKET)]),
    (lambda s3: s3.get_bucket_location(Bucket="calls-s3"), [("s3:GetBucketLocation", BUCKET)]),
    (lambda s3: s3.get_bucket_versioning(Bucket="calls-s3"), [("s3:GetBucketVersioning", BUCKET)]),
    (lambda s3: s3.delete_bucket_encryption(Bucket="calls-s3"), [("s3:PutEncryptionConfiguration", BUCKET)]),
    (lambda s3: s3.put_object(Bucket="calls-s3", Key="a/b c", Body=b"x"), [("s3:PutObject", OBJECT)]),
    (lambda s3: s3.get_object(Bucket="calls-s3", Key="a/b c"), [("s3:GetObject", OBJECT)]),
    (lambda s3: s3.head_object(Bucket="calls-s3", Key="a/b c"), [("s3:GetObject", OBJECT)]),
    (
        lambda s3: s3.copy_object(Bucket="calls-s3", Key="c", CopySource={"Bucket": "calls-s3", "Key": "a/b c"}),
        [("s3:GetObject", OBJECT), ("s3:PutObject", f"{BUCKET}/c")],
    ),
    (lambda s3: s3.get_object_tagging(Bucket="calls-s3", Key="c"), [("s3:GetObjectTagging", f"{BUCKET}/c")]),
    (lambda s3: s3.create_multipart_upload(Bucket="calls-s3", Key="d"), [("s3:PutObject", f"{BUCKET}/d")]),
    (
        lambda s3: s3.delete_objects(Bucket="calls-s3", Delete={"Objects": [{"Key": "c"}, {"Key": "e"}]}),
        [("s3:DeleteObject", f"{BUCKET}/c"), ("s3:DeleteObject", f"{BUCKET}/e")],
    ),
    (lambda s3: s3.delete_object(Bucket="calls-s3", Key="a/b c"), [("s3:DeleteObject", OBJECT)]),
    (lambda s3: s3.delete_bucket(Bucket="calls-s3"), [("s3:DeleteBucket", BUCKET)]),
]


def test_operations_of_s3_are_noted_as_their_actions(client_of: ClientOf, aws: AwsServer) -> None:
    s3 = client_of("s3")
    s3.create_bucket(Bucket="calls-s3")
    for call, expected in OF_S3:
        watch = Watch(aws)
        call(s3)
        assert watch.accesses == expected


def test_a_listing_is_noted_with_its_prefix(client_of: ClientOf, aws: AwsServer) -> None:
    client_of("s3").create_bucket(Bucket="calls-prefix")
    watch = Watch(aws)
    client_of("s3").list_objects_v2(Bucket="calls-prefix", Prefix="a/", Delimiter="/")
    assert watch.contexts == [{"s3:prefix": "a/", "s3:delimiter": "/"}]


def test_that_an_object_is_missing_is_told_to_who_may_list_it(client_of: ClientOf, aws: AwsServer) -> None:
    s3 = client_of("s3")
    s3.create_bucket(Bucket="calls-absent")
    watch = Watch(aws)
    with pytest.raises(ClientError, match="404"):
        s3.head_object(Bucket="calls-absent", Key="a/b")
    assert watch.accesses == [
        ("s3:GetObject", "arn:aws:s3:::calls-absent/a/b"),
        ("s3:ListBucket", "arn:aws:s3:::calls-absent"),
    ]
    assert watch.contexts == [{}, {"s3:prefix": "a/b"}]


def test_that_a_secret_is_missing_is_told_to_who_may_ask_for_its_name(
    callers: Callers, client_of: ClientOf, watch: Watch
) -> None:
    def asking() -> None:
        client_of("secretsmanager").describe_secret(SecretId="calls-absent")

    arn = f"arn:aws:secretsmanager:{REGION}:secret:calls-absent"
    statement = {"Effect": "Allow", "Action": "secretsmanager:DescribeSecret"}
    caller(callers, "arn:aws:iam::1:role/keys", [{**statement, "Resource": f"{arn}-??????"}])
    refused("AccessDeniedException", asking)
    caller(callers, "arn:aws:iam::1:role/keys", [{**statement, "Resource": [arn, f"{arn}-??????"]}])
    refused("ResourceNotFoundException", asking)
    assert watch.accesses == [("secretsmanager:DescribeSecret", arn)] * 2


def test_names_are_noted_as_arns(client_of: ClientOf, aws: AwsServer) -> None:
    trust = {"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}
    document = json.dumps({"Version": "2012-10-17", "Statement": [trust]})
    key = client_of("kms").create_key()["KeyMetadata"]["Arn"]
    watch = Watch(aws)
    tags = [{"Key": "a", "Value": "1"}]
    client_of("iam").create_role(RoleName="calls", Path="/firnline/", AssumeRolePolicyDocument=document, Tags=tags)
    client_of("iam").list_role_policies(RoleName="calls")
    client_of("kms").create_alias(AliasName="alias/calls", TargetKeyId=key)
    client_of("kms").describe_key(KeyId="alias/calls")
    secret = client_of("secretsmanager").create_secret(Name="calls")["ARN"]
    client_of("ssm").put_parameter(Name="/firnline/calls", Type="String", Value="x", Tags=tags)
    client_of("cloudwatch").describe_alarms(AlarmNames=["calls"])
    client_of("sts").get_caller_identity()
    role = f"arn:aws:iam::{ACCOUNT}:role/firnline/calls"
    parameter = f"arn:aws:ssm:{REGION}:parameter/firnline/calls"
    assert watch.accesses == [
        ("iam:CreateRole", role),
        ("iam:TagRole", role),
        ("iam:ListRolePolicies", role),
        ("kms:CreateAlias", f"arn:aws:kms:{REGION}:alias/calls"),
        ("kms:CreateAlias", key),
        ("kms:DescribeKey", key),
        ("secretsmanager:CreateSecret", secret),
        ("ssm:PutParameter", parameter),
        ("ssm:AddTagsToResource", parameter),
        ("cloudwatch:DescribeAlarms", f"arn:aws:cloudwatch:{REGION}:alarm:calls"),
        ("sts:GetCallerIdentity", "*"),
    ]


def test_what_no_table_knows_is_noted_all_the_same(client_of: ClientOf, watch: Watch) -> None:
    client_of("iam").get_account_summary()
    with pytest.raises(ClientError):
        client_of("firehose").list_delivery_streams()
    assert watch.accesses == [("iam:GetAccountSummary", "*"), ("firehose:ListDeliveryStreams", "*")]
    assert [call["succeeded"] for call in watch.calls] == [True, False]


def test_a_call_that_a_fault_stopped_is_noted_as_failed(aws: AwsServer, client_of: ClientOf, watch: Watch) -> None:
    aws.faults.replace([Fault(endpoint="sts:*", kind=FaultKind.ERROR)])
    with pytest.raises(ClientError):
        client_of("sts").get_caller_identity()
    assert [call["succeeded"] for call in watch.calls] == [False]


def test_old_calls_are_dropped_and_counted() -> None:
    log = CallLog(kept=2)
    for number in range(5):
        log.record("s3", str(number), access_key="a", succeeded=True, accesses=(Access("s3:GetObject", "*"),))
    assert log.since(1)["dropped"] == 2
    assert [call["operation"] for call in log.since(0)["calls"]] == ["3", "4"]
    assert (log.since(4)["dropped"], len(log.since(4)["calls"]), log.since(9)["calls"]) == (0, 1, [])


def caller(callers: Callers, principal: str, statements: list[Any]) -> None:
    """The clients of these tests, which all sign with the key "a"."""
    fields = {"access_key": "a", "principal": principal, "statements": statements}
    callers.from_json(json.dumps(fields).encode())


def refused(code: str, call: Callable[[], Any]) -> str:
    with pytest.raises(ClientError) as refusal:
        call()
    assert refusal.value.response["Error"]["Code"] == code
    return str(refusal.value.response["Error"]["Message"])


def test_a_caller_whose_policies_are_enforced_may_do_only_what_they_allow(
    callers: Callers, client_of: ClientOf
) -> None:
    client_of("s3").create_bucket(Bucket="calls-enforced")
    principal = f"arn:aws:iam::{ACCOUNT}:role/engine"
    arn = "arn:aws:s3:::calls-enforced"
    caller(
        callers,
        principal,
        [
            {"Effect": "Allow", "Action": "s3:PutObject", "Resource": f"{arn}/mine/*"},
            {"Effect": "Deny", "Action": "s3:*", "Resource": f"{arn}/mine/not"},
        ],
    )
    s3 = client_of("s3")
    s3.put_object(Bucket="calls-enforced", Key="mine/a", Body=b"x")
    says = f"User: {principal} is not authorized to perform: s3:PutObject on resource: {arn}"
    assert refused("AccessDenied", lambda: s3.put_object(Bucket="calls-enforced", Key="a", Body=b"x")) == (
        f"{says}/a because no identity-based policy allows the s3:PutObject action"
    )
    assert refused("AccessDenied", lambda: s3.put_object(Bucket="calls-enforced", Key="mine/not", Body=b"x")) == (
        f"{says}/mine/not with an explicit deny in an identity-based policy"
    )
    refused("AccessDeniedException", lambda: client_of("dynamodb").list_tables())
    client_of("sts").get_caller_identity()  # which nobody needs a permission for
    client_of("s3", "b").get_object(Bucket="calls-enforced", Key="mine/a")


@pytest.mark.parametrize("body", [b"[]", b"{}", b'{"access_key": "a", "principal": 1}', b'{"key": "a"}'])
def test_a_caller_that_is_not_one_is_refused(body: bytes) -> None:
    with pytest.raises(ValueError, match="caller"):
        Callers().from_json(body)
