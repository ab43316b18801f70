"""Tests of what making, changing and removing an environment calls in AWS is what its deployer may do, as the embedded
AWS saw it.

What `firnline preview` asks for itself, before and beside Pulumi, is what a previewer may do.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from firnline_infra.accounts import check_aws
from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.blueprint.iam import PolicyStatement, policy_document
from firnline_infra.blueprint.value import Value
from firnline_infra.drift import engine
from firnline_infra.drift.context import DriftContext
from firnline_infra.drift.objects import in_aws
from firnline_infra.environment import Environment
from firnline_infra.keys.file import ReviewedFile
from firnline_infra.kinds.iam import POLICY, USER
from firnline_infra.kinds.keys_and_secrets import SECRET
from firnline_infra.kinds.kind import own_name
from firnline_infra.kinds.streams import CONSUMER, stream_of
from firnline_infra.observe.existing import already_there
from firnline_infra.pulumi_cli.recovery.lookups import aws_lookups
from firnline_infra.render.bootstrap.deployer import (
    STATE_KEY_ARN,
    boundary_arn,
    deployer_statements,
    previewer_statements,
)
from firnline_infra.specification import EnvironmentSpec, parse_spec
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.names import application_of
from firnline_infra.stack.secrets import lost_secrets
from firnline_local.accounts import EmbeddedAccounts
from firnline_local.aws.policy import is_allowed
from firnline_local.provisioning import bootstrap
from firnline_local.running import RunningEnvironment
from tests.iam.callers import UNGUARDED
from tests.iam.request import Access

from .watched import Watched

pytestmark = pytest.mark.contract

ROLE_AND_KEY: dict[str, Any] = {
    "version": 1,
    "name": "rights",
    "durability": "EPHEMERAL",
    "aws": {
        "region": "us-east-1",
        "account": "000000000000",
        "permissions_boundary": "arn:aws:iam::000000000000:policy/firnline-rights-boundary",
        "runtime": {"trust": "emr-ec2"},
    },
    "snowflake": {"account": "FIRNLINE-LOCAL"},
    "streams": [{"name": "rights-a", "shards": 1, "consumers": ["fraud"], "shard_metrics": ["IncomingBytes"]}],
    "pipelines": [{"stream": "rights-a", "database": "RIGHTS", "schema": "RAW"}],
    "ledger": {"migration": True},
    "alarms": {"topics": ["arn:aws:sns:us-east-1:000000000000:oncall"]},
    "metrics": {"dashboard": True},
    "publication": {"ssm_prefix": "/firnline/rights"},
    "tags": {"team": "data"},
}
CHANGED: dict[str, Any] = {
    "streams": [{"name": "rights-a", "retention_hours": 48, "consumers": ["fraud"]}, {"name": "rights-b"}],
    "pipelines": [{"stream": each, "database": "RIGHTS", "schema": "RAW"} for each in ("rights-a", "rights-b")],
    "ledger": {"migration": False},
    "alarms": {"topics": ["arn:aws:sns:us-east-1:000000000000:oncall"], "lag_minutes": 20},
    "tags": {"cost": "1"},
}
STATIC_KEYS: dict[str, Any] = {
    **ROLE_AND_KEY,
    "name": "statics",
    "aws": {**ROLE_AND_KEY["aws"], "key": {"origin": "skip"}, "runtime": {"trust": "static-keys"}},
}
DOCUMENTS = {"role and key": ROLE_AND_KEY, "static keys": STATIC_KEYS}
NOT_SEEN = {
    "the provider looks at all that a bucket, a role or a user can have; the embedded cloud at what we give them": {
        *("s3:GetBucketAcl", "s3:GetBucketLocation", "s3:GetBucketObjectLockConfiguration"),
        *("s3:GetBucketRequestPayment", "s3:ListTagsForResource", "s3:PutObjectTagging"),
        "s3:UntagResource",  # either spelling, by the provider's version
        *("iam:ListMFADevices", "iam:ListSSHPublicKeys", "iam:ListServiceSpecificCredentials"),
        *("iam:ListSigningCertificates", "iam:ListVirtualMFADevices", "iam:DeleteLoginProfile"),
    },
    "a service asks for it in the deployer's name": {
        *("kms:CreateGrant", "kms:Encrypt", "kms:GenerateDataKeyWithoutPlaintext", "kms:ReEncryptFrom"),
        "kms:ReEncryptTo",
    },
    "changes and removals that these two lives do not have": {
        *("dynamodb:UpdateTable", "dynamodb:UpdateTimeToLive", "iam:DeleteAccessKey", "iam:PutRolePermissionsBoundary"),
        *(
            "iam:PutUserPermissionsBoundary",
            "iam:UpdateAssumeRolePolicy",
            "iam:UpdateRole",
            "iam:UpdateRoleDescription",
        ),
        *("kinesis:DecreaseStreamRetentionPeriod", "kinesis:StopStreamEncryption", "kinesis:UpdateMaxRecordSize"),
        *("kinesis:UpdateShardCount", "s3:DeleteObject", "secretsmanager:UpdateSecret"),
    },
}


BY_HAND = (
    '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:ListAllMyBuckets", "Resource": "*"}]}'
)
STRANGERS = {"iam:PutUserPolicy", "iam:DeleteUserPolicy"}  # what somebody else did, for the comparison to find
StatementsOf = Callable[[Blueprint], Sequence[PolicyStatement]]


def specification(document: dict[str, Any]) -> EnvironmentSpec:
    return parse_spec(yaml.safe_dump(document), "rights.yaml")


@dataclass
class Life:
    """Requests to AWS, and the specification under which they came, in each part of an environment's life."""

    parts: list[tuple[EnvironmentSpec, list[Access]]] = field(default_factory=list)

    @classmethod
    def of(cls, watched: Watched, document: dict[str, Any]) -> "Life":
        bare, changed = specification(document), specification({**document, **CHANGED})
        life, first, second = cls(), *(bootstrap(watched.environment, each) for each in (bare, changed))
        watched.accesses()
        for spec, act in (
            (first, lambda: look_up(first, watched.environment)),
            (first, lambda: watched.up(first)),
            (first, lambda: look_up(first, watched.environment)),
            (first, lambda: look_for_rights(first, watched.environment)),
            (second, lambda: watched.up(second)),
            (second, watched.application.destroy),
        ):
            act()
            life.parts.append((spec, watched.accesses()))
        return life


