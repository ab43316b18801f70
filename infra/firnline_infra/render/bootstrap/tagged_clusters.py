"""Rights to make what engines run in, with the tag by which it is ours from then on (tagged.py)."""

from collections.abc import Iterator

from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.blueprint.iam.statement import allow, is_service, service_names
from firnline_infra.kinds import Kind, Scope
from firnline_infra.kinds.eks import ASSOCIATION
from firnline_infra.kinds.emr import CLUSTER, SERVERLESS, VIRTUAL_CLUSTER
from firnline_infra.kinds.kind import TAGS
from firnline_infra.render.bootstrap.engine_run import OURS
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import application_of

LINKED_ROLE = {"iam:CreateServiceLinkedRole": "The service makes its role where there is none."}
OF_EMR_SERVERLESS = "ops.emr-serverless.amazonaws.com"
OF_EMR_ON_EKS = "emr-containers.amazonaws.com"
OF_EMR = "elasticmapreduce.amazonaws.com"
SERVERLESS_ROLE = "AWSServiceRoleForAmazonEMRServerless"
CONTAINERS_ROLE = "AWSServiceRoleForAmazonEMRContainers"
CLEANUP_ROLE = "AWSServiceRoleForEMRCleanup"


def application(spec: EnvironmentSpec, _: Blueprint) -> Iterator[PolicyStatement]:
    """With a network, EMR Serverless asks for the right to make interfaces there in the name of whoever makes it."""
    arns = Arns(spec)
    yield _make(spec, "MakeApplication", SERVERLESS)
    yield tag_new(spec, "TagNewApplication", "emr-serverless:TagResource", arns.serverless_application("*"))
    yield allow(
        "ReachNetwork",
        {"ec2:CreateNetworkInterface": "EMR Serverless looks whether it may join the subnets."},
        resources=tuple(arns.network(kind) for kind in ("network-interface", "subnet", "security-group")),
        conditions={"StringEquals": {"aws:CalledViaLast": OF_EMR_SERVERLESS}},
    )
    yield _linked_role(spec, "LetEmrServerlessIn", SERVERLESS_ROLE, OF_EMR_SERVERLESS)


def virtual_cluster(spec: EnvironmentSpec, _: Blueprint) -> Iterator[PolicyStatement]:
    """What lets EMR into the EKS cluster is not among these: that is said by whoever keeps the cluster."""
    yield _make(spec, "MakeVirtualCluster", VIRTUAL_CLUSTER)
    yield tag_new(spec, "TagNewVirtualCluster", "emr-containers:TagResource", Arns(spec).virtual_cluster("*"))
    yield _linked_role(spec, "LetEmrOnEksIn", CONTAINERS_ROLE, OF_EMR_ON_EKS)


def association(spec: EnvironmentSpec, blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """EKS asks for the right on the cluster, and for the right to hand the role to pods."""
    arns = Arns(spec)
    for cluster in dict.fromkeys(each.cluster for each in blueprint.runtime.associations):
        yield allow(
            "MakeAssociation",
            ASSOCIATION.actions(Scope.PARENT),
            resources=(arns.eks_cluster(cluster),),
            conditions={"StringEquals": asked_for(spec)},
        )
        yield tag_new(spec, "TagNewAssociation", "eks:TagResource", arns.pod_association(cluster, "*"))


def machines(spec: EnvironmentSpec, blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """A cluster of EMR on EC2. EMR makes its machines as the service role, which is handed to it."""
    arns, wanted = Arns(spec), blueprint.runtime.cluster
    yield _make(spec, "MakeCluster", CLUSTER)
    yield tag_new(spec, "TagNewCluster", "elasticmapreduce:AddTags", arns.emr_cluster("*"))
    if wanted is not None:
        yield allow(
            "HandOverServiceRole",
            {"iam:PassRole": "EMR makes the machines as that role."},
            resources=(arns.role(wanted.service_role),),
            conditions=is_service("iam:PassedToService", OF_EMR, spec.aws.partition),
        )
    yield _linked_role(spec, "LetEmrCleanUp", CLEANUP_ROLE, OF_EMR)


def tag_new(spec: EnvironmentSpec, sid: str, action: str, resource: str) -> PolicyStatement:
    """The tag while it is made; of a thing that has another application's, none."""
    ours = {f"aws:ResourceTag/{OURS}": application_of(spec)}
    conditions = {"StringEquals": asked_for(spec), "StringEqualsIfExists": ours}
    return allow(sid, {action: TAGS}, resources=(resource,), conditions=conditions)


def asked_for(spec: EnvironmentSpec) -> dict[str, str]:
    return {f"aws:RequestTag/{OURS}": application_of(spec)}


def _make(spec: EnvironmentSpec, sid: str, kind: Kind) -> PolicyStatement:
    return allow(sid, kind.actions(Scope.NEW_TAG), resources=("*",), conditions={"StringEquals": asked_for(spec)})


def _linked_role(spec: EnvironmentSpec, sid: str, role: str, service: str) -> PolicyStatement:
    """It lies under the service's name."""
    partition = spec.aws.partition
    roles = tuple(Arns(spec).role(f"aws-service-role/{name}/{role}") for name in service_names(service, partition))
    return allow(sid, LINKED_ROLE, resources=roles, conditions=is_service("iam:AWSServiceName", service, partition))
