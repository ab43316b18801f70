"""Each addition, and that moto still needs it: the day it does not, the second test of a pair fails."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest
from moto.iam.models import IAMBackend, User
from moto.s3.models import FakeDeleteMarker
from moto.s3.responses import S3Response
from moto.secretsmanager.models import SecretsManagerBackend

from firnline_local.aws.moto_additions import dispose

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


def test_a_user_that_is_renamed_keeps_its_tags_and_takes_nobodys_name(client_of: ClientOf) -> None:
    iam = client_of("iam")
    iam.create_user(UserName="first", Tags=[{"Key": "a", "Value": "1"}])
    iam.create_user(UserName="second")
    with pytest.raises(iam.exceptions.EntityAlreadyExistsException):
        iam.update_user(UserName="first", NewUserName="second")
    iam.update_user(UserName="first", NewUserName="third", NewPath="/there/")
    assert iam.list_user_tags(UserName="third")["Tags"] == [{"Key": "a", "Value": "1"}]
    iam.update_user(UserName="third", NewUserName="third", NewPath="/there/")
    assert iam.list_user_tags(UserName="third")["Tags"] == [{"Key": "a", "Value": "1"}]


def test_moto_still_forgets_the_tags_of_a_user_that_is_renamed() -> None:
    backend = IAMBackend("aws", "1")
    backend.create_user("us-east-1", "a", tags=[{"Key": "a", "Value": "1"}])
    inspect.unwrap(IAMBackend.update_user)(backend, "a", None, "b")
    assert backend.tagger.list_tags_for_resource(backend.get_user("b").arn)["Tags"] == []


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


def test_a_secrets_value_is_that_of_the_version_with_the_current_stage(client_of: ClientOf) -> None:
    secrets, secret = client_of("secretsmanager"), {"SecretId": "moved"}
    first = secrets.create_secret(Name="moved", SecretString="first")["VersionId"]
    second = secrets.put_secret_value(**secret, SecretString="second", VersionStages=["AWSPENDING"])["VersionId"]
    assert secrets.get_secret_value(**secret)["SecretString"] == "first"
    moved = {"VersionStage": "AWSCURRENT", "MoveToVersionId": second, "RemoveFromVersionId": first}
    secrets.update_secret_version_stage(**secret, **moved)
    assert secrets.get_secret_value(**secret)["SecretString"] == "second"
    secrets.put_secret_value(**secret, SecretString="third")
    stages = secrets.describe_secret(**secret)["VersionIdsToStages"]
    assert "AWSPREVIOUS" in stages[second]
    assert secrets.get_secret_value(**secret)["SecretString"] == "third"


def test_moto_still_answers_the_version_that_was_current_before() -> None:
    backend = SecretsManagerBackend("us-east-1", "1")
    put = {"secret_binary": None, "client_request_token": None}
    backend._add_secret("a", secret_string="first")
    backend.put_secret_value("a", secret_string="second", **put, version_stages=["AWSPENDING"])
    first, second = backend.secrets["a"].versions
    inspect.unwrap(SecretsManagerBackend.update_secret_version_stage)(backend, "a", "AWSCURRENT", first, second)
    assert backend.secrets["a"].default_version_id == first


def test_a_bucket_has_the_tags_that_it_is_made_with(client_of: ClientOf) -> None:
    tags = [{"Key": "a", "Value": "1"}, {"Key": "b", "Value": ""}]
    s3 = client_of("s3", region="eu-central-1")
    s3.create_bucket(Bucket="tagged", CreateBucketConfiguration={"LocationConstraint": "eu-central-1", "Tags": tags})
    assert s3.get_bucket_tagging(Bucket="tagged")["TagSet"] == tags
    in_default = client_of("s3")
    in_default.create_bucket(Bucket="tagged-too", CreateBucketConfiguration={"Tags": tags})
    assert in_default.get_bucket_tagging(Bucket="tagged-too")["TagSet"] == tags


def test_moto_still_leaves_out_the_tags_that_a_bucket_is_made_with() -> None:
    own = inspect.unwrap(S3Response._bucket_response_put)
    assert "CreateBucketConfiguration" not in inspect.getsource(own)
    assert "Tags" not in inspect.getsource(S3Response._get_location_constraint)


def test_a_bucket_with_marks_of_deletions_is_emptied_after_its_versioning_was_suspended(client_of: ClientOf) -> None:
    s3, bucket = client_of("s3"), {"Bucket": "marked"}
    s3.create_bucket(**bucket)
    for status in ("Enabled", "Suspended"):
        s3.put_bucket_versioning(**bucket, VersioningConfiguration={"Status": status})
        if status == "Enabled":
            s3.put_object(**bucket, Key="a", Body=b"")
            s3.delete_object(**bucket, Key="a")
    listed = s3.list_object_versions(**bucket)
    found = [{"Key": each["Key"], "VersionId": each["VersionId"]} for each in listed["DeleteMarkers"]]
    assert "Errors" not in s3.delete_objects(**bucket, Delete={"Objects": found})


def test_moto_still_has_no_way_to_dispose_of_a_mark_of_a_deletion() -> None:
    assert FakeDeleteMarker.__dict__.get("dispose", dispose) is dispose
