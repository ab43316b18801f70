"""What a resource lives through that its case alone doesn't show."""

import json
from itertools import pairwise

import pytest
from botocore.exceptions import ClientError

from firnline_local.materialise.aws import (
    iam_instance_profile,
    iam_policy,
    iam_user,
    iam_user_policy_attachment,
    secretsmanager_secret,
)
from firnline_local.materialise.aws.s3_bucket_settings import VERSIONING
from firnline_local.materialise.clients import Clients

from .cases import a_bucket, a_policy, a_role, a_user, fresh, policy

pytestmark = pytest.mark.contract


def test_a_user_that_is_renamed_and_moved_is_the_same_one_with_its_policies(clients: Clients) -> None:
    before, after = {"name": fresh("user")}, {"name": fresh("user"), "path": "/moved/"}
    made = iam_user.create(before, clients)
    read = a_policy(clients)
    iam_user_policy_attachment.create({"user": before["name"], "policyArn": read}, clients)
    renamed = iam_user.update(made.id, before, after, clients)
    assert renamed["uniqueId"] == made.properties["uniqueId"]
    assert renamed["arn"] == f"arn:aws:iam::123456789012:user/moved/{after['name']}"
    attached = f"{after['name']}/{read}"
    assert iam_user_policy_attachment.read(attached, {}, clients) is not None
    assert iam_user.read(before["name"], {}, clients) is None
    iam_user_policy_attachment.delete(attached, {}, clients)
    iam_user.delete(made.id, renamed, clients)
    assert iam_user.read(after["name"], {}, clients) is None


def test_of_a_policys_versions_the_five_newest_stay_and_the_last_one_counts(clients: Clients) -> None:
    made = a_policy(clients)
    documents = [policy(f"kinesis:{action}") for action in ("A", "B", "C", "D", "E", "F")]
    for before, after in pairwise([policy("kinesis:GetRecords"), *documents]):
        found = iam_policy.update(made, {"policy": before}, {"policy": after}, clients)
        assert found["policy"] == after
    versions = clients.aws("iam").list_policy_versions(PolicyArn=made)["Versions"]
    assert {each["VersionId"]: each["IsDefaultVersion"] for each in versions} == {
        **dict.fromkeys(("v3", "v4", "v5", "v6"), False),
        "v7": True,
    }
    iam_policy.delete(made, {}, clients)
    assert iam_policy.read(made, {}, clients) is None


def test_a_policy_that_was_set_back_to_an_older_version_has_drifted(clients: Clients) -> None:
    made, old, new = a_policy(clients), policy("kinesis:GetRecords"), policy("kinesis:PutRecord")
    state = iam_policy.update(made, {"policy": old}, {"policy": new}, clients)
    clients.aws("iam").set_default_policy_version(PolicyArn=made, VersionId="v1")
    found = iam_policy.read(made, state, clients)
    assert found is not None
    assert json.loads(found["policy"]) == json.loads(old)


def test_a_policy_that_somebody_has_is_not_deleted(clients: Clients) -> None:
    user, made = a_user(clients), a_policy(clients)
    iam_user_policy_attachment.create({"user": user, "policyArn": made}, clients)
    assert (iam_policy.read(made, {}, clients) or {})["attachmentCount"] == 1
    with pytest.raises(ClientError, match="DeleteConflict"):
        iam_policy.delete(made, {}, clients)
    iam_user_policy_attachment.delete(f"{user}/{made}", {}, clients)
    iam_policy.delete(made, {}, clients)
    assert iam_policy.read(made, {}, clients) is None


def test_an_instance_profile_has_one_role_and_that_role_can_t_go(clients: Clients) -> None:
    first, second = a_role(clients), a_role(clients)
    before = {"name": fresh("profile"), "role": first}
    made = iam_instance_profile.create(before, clients)
    with pytest.raises(ClientError, match="LimitExceeded"):
        clients.aws("iam").add_role_to_instance_profile(InstanceProfileName=made.id, RoleName=second)
    found = iam_instance_profile.update(made.id, before, {**before, "role": second}, clients)
    assert (found["role"], found["uniqueId"]) == (second, made.properties["uniqueId"])
    with pytest.raises(ClientError, match="DeleteConflict"):
        clients.aws("iam").delete_role(RoleName=second)
    clients.aws("iam").delete_role(RoleName=first)
    iam_instance_profile.delete(made.id, found, clients)
    clients.aws("iam").delete_role(RoleName=second)


def test_versioning_can_be_suspended_and_not_be_disabled_again(clients: Clients) -> None:
    bucket = a_bucket(clients)
    disabled, enabled = (
        {"bucket": bucket, "versioningConfiguration": {"status": each}} for each in ("Disabled", "Enabled")
    )
    made = VERSIONING.create(disabled, clients)
    assert VERSIONING.update(made.id, disabled, disabled, clients) == made.properties
    VERSIONING.update(made.id, disabled, enabled, clients)
    with pytest.raises(ClientError, match="can be Suspended"):
        VERSIONING.update(made.id, enabled, disabled, clients)


@pytest.mark.parametrize(("window", "is_imported", "is_free"), [(0, False, True), (7, False, False), (7, True, True)])
def test_the_name_of_a_deleted_secret_is_free_where_nothing_was_to_be_had_back(
    clients: Clients, window: int, is_imported: bool, is_free: bool
) -> None:
    """Of a secret that is imported the provider knows no window, and deletes it at once."""
    inputs = {"name": fresh("secret"), "recoveryWindowInDays": window}
    made = secretsmanager_secret.create(inputs, clients)
    state = secretsmanager_secret.read(made.id, {} if is_imported else made.properties, clients)
    assert state is not None
    secretsmanager_secret.delete(made.id, state, clients)
    if is_free:
        assert secretsmanager_secret.create(inputs, clients).id != made.id
    else:
        with pytest.raises(ClientError, match="scheduled for deletion"):
            secretsmanager_secret.create(inputs, clients)
