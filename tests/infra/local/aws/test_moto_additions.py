"""Each addition, and that moto still needs it: the day it does not, the second test of a pair fails."""

from collections.abc import Callable
from typing import Any

import pytest
from moto.iam.models import User
from moto.kms.models import Key

pytestmark = pytest.mark.contract

ClientOf = Callable[..., Any]
READ_ONLY = "arn:aws:iam::aws:policy/ReadOnlyAccess"


def test_a_user_has_a_permissions_boundary(client_of: ClientOf) -> None:
    iam, user = client_of("iam"), {"UserName": "bounded"}

    def boundary() -> Any:
        return iam.get_user(**user)["User"].get("PermissionsBoundary", {}).get("PermissionsBoundaryArn")

    iam.create_user(**user, PermissionsBoundary=READ_ONLY)
    assert boundary() == READ_ONLY
    iam.delete_user_permissions_boundary(**user)
    assert boundary() is None
    iam.put_user_permissions_boundary(**user, PermissionsBoundary=READ_ONLY)
    assert boundary() == READ_ONLY


def test_moto_still_knows_no_boundary_of_users() -> None:
    assert not hasattr(User("1", "us-east-1", "a"), "permissions_boundary")


def test_the_period_of_a_keys_rotation_is_kept(client_of: ClientOf) -> None:
    kms = client_of("kms")
    key = {"KeyId": kms.create_key()["KeyMetadata"]["KeyId"]}
    assert kms.get_key_rotation_status(**key)["KeyRotationEnabled"] is False
    kms.enable_key_rotation(**key)
    assert kms.get_key_rotation_status(**key)["RotationPeriodInDays"] == 365
    kms.enable_key_rotation(**key, RotationPeriodInDays=90)
    assert kms.get_key_rotation_status(**key)["RotationPeriodInDays"] == 90


def test_moto_still_knows_no_period() -> None:
    key = Key("", "ENCRYPT_DECRYPT", "SYMMETRIC_DEFAULT", "", "1", "us-east-1")
    assert not any("period" in name for name in vars(key))


def test_the_encryption_of_a_table_can_be_changed(client_of: ClientOf) -> None:
    dynamodb, table = client_of("dynamodb"), {"TableName": "re-encrypted"}
    dynamodb.create_table(
        **table,
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    key = client_of("kms").create_key()["KeyMetadata"]["Arn"]

    def encryption() -> Any:
        return dynamodb.describe_table(**table)["Table"].get("SSEDescription", {}).get("KMSMasterKeyArn")

    dynamodb.update_table(**table, SSESpecification={"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": key})
    assert encryption() == key
    dynamodb.update_table(**table, SSESpecification={"Enabled": True, "SSEType": "KMS"})
    assert encryption() not in (None, key)
    dynamodb.update_table(**table, SSESpecification={"Enabled": False})
    assert encryption() is None
