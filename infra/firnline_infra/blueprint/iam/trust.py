"""Trusts of the engine's role: one statement for each way to run it."""

from firnline_infra.blueprint.iam.statement import PolicyStatement, service_names
from firnline_infra.specification.runtime import Runtime, Trust

AUDIENCE = "sts.amazonaws.com"
ASSUME, TAG_SESSION = "sts:AssumeRole", "sts:TagSession"


def trust(runtime: Runtime, *, account: str, role: str, partition: str = "aws") -> tuple[PolicyStatement, ...]:
    """The trust of the role with the name `role`. Empty if no role is made: static keys belong to a user, and `nobody`
    brings its own credentials."""
    match runtime.trust:
        case Trust.EMR_SERVERLESS:
            return (emr_serverless(account=account),)
        case Trust.EMR_EC2:
            return (emr_ec2(partition=partition),)
        case Trust.EMR_EKS:
            assert runtime.oidc_provider is not None
            assert runtime.namespace is not None
            accounts = emr_service_accounts(account=account, namespace=runtime.namespace, role=role)
            return (emr_eks(account=account, provider=runtime.oidc_provider, subjects=accounts, partition=partition),)
        case Trust.IRSA:
            assert runtime.oidc_provider is not None
            subject = f"system:serviceaccount:{runtime.namespace}:{runtime.service_account}"
            return (irsa(account=account, provider=runtime.oidc_provider, subject=subject, partition=partition),)
        case Trust.POD_IDENTITY:
            assert runtime.cluster is not None
            assert runtime.namespace is not None
            where = {"account": account, "cluster": runtime.cluster, "namespace": runtime.namespace}
            if runtime.service_account is not None:
                return (pod_identity(**where, whose=runtime.service_account),)
            pattern = emr_accounts_pattern(account=account, role=role)
            return (pod_identity(**where, whose=pattern, operator="StringLike"),)
        case _:
            return ()


def emr_serverless(*, account: str) -> PolicyStatement:
    """Jobs of this account's applications: the service may not be talked into using the role for another's."""
    return PolicyStatement(
        sid="EmrServerlessRunsEngine",
        actions=(ASSUME,),
        principals={"Service": "emr-serverless.amazonaws.com"},
        conditions={"StringEquals": {"aws:SourceAccount": account}},
    )


def emr_ec2(*, partition: str = "aws") -> PolicyStatement:
    """The instances of a cluster; who may start some with this role is said by iam:PassRole."""
    *_, service = service_names("ec2.amazonaws.com", partition)
    return PolicyStatement(sid="InstancesRunEngine", actions=(ASSUME,), principals={"Service": service})


def emr_eks(*, account: str, provider: str, subjects: str, partition: str = "aws") -> PolicyStatement:
    """Returns what `aws emr-containers update-role-trust-policy` writes, and the audience besides."""
    return PolicyStatement(
        sid="EmrOnEksRunsEngine",
        actions=("sts:AssumeRoleWithWebIdentity",),
        principals={"Federated": f"arn:{partition}:iam::{account}:oidc-provider/{provider}"},
        conditions={"StringLike": {f"{provider}:sub": subjects}, "StringEquals": {f"{provider}:aud": AUDIENCE}},
    )


def emr_service_accounts(*, account: str, namespace: str, role: str) -> str:
    """The pattern of the service accounts that EMR on EKS makes in a namespace for the jobs of one role: client, driver and
    executor of each framework."""
    return f"system:serviceaccount:{namespace}:{emr_accounts_pattern(account=account, role=role)}"


def emr_accounts_pattern(*, account: str, role: str) -> str:
    """The same, without their namespace."""
    return f"emr-containers-sa-*-*-{account}-{base36(role)}"


def base36(text: str) -> str:
    """A role's name as the names of its service accounts have it: its bytes as one number, in digits and small letters."""
    number, digits = int.from_bytes(text.encode("ascii"), "big"), ""
    while number:
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return digits or "0"


def irsa(*, account: str, provider: str, subject: str, partition: str = "aws") -> PolicyStatement:
    """One service account of one cluster, by its token; `provider` is the cluster's, without https://."""
    return PolicyStatement(
        sid="ServiceAccountRunsEngine",
        actions=("sts:AssumeRoleWithWebIdentity",),
        principals={"Federated": f"arn:{partition}:iam::{account}:oidc-provider/{provider}"},
        conditions={"StringEquals": {f"{provider}:sub": subject, f"{provider}:aud": AUDIENCE}},
    )


def pod_identity(
    *, account: str, cluster: str, namespace: str, whose: str, operator: str = "StringEquals"
) -> PolicyStatement:
    """Pods of a service account, or of those that a pattern names, that one cluster of this account associates with the role.

    EKS puts all three into tags of the session (EKS user guide, "Create IAM role with trust policy required by EKS Pod Identity"
    and "Enable or disable session tags"), unless an association switches them off: then it assumes nothing.
    """
    tags = {"eks-cluster-name": cluster, "kubernetes-namespace": namespace}
    equals = {"aws:SourceAccount": account} | {f"aws:RequestTag/{name}": value for name, value in tags.items()}
    conditions = {"StringEquals": equals}
    conditions.setdefault(operator, {})["aws:RequestTag/kubernetes-service-account"] = whose
    return PolicyStatement(
        sid="PodsRunEngine",
        actions=(ASSUME, TAG_SESSION),
        principals={"Service": "pods.eks.amazonaws.com"},
        conditions=conditions,
    )


def assume_actions(runtime: Runtime) -> tuple[str, ...]:
    """Returns what the engine's session does to assume another role, which both the engine's policy and that role's trust allow.

    The tags of a session of EKS Pod Identity are transitive: they go into the next one, and that is sts:TagSession.
    """
    return (ASSUME, TAG_SESSION) if runtime.trust is Trust.POD_IDENTITY else (ASSUME,)
