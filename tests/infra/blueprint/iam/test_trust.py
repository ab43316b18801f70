"""Who may be the engine's role."""

from firnline_infra.blueprint.iam import policy_document
from firnline_infra.blueprint.iam.trust import trust
from firnline_infra.specification.aws import Runtime, Trust

ACCOUNT = "123456789012"


def test_emr_serverless_acts_for_this_accounts_applications_only() -> None:
    (statement,) = policy_document(trust(Runtime(trust=Trust.EMR_SERVERLESS), account=ACCOUNT))["Statement"]
    assert statement["Principal"] == {"Service": "emr-serverless.amazonaws.com"}
    assert statement["Action"] == ["sts:AssumeRole"]
    assert statement["Condition"] == {"StringEquals": {"aws:SourceAccount": ACCOUNT}}


def test_the_instances_of_a_cluster_are_ec2s_by_the_name_it_has_in_the_partition() -> None:
    runtime = Runtime(trust=Trust.EMR_EC2)
    names = {
        partition: policy_document(trust(runtime, account=ACCOUNT, partition=partition))["Statement"][0]["Principal"]
        for partition in ("aws", "aws-cn")
    }
    assert names == {"aws": {"Service": "ec2.amazonaws.com"}, "aws-cn": {"Service": "ec2.amazonaws.com.cn"}}


def test_a_service_account_shows_a_token_that_was_made_for_it_and_for_sts() -> None:
    provider = "oidc.eks.eu-central-1.amazonaws.com/id/ABCDEF"
    runtime = Runtime(trust=Trust.IRSA, oidc_provider=provider, namespace="streaming", service_account="firnline")
    (statement,) = policy_document(trust(runtime, account=ACCOUNT, partition="aws-us-gov"))["Statement"]
    assert statement["Action"] == ["sts:AssumeRoleWithWebIdentity"]
    assert statement["Principal"] == {"Federated": f"arn:aws-us-gov:iam::{ACCOUNT}:oidc-provider/{provider}"}
    assert statement["Condition"] == {
        "StringEquals": {
            f"{provider}:sub": "system:serviceaccount:streaming:firnline",
            f"{provider}:aud": "sts.amazonaws.com",
        }
    }


def test_pods_may_tag_their_session() -> None:
    (statement,) = policy_document(trust(Runtime(trust=Trust.POD_IDENTITY), account=ACCOUNT))["Statement"]
    assert statement["Principal"] == {"Service": "pods.eks.amazonaws.com"}
    assert statement["Action"] == ["sts:AssumeRole", "sts:TagSession"]
    assert statement["Condition"] == {"StringEquals": {"aws:SourceAccount": ACCOUNT}}


def test_without_a_role_nobody_is_trusted() -> None:
    assert trust(Runtime(trust=Trust.STATIC_KEYS), account=ACCOUNT) == ()
    assert trust(Runtime(trust=Trust.NOBODY), account=ACCOUNT) == ()
