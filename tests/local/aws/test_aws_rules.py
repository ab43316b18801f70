"""Tests of what AWS refuses and moto alone does not; and names that are taken, which both refuse."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from firnline_local.aws.authorizer import Decision
from firnline_local.aws.parsed_call import ParsedCall
from firnline_local.aws.server import AwsServer, application

pytestmark = pytest.mark.contract

ClientOf = Callable[..., Any]
ACCOUNT = "123456789012"
SNOWFLAKE = "arn:aws:iam::999999999999:user/snowflake"
ROOT = f"arn:aws:iam::{ACCOUNT}:root"
MISSING = f"arn:aws:iam::{ACCOUNT}:role/strict-none"


def document(**statement: Any) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", **statement}]})


def trust(principal: str, **condition: Any) -> str:
    conditions = {"Condition": {"StringEquals": condition}} if condition else {}
    return document(Principal={"AWS": principal}, Action="sts:AssumeRole", **conditions)


class Principals:
    """An authorizer that only knows for whom an access key stands."""

    def __init__(self) -> None:
        self.principal: str | None = None

    def __call__(self, call: ParsedCall, /) -> Decision:
        return Decision(principal=self.principal if call.access_key == "a" else None)


PRINCIPALS = Principals()


@pytest.fixture(scope="module")
def running() -> Iterator[AwsServer]:
    with AwsServer(application_of=lambda faults: application(faults, PRINCIPALS)) as server:
        yield server


@pytest.fixture
def principals() -> Iterator[Principals]:
    """The principals behind the clients of these tests, which all sign with the key "a"."""
    yield PRINCIPALS
    PRINCIPALS.principal = None


@pytest.fixture
def role(client_of: ClientOf) -> Iterator[str]:
    policy = trust(SNOWFLAKE, **{"sts:ExternalId": "ours"})
    yield client_of("iam").create_role(RoleName="strict", AssumeRolePolicyDocument=policy)["Role"]["Arn"]
    client_of("iam").delete_role(RoleName="strict")


def refused(code: str, call: Callable[[], Any]) -> str:
    with pytest.raises(ClientError) as refusal:
        call()
    assert refusal.value.response["Error"]["Code"] == code
    return str(refusal.value.response["Error"]["Message"])


def assume(client_of: ClientOf, role: str, **more: Any) -> Any:
    return client_of("sts").assume_role(RoleArn=role, RoleSessionName="session", **more)


def test_a_role_is_assumed_by_whom_its_trust_names_with_the_external_id(
    principals: Principals, client_of: ClientOf, role: str
) -> None:
    principals.principal = SNOWFLAKE
    assert assume(client_of, role, ExternalId="ours")["Credentials"]["AccessKeyId"]


@pytest.mark.parametrize(
    ("principal", "external_id"),
    [(SNOWFLAKE, {}), (SNOWFLAKE, {"ExternalId": "theirs"}), (ROOT, {"ExternalId": "ours"})],
)
def test_a_role_is_not_assumed_by_anybody_else(
    principals: Principals, client_of: ClientOf, role: str, principal: str, external_id: dict[str, str]
) -> None:
    principals.principal = principal
    said = refused("AccessDenied", lambda: assume(client_of, role, **external_id))
    assert said == f"User: {principal} is not authorized to perform: sts:AssumeRole on resource: {role}"


def test_a_role_that_is_not_there_is_not_assumed(client_of: ClientOf) -> None:
    assert MISSING in refused("AccessDenied", lambda: assume(client_of, MISSING))


def test_a_session_of_a_role_is_trusted_as_the_role(client_of: ClientOf) -> None:
    iam = client_of("iam")
    first = iam.create_role(RoleName="strict-first", AssumeRolePolicyDocument=trust(ROOT))["Role"]["Arn"]
    second = iam.create_role(RoleName="strict-second", AssumeRolePolicyDocument=trust(first))["Role"]["Arn"]
    session = assume(client_of, first)["Credentials"]
    sts = client_of("sts", session["AccessKeyId"])
    assert sts.assume_role(RoleArn=second, RoleSessionName="session")["Credentials"]["AccessKeyId"]


def test_policies_name_only_principals_that_exist(client_of: ClientOf) -> None:
    role = trust(MISSING)
    key = document(Principal={"AWS": [ROOT, MISSING]}, Action="kms:*", Resource="*")
    client_of("s3").create_bucket(Bucket="strict-bucket")
    bucket = document(Principal={"AWS": MISSING}, Action="s3:*", Resource="arn:aws:s3:::strict-bucket/*")
    create_role = client_of("iam").create_role
    said = refused("MalformedPolicyDocument", lambda: create_role(RoleName="x", AssumeRolePolicyDocument=role))
    assert said == f'Invalid principal in policy: "AWS":"{MISSING}"'
    refused("MalformedPolicyDocumentException", lambda: client_of("kms").create_key(Policy=key))
    refused("MalformedPolicy", lambda: client_of("s3").put_bucket_policy(Bucket="strict-bucket", Policy=bucket))


def test_nobody_locks_themselves_out_of_a_key_unless_they_say_so(client_of: ClientOf) -> None:
    kms = client_of("kms")
    key = kms.create_key()["KeyMetadata"]["KeyId"]
    locked = {"KeyId": key, "PolicyName": "default", "Policy": document(Principal={"AWS": SNOWFLAKE}, Action="kms:*")}
    said = refused("MalformedPolicyDocumentException", lambda: kms.put_key_policy(**locked))
    assert "will not allow you to update the key policy" in said
    kms.put_key_policy(**locked, BypassPolicyLockoutSafetyCheck=True)


def test_a_managed_policy_is_no_longer_than_iam_takes_without_its_white_space(client_of: ClientOf) -> None:
    iam = client_of("iam")
    padding = 6144 - len("".join(document(Action="s3:GetObject", Resource="arn:aws:s3:::lake/").split()))
    longest, longer = (
        json.dumps(json.loads(document(Action="s3:GetObject", Resource=f"arn:aws:s3:::lake/{'a' * count}")), indent=4)
        for count in (padding, padding + 1)
    )
    arn = iam.create_policy(PolicyName="strict-long", PolicyDocument=longest)["Policy"]["Arn"]
    for call in (
        lambda: iam.create_policy(PolicyName="strict-longer", PolicyDocument=longer),
        lambda: iam.create_policy_version(PolicyArn=arn, PolicyDocument=longer),
    ):
        assert refused("LimitExceeded", call) == "Cannot exceed quota for PolicySize: 6144"
    iam.delete_policy(PolicyArn=arn)


def test_a_managed_policy_goes_last_after_its_attachments_and_its_versions(client_of: ClientOf) -> None:
    iam, text = client_of("iam"), document(Action="s3:GetObject", Resource="arn:aws:s3:::lake/*")
    arn = iam.create_policy(PolicyName="strict-attached", PolicyDocument=text)["Policy"]["Arn"]
    iam.create_policy_version(PolicyArn=arn, PolicyDocument=text)
    iam.create_user(UserName="strict-attached")
    iam.attach_user_policy(UserName="strict-attached", PolicyArn=arn)
    assert "attached" in refused("DeleteConflict", lambda: iam.delete_policy(PolicyArn=arn))
    iam.detach_user_policy(UserName="strict-attached", PolicyArn=arn)
    assert "more than one version" in refused("DeleteConflict", lambda: iam.delete_policy(PolicyArn=arn))
    iam.delete_policy_version(PolicyArn=arn, VersionId="v2")
    iam.delete_policy(PolicyArn=arn)
    iam.delete_user(UserName="strict-attached")


def test_names_that_are_taken_are_refused(client_of: ClientOf) -> None:
    west = client_of("s3", "a", "us-west-2")
    location = {"CreateBucketConfiguration": {"LocationConstraint": "us-west-2"}}
    table = {
        "TableName": "strict-table",
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
        "BillingMode": "PAY_PER_REQUEST",
    }
    policy = trust(ROOT)
    makers: dict[str, Callable[[], Any]] = {
        "EntityAlreadyExists": lambda: client_of("iam").create_role(
            RoleName="strict-taken", AssumeRolePolicyDocument=policy
        ),
        "ResourceExistsException": lambda: client_of("secretsmanager").create_secret(Name="strict-taken"),
        "ParameterAlreadyExists": lambda: client_of("ssm").put_parameter(Name="strict", Type="String", Value="x"),
        "ResourceInUseException": lambda: client_of("dynamodb").create_table(**table),
        "BucketAlreadyOwnedByYou": lambda: west.create_bucket(Bucket="strict-west", **location),
    }
    for code, make in makers.items():
        make()
        refused(code, make)


def test_the_name_of_a_secret_that_waits_to_be_deleted_is_taken(client_of: ClientOf) -> None:
    secrets = client_of("secretsmanager")
    secrets.create_secret(Name="strict-deleted")
    secrets.delete_secret(SecretId="strict-deleted", RecoveryWindowInDays=7)
    refused("InvalidRequestException", lambda: secrets.create_secret(Name="strict-deleted"))


@pytest.mark.parametrize("checksum", [{"ChecksumCRC32": "AAAAAA=="}, {"ContentMD5": "AAAAAAAAAAAAAAAAAAAAAA=="}])
def test_an_object_that_does_not_arrive_as_it_was_sent_is_refused(
    client_of: ClientOf, checksum: dict[str, str]
) -> None:
    s3, bucket = client_of("s3"), f"digests-{next(iter(checksum)).lower()}"
    s3.create_bucket(Bucket=bucket)
    with pytest.raises(ClientError, match="BadDigest"):
        s3.put_object(Bucket=bucket, Key="k", Body=b"content", **checksum)
    assert "Contents" not in s3.list_objects_v2(Bucket=bucket)
    s3.put_object(Bucket=bucket, Key="k", Body=b"content", ChecksumAlgorithm="CRC32")
    assert s3.get_object(Bucket=bucket, Key="k")["Body"].read() == b"content"


def test_groups_and_their_rules_are_described_in_the_letters_that_ec2_takes(client_of: ClientOf) -> None:
    ec2, everything = client_of("ec2"), {"IpProtocol": "-1", "FromPort": 0, "ToPort": 0}
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    with pytest.raises(ClientError, match=r"InvalidParameterValue.*Invalid security group description"):
        ec2.create_security_group(GroupName="a", Description="nobody's", VpcId=vpc)
    group = ec2.create_security_group(GroupName="a", Description="Of nobody: (a-z)", VpcId=vpc)["GroupId"]
    wrong, right = (
        [{**everything, "IpRanges": [{"CidrIp": "10.0.0.0/8", "Description": text}]}] for text in ("a -> b", "a to b")
    )
    with pytest.raises(ClientError, match=r"InvalidParameterValue.*Invalid rule description"):
        ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=wrong)
    ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=right)
