"""Tests of what a resource lives through that its case alone doesn't show."""

import json
from itertools import pairwise

import pytest
from botocore.exceptions import ClientError

from firnline_local.providers.aws import iam, s3, secrets
from firnline_local.providers.clients import Clients

from .cases import a_bucket, a_policy, a_role, a_user, fresh, policy

pytestmark = pytest.mark.contract


def test_a_user_that_is_renamed_and_moved_is_the_same_one_with_its_policies(clients: Clients) -> None:
    before, after = {"name": fresh("user")}, {"name": fresh("user"), "path": "/moved/"}
    made = iam.USER.create(before, clients)
    read = a_policy(clients)
    iam.USER_POLICY_ATTACHMENT.create({"user": before["name"], "policyArn": read}, clients)
    renamed = iam.USER.update(made.id, before, after, clients)
    assert renamed["uniqueId"] == made.properties["uniqueId"]
    assert renamed["arn"] == f"arn:aws:iam::123456789012:user/moved/{after['name']}"
    attached = f"{after['name']}/{read}"
    assert iam.USER_POLICY_ATTACHMENT.read(attached, {}, clients) is not None
    assert iam.USER.read(before["name"], {}, clients) is None
    iam.USER_POLICY_ATTACHMENT.delete(attached, {}, clients)
    iam.USER.delete(made.id, renamed, clients)
    assert iam.USER.read(after["name"], {}, clients) is None


def test_of_a_policys_versions_the_five_newest_stay_and_the_last_one_counts(clients: Clients) -> None:
    made = a_policy(clients)
    documents = [policy(f"kinesis:{action}") for action in ("A", "B", "C", "D", "E", "F")]
    for before, after in pairwise([policy("kinesis:GetRecords"), *documents]):
        found = iam.POLICY.update(made, {"policy": before}, {"policy": after}, clients)
        assert found["policy"] == after
    versions = clients.aws("iam").list_policy_versions(PolicyArn=made)["Versions"]
    assert {each["VersionId"]: each["IsDefaultVersion"] for each in versions} == {
        **dict.fromkeys(("v3", "v4", "v5", "v6"), False),
        "v7": True,
    }
    iam.POLICY.delete(made, {}, clients)
    assert iam.POLICY.read(made, {}, clients) is None


def test_a_policy_that_was_set_back_to_an_older_version_has_drifted(clients: Clients) -> None:
    made, old, new = a_policy(clients), policy("kinesis:GetRecords"), policy("kinesis:PutRecord")
    state = iam.POLICY.update(made, {"policy": old}, {"policy": new}, clients)
    clients.aws("iam").set_default_policy_version(PolicyArn=made, VersionId="v1")
    found = iam.POLICY.read(made, state, clients)
    assert found is not None
    assert json.loads(found["policy"]) == json.loads(old)


def test_a_policy_that_somebody_has_is_not_deleted(clients: Clients) -> None:
    user, made = a_user(clients), a_policy(clients)
    iam.USER_POLICY_ATTACHMENT.create({"user": user, "policyArn": made}, clients)
    assert (iam.POLICY.read(made, {}, clients) or {})["attachmentCount"] == 1
    with pytest.raises(ClientError, match="DeleteConflict"):
        iam.POLICY.delete(made, {}, clients)
    iam.USER_POLICY_ATTACHMENT.delete(f"{user}/{made}", {}, clients)
    iam.POLICY.delete(made, {}, clients)
    assert iam.POLICY.read(made, {}, clients) is None


def test_an_instance_profile_has_one_role_and_that_role_can_t_go(clients: Clients) -> None:
    first, second = a_role(clients), a_role(clients)
    before = {"name": fresh("profile"), "role": first}
    made = iam.INSTANCE_PROFILE.create(before, clients)
    with pytest.raises(ClientError, match="LimitExceeded"):
        clients.aws("iam").add_role_to_instance_profile(InstanceProfileName=made.id, RoleName=second)
    found = iam.INSTANCE_PROFILE.update(made.id, before, {**before, "role": second}, clients)
    assert (found["role"], found["uniqueId"]) == (second, made.properties["uniqueId"])
    with pytest.raises(ClientError, match="DeleteConflict"):
        clients.aws("iam").delete_role(RoleName=second)
    clients.aws("iam").delete_role(RoleName=first)
    iam.INSTANCE_PROFILE.delete(made.id, found, clients)
    clients.aws("iam").delete_role(RoleName=second)


def test_versioning_can_be_suspended_and_not_be_disabled_again(clients: Clients) -> None:
    bucket = a_bucket(clients)
    disabled, enabled = (
        {"bucket": bucket, "versioningConfiguration": {"status": each}} for each in ("Disabled", "Enabled")
    )
    made = s3.VERSIONING.create(disabled, clients)
    assert s3.VERSIONING.update(made.id, disabled, disabled, clients) == made.properties
    s3.VERSIONING.update(made.id, disabled, enabled, clients)
    with pytest.raises(ClientError, match="can be Suspended"):
        s3.VERSIONING.update(made.id, enabled, disabled, clients)


@pytest.mark.parametrize(("window", "is_imported", "is_free"), [(0, False, True), (7, False, False), (7, True, True)])
def test_the_name_of_a_deleted_secret_is_free_where_nothing_was_to_be_had_back(
    clients: Clients, window: int, is_imported: bool, is_free: bool
) -> None:
    """The provider knows no window of a secret that is imported, and deletes it at once."""
    inputs = {"name": fresh("secret"), "recoveryWindowInDays": window}
    made = secrets.SECRET.create(inputs, clients)
    state = secrets.SECRET.read(made.id, {} if is_imported else made.properties, clients)
    assert state is not None
    secrets.SECRET.delete(made.id, state, clients)
    if is_free:
        assert secrets.SECRET.create(inputs, clients).id != made.id
    else:
        with pytest.raises(ClientError, match="scheduled for deletion"):
            secrets.SECRET.create(inputs, clients)


def test_an_object_whose_content_alone_was_changed_has_another_etag_and_has_not_drifted(clients: Clients) -> None:
    """The stock provider never reads it."""
    inputs = {"bucket": a_bucket(clients), "key": "configuration.json", "content": "ours", "contentType": "text/plain"}
    made = s3.OBJECT.create(inputs, clients)
    place = {"Bucket": inputs["bucket"], "Key": inputs["key"]}
    clients.aws("s3").put_object(**place, Body=b"somebody's", ContentType="text/plain")
    found = s3.OBJECT.read(made.id, made.properties, clients)
    assert found is not None
    differing = {name for name in {*found, *made.properties} if found.get(name) != made.properties.get(name)}
    assert differing == {"etag"}
    imported = s3.OBJECT.read(made.id, {}, clients)
    assert imported is not None
    assert "content" not in imported
