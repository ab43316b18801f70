"""Tests of what a run has left is found by its name and removed; what another run is using, and what is nobody's of
ours, stays.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache
from typing import Any

import pytest

from firnline_local.accounts import EmbeddedAccounts
from firnline_local.running import RunningEnvironment
from tests.live.names import Run
from tests.live.questions.aws import EMR_RELEASE
from tests.live.sweep import Left, left_in_snowflake, swept
from tests.live.sweep_aws import left_in_aws

pytestmark = pytest.mark.contract

KILLED, OTHER = Run(0x11111111), Run(0x22222222)
TRUST = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "emr-serverless.amazonaws.com"}}
READ = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}


def policy(statement: dict[str, Any]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


@pytest.fixture
def aws(local_environment: RunningEnvironment) -> Callable[[str], Any]:
    return cache(EmbeddedAccounts(local_environment).aws)


@pytest.fixture
def snowflake(local_environment: RunningEnvironment) -> Iterator[Any]:
    with closing(EmbeddedAccounts(local_environment).snowflake()) as session:
        yield session


def make_in_aws(aws: Callable[[str], Any], name: str) -> None:
    """Leavings of a run that was killed: a bucket with old versions, a role with a policy, a key without an alias, an
    application that is started."""
    s3, iam = aws("s3"), aws("iam")
    s3.create_bucket(Bucket=name)
    s3.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
    for body in (b"first", b"second"):
        s3.put_object(Bucket=name, Key="a", Body=body)
    s3.delete_object(Bucket=name, Key="a")
    iam.create_role(RoleName=f"{name}-engine", AssumeRolePolicyDocument=policy(TRUST))
    iam.put_role_policy(RoleName=f"{name}-engine", PolicyName="reads", PolicyDocument=policy(READ))
    aws("kms").create_key(Tags=[{"TagKey": "firnline:application", "TagValue": name}])
    aws("secretsmanager").create_secret(Name=f"{name}/snowflake/reader", SecretString="a")
    emr = aws("emr-serverless")
    application = emr.create_application(name=name, releaseLabel=EMR_RELEASE, type="SPARK", clientToken=name)
    emr.start_application(applicationId=application["applicationId"])


def test_what_a_killed_run_left_in_aws_goes_and_nothing_else(aws: Callable[[str], Any]) -> None:
    for run in (KILLED, OTHER):
        make_in_aws(aws, run.aws)
    removed, kept = swept(left_in_aws(aws, KILLED.__eq__), print)
    assert kept == []
    assert {each.rpartition(" ")[0] for each in removed} == {
        "bucket",
        "role",
        "key",
        "secret",
        "EMR Serverless application",
    }
    assert list(left_in_aws(aws, KILLED.__eq__)) == []
    removed, kept = swept(left_in_aws(aws, OTHER.__eq__), print)
    assert (len(removed), kept) == (5, [])


def test_what_a_killed_run_left_in_snowflake_goes_and_nothing_else(snowflake: Any) -> None:
    with closing(snowflake.cursor()) as cursor:
        for name in (KILLED.snowflake, OTHER.snowflake, "FIRNLINE_LIVE_TEAM"):
            cursor.execute(f"CREATE DATABASE {name}")
            cursor.execute(f"CREATE ROLE {name}_READER")
            cursor.execute(f"CREATE USER {name}_READER TYPE = SERVICE")
    removed, kept = swept(left_in_snowflake(snowflake, KILLED.__eq__), print)
    assert (len(removed), kept) == (3, [])
    assert len(list(left_in_snowflake(snowflake, lambda _: True))) >= 3
    swept(left_in_snowflake(snowflake, OTHER.__eq__), print)
    with closing(snowflake.cursor()) as cursor:
        cursor.execute("SHOW DATABASES LIKE 'FIRNLINE_LIVE_TEAM'")
        assert len(cursor.fetchall()) == 1
        for kind, name in (("DATABASE", "TEAM"), ("ROLE", "TEAM_READER"), ("USER", "TEAM_READER")):
            cursor.execute(f"DROP {kind} FIRNLINE_LIVE_{name}")


def test_what_can_not_be_removed_is_told_and_the_rest_goes_all_the_same() -> None:
    gone: list[str] = []

    def refuse() -> None:
        raise RuntimeError("denied")

    left = [Left(kind="role", name="a", remove=refuse), Left(kind="role", name="b", remove=lambda: gone.append("b"))]
    removed, kept = swept(iter(left), lambda _: None)
    assert (removed, kept, gone) == (["role b"], ["role a: denied"], ["b"])
