"""Who may be the engine's role: one statement for each way to run it."""

from firnline_infra.blueprint.iam.statement import PolicyStatement
from firnline_infra.specification.aws import Runtime, Trust

AUDIENCE = "sts.amazonaws.com"


def trust(runtime: Runtime, *, account: str, partition: str = "aws") -> tuple[PolicyStatement, ...]:
    """Empty where no role is made: static keys belong to a user, and `nobody` brings its own credentials."""
    match runtime.trust:
        case Trust.EMR_SERVERLESS:
            return (emr_serverless(account=account),)
        case Trust.EMR_EC2:
            return (emr_ec2(partition=partition),)
        case Trust.IRSA:
            assert runtime.oidc_provider is not None
            subject = f"system:serviceaccount:{runtime.namespace}:{runtime.service_account}"
            return (irsa(account=account, provider=runtime.oidc_provider, subject=subject, partition=partition),)
        case Trust.POD_IDENTITY:
            return (pod_identity(account=account),)
        case _:
            return ()


def emr_serverless(*, account: str) -> PolicyStatement:
    """Jobs of this account's applications: the service may not be talked into using the role for another's."""
    return PolicyStatement(
        sid="EmrServerlessRunsEngine",
        actions=("sts:AssumeRole",),
        principals={"Service": "emr-serverless.amazonaws.com"},
        conditions={"StringEquals": {"aws:SourceAccount": account}},
    )


def emr_ec2(*, partition: str = "aws") -> PolicyStatement:
    """The instances of a cluster; who may start some with this role is said by iam:PassRole."""
    service = "ec2.amazonaws.com.cn" if partition == "aws-cn" else "ec2.amazonaws.com"
    return PolicyStatement(sid="InstancesRunEngine", actions=("sts:AssumeRole",), principals={"Service": service})


def irsa(*, account: str, provider: str, subject: str, partition: str = "aws") -> PolicyStatement:
    """One service account of one cluster, by its token; `provider` is the cluster's, without https://."""
    return PolicyStatement(
        sid="ServiceAccountRunsEngine",
        actions=("sts:AssumeRoleWithWebIdentity",),
        principals={"Federated": f"arn:{partition}:iam::{account}:oidc-provider/{provider}"},
        conditions={"StringEquals": {f"{provider}:sub": subject, f"{provider}:aud": AUDIENCE}},
    )


def pod_identity(*, account: str) -> PolicyStatement:
    """Pods that this account's clusters associate with the role; the association names cluster and service account."""
    return PolicyStatement(
        sid="PodsRunEngine",
        actions=("sts:AssumeRole", "sts:TagSession"),
        principals={"Service": "pods.eks.amazonaws.com"},
        conditions={"StringEquals": {"aws:SourceAccount": account}},
    )