def look_first(spec: EnvironmentSpec, environment: RunningEnvironment) -> None:
    """Asks what `firnline preview` and `up` ask for themselves: whose account it is, what exists, and which secrets are gone."""
    accounts, blueprint = EmbeddedAccounts(environment), blueprint_of(spec)
    check_aws(spec, accounts)
    with closing(accounts.snowflake()) as session:
        list(already_there(blueprint, accounts, session, {}))
    list(lost_secrets(blueprint, accounts, file=ReviewedFile.beside(Path("rights.yaml")), environment=spec.name))


def look_up(spec: EnvironmentSpec, environment: RunningEnvironment) -> None:
    """Asks what `firnline up` asks for itself: the same, and what a killed one was making."""
    look_first(spec, environment)
    accounts, blueprint, arns = EmbeddedAccounts(environment), blueprint_of(spec), Arns(spec)
    inputs: dict[str, Mapping[str, Any]] = {SECRET.token: {"name": own_name(SECRET.all_rows(blueprint)[0])}}
    consumer = next(iter(CONSUMER.instances(blueprint)))
    inputs[CONSUMER.token] = {"streamArn": arns.stream(stream_of(consumer)), "name": own_name(consumer)}
    for policy in POLICY.instances(blueprint):
        inputs[POLICY.token] = policy.arguments
    lookups = aws_lookups(accounts.aws)
    for kind, given in inputs.items():
        lookups[kind](given)


def look_for_rights(spec: EnvironmentSpec, environment: RunningEnvironment) -> None:
    """Asks what `firnline drift` asks AWS besides: rights that somebody gave by hand, and what the engine says of itself."""
    iam, blueprint = environment.client("iam"), blueprint_of(spec)
    accounts = EmbeddedAccounts(environment)
    users = [own_name(each) for each in USER.instances(blueprint)]
    for user in users:
        iam.put_user_policy(UserName=user, PolicyName="extra", PolicyDocument=BY_HAND)
    context = DriftContext(blueprint=blueprint, accounts=accounts, session=None, outputs={})
    checks = (*in_aws(context), *engine.checks(context))
    found = [finding for check in checks for finding in check.run()]
    assert [finding.path for finding in found] == ["inline policy extra"] * len(users)
    for user in users:
        iam.delete_user_policy(UserName=user, PolicyName="extra")


