"""A volume that works, and everything that can be taken away from it: each is named."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import boto3
import pytest

from firnline_local.aws.server import AwsServer
from firnline_local.aws.volume_access import OBJECT_ACTIONS, Volume, can_use

pytestmark = pytest.mark.contract

ACCOUNT = "123456789012"
SNOWFLAKE = "arn:aws:iam::999999999999:user/snowflake"
ROLE = "volume-role"
ClientOf = Callable[[str], Any]


@pytest.fixture(scope="module")
def client_of() -> Iterator[ClientOf]:
    with AwsServer() as server:

        @cache
        def client_of(service: str) -> Any:
            return boto3.session.Session().client(
                service,
                region_name="us-east-1",
                endpoint_url=server.endpoint,
            )

        yield client_of


def document(*statements: dict[str, Any]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", **each} for each in statements]})


def trust(principal: str = SNOWFLAKE, external_id: str = "ours") -> str:
    condition = {"StringEquals": {"sts:ExternalId": external_id}}
    return document({"Principal": {"AWS": principal}, "Action": "sts:AssumeRole", "Condition": condition})


def policy(bucket: str, key: str, without: str = "") -> str:
    objects = [action for action in OBJECT_ACTIONS if action != without]
    prefix = {"StringLike": {"s3:prefix": "tables/*"}}
    statements = [
        {"Action": objects, "Resource": f"arn:aws:s3:::{bucket}/tables/*"},
        {"Action": "s3:ListBucket", "Resource": f"arn:aws:s3:::{bucket}", "Condition": prefix},
        {"Action": "s3:GetBucketLocation", "Resource": f"arn:aws:s3:::{bucket}"},
        {"Action": ["kms:Decrypt", "kms:GenerateDataKey"], "Resource": key},
    ]
    return document(*(each for each in statements if each["Action"] != without))


def key_policy(principal: str = f"arn:aws:iam::{ACCOUNT}:root", action: str = "kms:*") -> str:
    return document({"Principal": {"AWS": principal}, "Action": action, "Resource": "*"})


@pytest.fixture
def volume(client_of: ClientOf, request: pytest.FixtureRequest) -> Iterator[Volume]:
    iam, s3 = client_of("iam"), client_of("s3")
    bucket = f"volume-{abs(hash(request.node.nodeid))}"
    key = client_of("kms").create_key(Policy=key_policy())["KeyMetadata"]["Arn"]
    role = iam.create_role(RoleName=ROLE, AssumeRolePolicyDocument=trust())["Role"]["Arn"]
    iam.put_role_policy(RoleName=ROLE, PolicyName="volume", PolicyDocument=policy(bucket, key))
    s3.create_bucket(Bucket=bucket)
    yield Volume(
        role_arn=role, external_id="ours", principal_arn=SNOWFLAKE, bucket=bucket, prefix="tables/", kms_key_arn=key
    )
    for name in iam.list_role_policies(RoleName=ROLE)["PolicyNames"]:
        iam.delete_role_policy(RoleName=ROLE, PolicyName=name)
    iam.delete_role(RoleName=ROLE)


def test_a_volume_that_has_everything_can_be_used(volume: Volume, client_of: ClientOf) -> None:
    assert can_use(volume, client_of) == []


@pytest.mark.parametrize("without", [*OBJECT_ACTIONS, "s3:ListBucket", "s3:GetBucketLocation"])
def test_each_action_that_is_taken_away_is_named(volume: Volume, client_of: ClientOf, without: str) -> None:
    document = policy(volume.bucket, str(volume.kms_key_arn), without)
    client_of("iam").put_role_policy(RoleName=ROLE, PolicyName="volume", PolicyDocument=document)
    (refusal,) = can_use(volume, client_of)
    assert f"allows {without} on arn:aws:s3:::{volume.bucket}" in refusal


def test_another_prefix_is_not_covered(volume: Volume, client_of: ClientOf) -> None:
    refusals = can_use(replace(volume, prefix="other"), client_of)
    assert [refusal.split(" allows ")[1].split()[0] for refusal in refusals] == [*OBJECT_ACTIONS, "s3:ListBucket"]


def test_a_role_that_trusts_another_principal_is_refused(volume: Volume, client_of: ClientOf) -> None:
    document = trust("arn:aws:iam::999999999999:user/other")
    client_of("iam").update_assume_role_policy(RoleName=ROLE, PolicyDocument=document)
    assert can_use(volume, client_of) == [f"The trust policy of {volume.role_arn} does not name {SNOWFLAKE}."]


@pytest.mark.parametrize("external_id", ["theirs", None])
def test_another_external_id_is_refused(volume: Volume, client_of: ClientOf, external_id: str | None) -> None:
    (refusal,) = can_use(replace(volume, external_id=external_id), client_of)
    assert f"does not let {SNOWFLAKE} assume it with" in refusal


def test_a_role_or_bucket_or_key_that_is_not_there_is_named(volume: Volume, client_of: ClientOf) -> None:
    nowhere = replace(volume, role_arn=f"arn:aws:iam::{ACCOUNT}:role/none")
    assert can_use(nowhere, client_of) == [f"Role {nowhere.role_arn} does not exist."]
    assert "Bucket volume-none does not exist." in can_use(replace(volume, bucket="volume-none"), client_of)
    key = f"arn:aws:kms:us-east-1:{ACCOUNT}:key/00000000-0000-0000-0000-000000000000"
    assert can_use(replace(volume, kms_key_arn=key), client_of) == [f"Key {key} does not exist."]


def test_a_key_whose_policy_leaves_nothing_to_the_account_is_refused(volume: Volume, client_of: ClientOf) -> None:
    principal = "arn:aws:iam::999999999999:role/another"
    client_of("kms").put_key_policy(
        KeyId=volume.kms_key_arn,
        PolicyName="default",
        Policy=key_policy(principal),
        BypassPolicyLockoutSafetyCheck=True,
    )
    assert [refusal.rpartition(" ")[2] for refusal in can_use(volume, client_of)] == [
        "kms:Decrypt.",
        "kms:GenerateDataKey.",
    ]


def test_a_key_that_names_the_role_needs_no_policy_of_the_role(volume: Volume, client_of: ClientOf) -> None:
    client_of("kms").put_key_policy(
        KeyId=volume.kms_key_arn,
        PolicyName="default",
        Policy=key_policy(volume.role_arn),
        BypassPolicyLockoutSafetyCheck=True,
    )
    document = policy(volume.bucket, "arn:aws:kms:us-east-1:1:key/none")
    client_of("iam").put_role_policy(RoleName=ROLE, PolicyName="volume", PolicyDocument=document)
    assert can_use(volume, client_of) == []


def test_a_disabled_key_is_said_to_be_disabled(volume: Volume, client_of: ClientOf) -> None:
    client_of("kms").disable_key(KeyId=str(volume.kms_key_arn).rpartition("/")[2])
    assert can_use(volume, client_of) == [f"Key {volume.kms_key_arn} is Disabled, not enabled."]


def test_a_bucket_whose_policy_denies_the_role_is_refused(volume: Volume, client_of: ClientOf) -> None:
    denial = {"Effect": "Deny", "Principal": "*", "Action": "s3:Put*", "Resource": f"arn:aws:s3:::{volume.bucket}/*"}
    client_of("s3").put_bucket_policy(Bucket=volume.bucket, Policy=document(denial))
    (refusal,) = can_use(volume, client_of)
    assert refusal.startswith(f"The policy of bucket {volume.bucket} denies s3:PutObject on")


def test_a_bucket_that_demands_tls_can_be_used(volume: Volume, client_of: ClientOf) -> None:
    denial = {
        "Effect": "Deny",
        "Principal": {"AWS": "*"},
        "Action": "s3:*",
        "Resource": [f"arn:aws:s3:::{volume.bucket}", f"arn:aws:s3:::{volume.bucket}/*"],
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }
    client_of("s3").put_bucket_policy(Bucket=volume.bucket, Policy=document(denial))
    assert can_use(volume, client_of) == []
