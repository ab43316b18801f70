import json
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from firnline_infra.accounts.errors import AwsRefused
from firnline_infra.keys.access_key import create_access_key
from firnline_infra.keys.errors import AccessKeyExists, EngineUserMissing, NoAccessKeyHere
from firnline_infra.specification import EnvironmentSpec, load_spec

from .conftest import SPEC, AwsAlone

STATIC = SPEC.replace('"123456789012"', '"123456789012", runtime: {trust: static-keys}')
USER, SECRET = "firnline-dev-engine", "firnline-dev/aws/engine"


@pytest.fixture
def static(spec_file: Path) -> EnvironmentSpec:
    spec_file.write_text(STATIC)
    return load_spec(spec_file)


def keys_of(accounts: AwsAlone) -> list[str]:
    found = accounts.aws("iam").list_access_keys(UserName=USER)["AccessKeyMetadata"]
    return [key["AccessKeyId"] for key in found]


def test_an_access_key_goes_straight_into_a_secret(static: EnvironmentSpec, accounts: AwsAlone) -> None:
    accounts.aws("iam").create_user(UserName=USER)
    made = create_access_key(static, accounts)
    held = json.loads(accounts.aws("secretsmanager").get_secret_value(SecretId=SECRET)["SecretString"])
    assert set(held) == {"aws_access_key_id", "aws_secret_access_key"}
    assert [held["aws_access_key_id"]] == [made.key_id] == keys_of(accounts)
    assert held["aws_secret_access_key"] not in repr(made)
    with pytest.raises(AccessKeyExists):
        create_access_key(static, accounts)
    assert len(keys_of(accounts)) == 1


def test_a_key_whose_secret_half_could_not_be_kept_does_not_live_on(
    static: EnvironmentSpec, accounts: AwsAlone, monkeypatch: pytest.MonkeyPatch
) -> None:
    accounts.aws("iam").create_user(UserName=USER)

    def denied(**_: Any) -> None:
        raise ClientError({"Error": {"Code": "AccessDeniedException", "Message": "no"}}, "PutSecretValue")

    with monkeypatch.context() as patch:
        patch.setattr(accounts.aws("secretsmanager"), "put_secret_value", denied)
        with pytest.raises(AwsRefused):
            create_access_key(static, accounts)
    assert keys_of(accounts) == []
    assert create_access_key(static, accounts).key_id in keys_of(accounts)


def test_what_is_left_of_a_user_that_is_gone_gives_way(static: EnvironmentSpec, accounts: AwsAlone) -> None:
    iam, vault = accounts.aws("iam"), accounts.aws("secretsmanager")
    iam.create_user(UserName=USER)
    iam.delete_access_key(UserName=USER, AccessKeyId=create_access_key(static, accounts).key_id)
    made = create_access_key(static, accounts)
    assert json.loads(vault.get_secret_value(SecretId=SECRET)["SecretString"])["aws_access_key_id"] == made.key_id
    assert keys_of(accounts) == [made.key_id]


def test_a_user_that_was_never_made_is_said_so_and_leaves_no_secret(
    static: EnvironmentSpec, accounts: AwsAlone
) -> None:
    with pytest.raises(EngineUserMissing, match=USER):
        create_access_key(static, accounts)
    assert accounts.aws("secretsmanager").list_secrets()["SecretList"] == []


def test_an_engine_with_a_role_needs_none(spec_file: Path, accounts: AwsAlone) -> None:
    with pytest.raises(NoAccessKeyHere, match="emr-serverless"):
        create_access_key(load_spec(spec_file), accounts)