@pytest.fixture(scope="module")
def life(local_environment: RunningEnvironment) -> Callable[[str], Life]:
    @cache
    def once(name: str) -> Life:
        watched = Watched(local_environment)
        try:
            return Life.of(watched, DOCUMENTS[name])
        finally:
            watched.application.destroy()

    return once


@pytest.fixture
def watched(local_environment: RunningEnvironment) -> Iterator[Watched]:
    watched = Watched(local_environment)
    yield watched
    watched.application.destroy()


def missing(
    spec: EnvironmentSpec, accesses: list[Access], statements_of: StatementsOf = deployer_statements
) -> list[str]:
    def resolve(value: Value) -> str:
        return "arn:aws:kms:us-east-1:000000000000:key/state" if value == STATE_KEY_ARN else str(value)

    statements = policy_document(statements_of(blueprint_of(spec)), resolve)["Statement"]
    refused = {
        f"{one.action} on {one.resource} where {dict(one.context)}"
        for one in accesses
        if one.action not in UNGUARDED | STRANGERS
        and not is_allowed(statements, one.action, one.resource, {**one.context, **unseen(spec)})
    }
    return sorted(refused)


def unseen(spec: EnvironmentSpec) -> dict[str, str]:
    """Returns what AWS would know beside the request, and the embedded one does not; the tests below say that it is so."""
    return {
        "aws:RequestedRegion": spec.aws.region,
        "aws:RequestTag/firnline:application": application_of(spec),
        "aws:ResourceTag/firnline:application": application_of(spec),
        "iam:PermissionsBoundary": boundary_arn(Environment.of(spec)),
    }


@pytest.mark.parametrize("name", ["role and key", "static keys"])
def test_the_deployer_may_all_that_an_environment_asks_for_from_its_first_up_to_its_end(
    life: Callable[[str], Life], name: str
) -> None:
    parts = life(name).parts
    assert [missing(spec, accesses) for spec, accesses in parts] == [[]] * len(parts)
    assert all(len(accesses) > 3 for _, accesses in parts)
    assert len(parts[1][1]) > 20


@pytest.mark.parametrize("name", ["role and key", "static keys"])
@pytest.mark.parametrize("statements_of", [deployer_statements, previewer_statements])
def test_both_roles_of_ci_may_all_that_the_commands_look_at_first(
    watched: Watched, name: str, statements_of: StatementsOf
) -> None:
    secret = f"arn:aws:secretsmanager:us-east-1:000000000000:secret:firnline-{DOCUMENTS[name]['name']}/snowflake/ingest-a1B2c3"
    snowflake = {**DOCUMENTS[name]["snowflake"], "ingest": {"secret_arn": secret}}
    spec = bootstrap(watched.environment, specification({**DOCUMENTS[name], "snowflake": snowflake}))
    watched.accesses()
    look_first(spec, watched.environment)
    accesses = watched.accesses()
    asked = {
        "kinesis:DescribeStreamSummary",
        "dynamodb:DescribeTable",
        "s3:ListBucket",
        "secretsmanager:DescribeSecret",
    }
    assert asked <= {access.action for access in accesses}
    assert missing(spec, accesses, statements_of) == []


def test_what_the_deployer_may_is_asked_for_or_known_to_be_asked_for_elsewhere(life: Callable[[str], Life]) -> None:
    seen: set[str] = set()
    declared: set[str] = set()
    for name in DOCUMENTS:
        for spec, accesses in life(name).parts:
            seen |= {access.action for access in accesses}
            declared |= {action for each in deployer_statements(blueprint_of(spec)) for action in each.actions}
    assert declared - seen == set().union(*NOT_SEEN.values())


def test_the_role_is_made_within_the_boundary_that_the_deployer_is_held_to(watched: Watched) -> None:
    spec = bootstrap(watched.environment, specification(ROLE_AND_KEY))
    watched.up(spec)
    iam = watched.environment.client("iam")
    role = iam.get_role(RoleName=blueprint_of(spec).names.engine_role)["Role"]
    assert role["PermissionsBoundary"]["PermissionsBoundaryArn"] == boundary_arn(Environment.of(spec))
