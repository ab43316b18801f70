"""What a resource lives through that its case alone doesn't show."""

import pytest
from botocore.exceptions import ClientError

from firnline_infra.local.materialise.aws import iam_user, iam_user_policy, s3_bucket_versioning
from firnline_infra.local.materialise.clients import Clients

from .cases import a_bucket, fresh, policy

pytestmark = pytest.mark.contract


def test_a_user_that_is_renamed_and_moved_is_the_same_one_with_its_policies(clients: Clients) -> None:
    before, after = {"name": fresh("user")}, {"name": fresh("user"), "path": "/moved/"}
    made = iam_user.create(before, clients)
    iam_user_policy.create({"user": before["name"], "name": "read", "policy": policy("s3:GetObject")}, clients)
    renamed = iam_user.update(made.id, before, after, clients)
    assert renamed["uniqueId"] == made.properties["uniqueId"]
    assert renamed["arn"] == f"arn:aws:iam::123456789012:user/moved/{after['name']}"
    assert clients.aws("iam").list_user_policies(UserName=after["name"])["PolicyNames"] == ["read"]
    assert iam_user.read(before["name"], {}, clients) is None
    clients.aws("iam").delete_user_policy(UserName=after["name"], PolicyName="read")
    iam_user.delete(made.id, renamed, clients)
    assert iam_user.read(after["name"], {}, clients) is None


def test_versioning_can_be_suspended_and_not_be_disabled_again(clients: Clients) -> None:
    bucket = a_bucket(clients)
    disabled, enabled = (
        {"bucket": bucket, "versioningConfiguration": {"status": each}} for each in ("Disabled", "Enabled")
    )
    made = s3_bucket_versioning.create(disabled, clients)
    assert s3_bucket_versioning.update(made.id, disabled, disabled, clients) == made.properties
    s3_bucket_versioning.update(made.id, disabled, enabled, clients)
    with pytest.raises(ClientError, match="can be Suspended"):
        s3_bucket_versioning.update(made.id, enabled, disabled, clients)
