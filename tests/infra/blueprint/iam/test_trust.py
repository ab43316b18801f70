"""Tests of who may be the engine's role."""

import pytest

from firnline_infra.blueprint.iam import policy_document
from firnline_infra.blueprint.iam.statement import is_service, service_names
from firnline_infra.blueprint.iam.trust import base36, emr_accounts_pattern, pod_identity, trust
from firnline_infra.specification.runtime import Runtime, Trust

ACCOUNT = "123456789012"
ROLE = "firnline-dev-engine"


def test_the_instances_of_a_cluster_are_ec2s_by_the_name_it_has_in_the_partition() -> None:
    runtime = Runtime(trust=Trust.EMR_EC2)
    names = {
        partition: policy_document(trust(runtime, account=ACCOUNT, role=ROLE, partition=partition))["Statement"][0][
            "Principal"
        ]
        for partition in ("aws", "aws-cn")
    }
    assert names == {"aws": {"Service": "ec2.amazonaws.com"}, "aws-cn": {"Service": "ec2.amazonaws.com.cn"}}


def test_in_china_emr_and_ec2_are_known_by_either_name() -> None:
    """No page says which of the two a request has; AWS's own policies take both."""
    both = ("ec2.amazonaws.com", "ec2.amazonaws.com.cn")
    assert service_names("ec2.amazonaws.com", "aws-cn") == both
    assert is_service("iam:PassedToService", "ec2.amazonaws.com", "aws-cn") == {
        "StringEquals": {"iam:PassedToService": both}
    }
    for service, partition in (("ec2.amazonaws.com", "aws-us-gov"), ("emr-serverless.amazonaws.com", "aws-cn")):
        assert is_service("iam:PassedToService", service, partition) == {
            "StringEquals": {"iam:PassedToService": service}
        }


def test_a_service_account_shows_a_token_that_was_made_for_it_and_for_sts() -> None:
    provider = "oidc.eks.eu-central-1.amazonaws.com/id/ABCDEF"
    runtime = Runtime(trust=Trust.IRSA, oidc_provider=provider, namespace="streaming", service_account="firnline")
    (statement,) = policy_document(trust(runtime, account=ACCOUNT, role=ROLE, partition="aws-us-gov"))["Statement"]
    assert statement["Action"] == ["sts:AssumeRoleWithWebIdentity"]
    assert statement["Principal"] == {"Federated": f"arn:aws-us-gov:iam::{ACCOUNT}:oidc-provider/{provider}"}
    assert statement["Condition"] == {
        "StringEquals": {
            f"{provider}:sub": "system:serviceaccount:streaming:firnline",
            f"{provider}:aud": "sts.amazonaws.com",
        }
    }


def test_emr_on_eks_runs_jobs_as_service_accounts_that_it_names_after_the_role() -> None:
    provider = "oidc.eks.eu-central-1.amazonaws.com/id/ABCDEF"
    runtime = Runtime(trust=Trust.EMR_EKS, oidc_provider=provider, namespace="streaming")
    (statement,) = policy_document(trust(runtime, account=ACCOUNT, role=ROLE))["Statement"]
    accounts = f"system:serviceaccount:streaming:emr-containers-sa-*-*-{ACCOUNT}-{base36(ROLE)}"
    assert statement["Action"] == ["sts:AssumeRoleWithWebIdentity"]
    assert statement["Condition"] == {
        "StringLike": {f"{provider}:sub": accounts},
        "StringEquals": {f"{provider}:aud": "sts.amazonaws.com"},
    }


@pytest.mark.parametrize("name", ["a", "firnline-dev-engine", "Engine_1+=,.@-", "x" * 64])
def test_base_36_is_pythons(name: str) -> None:
    assert int(base36(name), 36).to_bytes(len(name), "big").decode() == name
    assert base36(name) == base36(name).lower()


def test_pods_of_emr_on_eks_are_those_of_the_accounts_that_it_makes_for_the_role() -> None:
    statement = pod_identity(account=ACCOUNT, cluster="c", namespace="n", whose="emr-*", operator="StringLike")
    assert statement.conditions["StringLike"] == {"aws:RequestTag/kubernetes-service-account": "emr-*"}
    assert emr_accounts_pattern(account=ACCOUNT, role="a") == f"emr-containers-sa-*-*-{ACCOUNT}-{base36('a')}"


def test_without_a_role_nobody_is_trusted() -> None:
    assert trust(Runtime(trust=Trust.STATIC_KEYS), account=ACCOUNT, role=ROLE) == ()
    assert trust(Runtime(trust=Trust.NOBODY), account=ACCOUNT, role=ROLE) == ()
