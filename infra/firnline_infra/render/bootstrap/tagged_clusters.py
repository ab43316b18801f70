"""Rights to make what engines run in on clusters, with the tag by which it is ours from then on (tagged.py)."""

from collections.abc import Iterator

from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.render.bootstrap.engine_run import OURS
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import application_of

OF_EMR_ON_EKS = "emr-containers.amazonaws.com"
LINKED_ROLE = f"aws-service-role/{OF_EMR_ON_EKS}/AWSServiceRoleForAmazonEMRContainers"

OF_EMR = "elasticmapreduce.amazonaws.com"
CLEANUP_ROLE = f"aws-service-role/{OF_EMR}/AWSServiceRoleForEMRCleanup"


def virtual_cluster(spec: EnvironmentSpec, _: Blueprint) -> Iterator[PolicyStatement]:
    """What lets EMR into the EKS cluster is not among these: that is said by whoever keeps the cluster."""
    arns = Arns(spec)
    yield PolicyStatement(
        sid="MakeVirtualCluster",
        actions=("emr-containers:CreateVirtualCluster",),
        resources=("*",),
        conditions={"StringEquals": asked_for(spec)},
    )
    yield tag_new(spec, "TagNewVirtualCluster", "emr-containers:TagResource", arns.virtual_cluster("*"))
    yield PolicyStatement(
        sid="LetEmrOnEksIn",
        actions=("iam:CreateServiceLinkedRole",),
        resources=(arns.role(LINKED_ROLE),),
        conditions={"StringEquals": {"iam:AWSServiceName": OF_EMR_ON_EKS}},
    )


def association(spec: EnvironmentSpec, blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """EKS asks for the right on the cluster, and for the right to hand the role to pods."""
    arns = Arns(spec)
    for cluster in dict.fromkeys(each.cluster for each in blueprint.runtime.associations):
        yield PolicyStatement(
            sid="MakeAssociation",
            actions=("eks:CreatePodIdentityAssociation",),
            resources=(arns.eks_cluster(cluster),),
            conditions={"StringEquals": asked_for(spec)},
        )
        yield tag_new(spec, "TagNewAssociation", "eks:TagResource", arns.pod_association(cluster, "*"))


def machines(spec: EnvironmentSpec, blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """A cluster of EMR on EC2. EMR makes its machines as the service role, which is handed to it."""
    arns, wanted = Arns(spec), blueprint.runtime.cluster
    yield PolicyStatement(
        sid="MakeCluster",
        actions=("elasticmapreduce:RunJobFlow",),
        resources=("*",),
        conditions={"StringEquals": asked_for(spec)},
    )
    yield tag_new(spec, "TagNewCluster", "elasticmapreduce:AddTags", arns.emr_cluster("*"))
    if wanted is not None:
        yield PolicyStatement(
            sid="HandOverServiceRole",
            actions=("iam:PassRole",),
            resources=(arns.role(wanted.service_role),),
            conditions={"StringEquals": {"iam:PassedToService": OF_EMR}},
        )
    yield PolicyStatement(
        sid="LetEmrCleanUp",
        actions=("iam:CreateServiceLinkedRole",),
        resources=(arns.role(CLEANUP_ROLE),),
        conditions={"StringEquals": {"iam:AWSServiceName": OF_EMR}},
    )


def tag_new(spec: EnvironmentSpec, sid: str, action: str, resource: str) -> PolicyStatement:
    """The tag while it is made; of a thing that has another application's, none."""
    return PolicyStatement(
        sid=sid,
        actions=(action,),
        resources=(resource,),
        conditions={
            "StringEquals": asked_for(spec),
            "StringEqualsIfExists": {f"aws:ResourceTag/{OURS}": application_of(spec)},
        },
    )


def asked_for(spec: EnvironmentSpec) -> dict[str, str]:
    return {f"aws:RequestTag/{OURS}": application_of(spec)}
