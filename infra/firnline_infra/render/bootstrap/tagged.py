"""Rights on what has an id of AWS's making: whose it is, its tag says. It gets the tag while it is made.

What exists without our tag can't be changed by these. A security group can't be taken either: EC2 tells a tag that is given at
the creation from one that is given later. EMR Serverless does not, so an application that has no tag of ours could be given
one (docs/permissions.md says what that means).
"""

from collections.abc import Callable, Iterator

from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.blueprint.iam import Conditions, PolicyStatement
from firnline_infra.blueprint.iam.redshift import SERVICES
from firnline_infra.blueprint.iam.statement import allow, is_service, service_names
from firnline_infra.environment import Environment
from firnline_infra.kinds import Kind, Scope
from firnline_infra.kinds.eks import ASSOCIATION
from firnline_infra.kinds.emr import CLUSTER, SERVERLESS, VIRTUAL_CLUSTER
from firnline_infra.kinds.kind import TAGS
from firnline_infra.kinds.network import SECURITY_GROUP, VPC_ENDPOINT
from firnline_infra.kinds.redshift import NAMESPACE, WORKGROUP
from firnline_infra.render.bootstrap.engine_run import OURS
from firnline_infra.render.bootstrap.redshift import look_at_network, made_with

LINKED_ROLE = {"iam:CreateServiceLinkedRole": "The service creates its role if there is none."}
OF_EMR_SERVERLESS = "ops.emr-serverless.amazonaws.com"
OF_EMR_ON_EKS = "emr-containers.amazonaws.com"
OF_EMR = "elasticmapreduce.amazonaws.com"
OF_EC2 = "ec2.amazonaws.com"
SERVERLESS_ROLE = "AWSServiceRoleForAmazonEMRServerless"
CONTAINERS_ROLE = "AWSServiceRoleForAmazonEMRContainers"
CLEANUP_ROLE = "AWSServiceRoleForEMRCleanup"
HOSTED_ZONES = "arn:{partition}:route53:::hostedzone/*"
CHANGING = {
    **VPC_ENDPOINT.actions(Scope.PARENT),
    "ec2:ModifyVpcEndpoint": VPC_ENDPOINT.actions()["ec2:ModifyVpcEndpoint"],
}

FINDING = {
    SERVERLESS: ("FindApplication", {"emr-serverless:ListApplications": "A name may be several applications'."}),
    VIRTUAL_CLUSTER: (
        "FindVirtualCluster",
        {"emr-containers:ListVirtualClusters": "Which ones there are, and of which namespaces."},
    ),
    CLUSTER: ("FindCluster", {"elasticmapreduce:ListClusters": "A name may be several clusters'."}),
}
"""After a killed `up`, the one that it was making is found by its tags."""
FIND_ASSOCIATION = {"eks:ListPodIdentityAssociations": "Which service accounts have one."}
"""Before an `up`, whether another's is in the way; after a killed one, what it was making."""


def statements_by_tag(
    blueprint: Blueprint, kind: Kind, arns: tuple[str, ...], *, reading: bool
) -> Iterator[PolicyStatement]:
    if not reading:
        yield from MAKING[kind](blueprint)
    if own := kind.actions(Scope.OWN, reading=reading):
        yield allow(
            f"Own{kind.type_name}", own, resources=arns, conditions={"StringEquals": _ours(blueprint.environment)}
        )


def finding(blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """Yields the rights to list what is known by its tag."""
    environment = blueprint.environment
    for kind, (sid, rights) in FINDING.items():
        if kind.instance(blueprint) is not None:
            yield allow(sid, rights, resources=("*",), conditions=in_region(environment))
    if clusters := clusters_of_associations(blueprint):
        on = tuple(environment.arns.eks_cluster(cluster) for cluster in clusters)
        yield allow("FindAssociation", FIND_ASSOCIATION, resources=on)


def in_region(environment: Environment) -> Conditions:
    return {"StringEquals": {"aws:RequestedRegion": environment.aws.region}}


def _application(blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """With a network, EMR Serverless asks for the right to make interfaces there in the name of whoever makes it."""
    environment = blueprint.environment
    arns = environment.arns
    yield _make(environment, "MakeApplication", SERVERLESS)
    yield _tag_new(environment, "TagNewApplication", "emr-serverless:TagResource", arns.serverless_application("*"))
    yield allow(
        "ReachNetwork",
        {"ec2:CreateNetworkInterface": "EMR Serverless looks whether it may join the subnets."},
        resources=tuple(arns.network(kind) for kind in ("network-interface", "subnet", "security-group")),
        conditions={"StringEquals": {"aws:CalledViaLast": OF_EMR_SERVERLESS}},
    )
    yield _linked_role(environment, "LetEmrServerlessIn", SERVERLESS_ROLE, OF_EMR_SERVERLESS)


def _virtual_cluster(blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """Yields a virtual cluster's statements. What lets EMR into the EKS cluster is not among these: its keeper has that."""
    environment = blueprint.environment
    yield _make(environment, "MakeVirtualCluster", VIRTUAL_CLUSTER)
    yield _tag_new(
        environment, "TagNewVirtualCluster", "emr-containers:TagResource", environment.arns.virtual_cluster("*")
    )
    yield _linked_role(environment, "LetEmrOnEksIn", CONTAINERS_ROLE, OF_EMR_ON_EKS)


def clusters_of_associations(blueprint: Blueprint) -> tuple[str, ...]:
    """Returns the names of the EKS clusters that the environment has associations in."""
    return tuple(dict.fromkeys(str(row.arguments["cluster_name"]) for row in ASSOCIATION.instances(blueprint)))


def _association(blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """EKS asks for the right on the cluster, and for the right to hand the role to pods."""
    environment = blueprint.environment
    arns, making = environment.arns, ASSOCIATION.actions(Scope.PARENT)
    for cluster in clusters_of_associations(blueprint):
        on = (arns.eks_cluster(cluster),)
        yield allow("MakeAssociation", making, resources=on, conditions={"StringEquals": _asked_for(environment)})
        yield _tag_new(environment, "TagNewAssociation", "eks:TagResource", arns.pod_association(cluster, "*"))


def _machines(blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """A cluster of EMR on EC2. EMR makes its machines as the service role, which is handed to it."""
    environment = blueprint.environment
    arns, wanted = environment.arns, CLUSTER.instance(blueprint)
    yield _make(environment, "MakeCluster", CLUSTER)
    yield _tag_new(environment, "TagNewCluster", "elasticmapreduce:AddTags", arns.emr_cluster("*"))
    if wanted is not None:
        yield allow(
            "HandOverServiceRole",
            {"iam:PassRole": "EMR makes the machines as that role."},
            resources=(arns.role(wanted.arguments["service_role"]),),
            conditions=is_service("iam:PassedToService", OF_EMR, environment.aws.partition),
        )
    yield _linked_role(environment, "LetEmrCleanUp", CLEANUP_ROLE, OF_EMR)


def _namespace(blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """Redshift makes the administrator's secret in the name of who makes the namespace, who can't read it."""
    environment = blueprint.environment
    arns = environment.arns
    yield _make(environment, "MakeNamespace", NAMESPACE)
    yield _tag_new(environment, "TagNewNamespace", "redshift-serverless:TagResource", arns.redshift_namespace("*"))
    yield from made_with(arns, blueprint, service=SERVICES[1])


def _workgroup(blueprint: Blueprint) -> Iterator[PolicyStatement]:
    environment = blueprint.environment
    yield _make(environment, "MakeWorkgroup", WORKGROUP)
    yield _tag_new(environment, "TagNewWorkgroup", "redshift-serverless:TagResource", environment.arns.workgroup("*"))
    yield look_at_network(environment)


def _security_group(blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """EC2 asks for the right on the group that comes to be, and on its VPC."""
    environment = blueprint.environment
    arns, making = environment.arns, SECURITY_GROUP.actions(Scope.PARENT)
    groups = (arns.security_group("*"),)
    yield allow("MakeSecurityGroup", making, resources=groups, conditions={"StringEquals": _asked_for(environment)})
    vpcs = [each.arguments["vpc_id"] for each in SECURITY_GROUP.instances(blueprint)]
    yield allow("MakeSecurityGroupInVpc", making, resources=tuple(map(arns.vpc, dict.fromkeys(reversed(vpcs)))))
    yield _tag_new_in_ec2(environment, "TagNewSecurityGroup", groups, "CreateSecurityGroup")


def _vpc_endpoint(blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """EC2 asks for the right on the endpoint that comes to be, and on all that it is put into."""
    environment = blueprint.environment
    arns, making = environment.arns, VPC_ENDPOINT.actions(Scope.PARENT)
    wanted = [each.arguments for each in VPC_ENDPOINT.instances(blueprint)]
    if not wanted:
        return
    endpoints = (arns.network("vpc-endpoint"),)
    names = tuple(each["service_name"] for each in wanted)
    of_these: Conditions = {"StringEquals": {**_asked_for(environment), "ec2:VpceServiceName": names}}
    yield allow("MakeEndpoint", making, resources=endpoints, conditions=of_these)
    yield allow("MakeEndpointInVpc", making, resources=(arns.vpc(wanted[0]["vpc_id"]),))
    places = (
        *(arns.in_network("route-table", each) for one in wanted for each in one.get("route_table_ids", ())),
        *(arns.in_network("subnet", each) for one in wanted for each in one.get("subnet_ids", ())),
    )
    yield allow("PlaceEndpoint", CHANGING, resources=tuple(dict.fromkeys(places)))
    if any("subnet_ids" in each for each in wanted):
        group = (arns.security_group("*"),)
        yield allow("GuardEndpoint", CHANGING, resources=group, conditions={"StringEquals": _ours(environment)})
        yield allow(
            "NameEndpoint",
            {"route53:AssociateVPCWithHostedZone": "Its names lead to it in the VPC."},
            resources=(HOSTED_ZONES.format(partition=environment.aws.partition),),
            conditions={"StringEquals": {"aws:CalledViaLast": OF_EC2}},
        )
    yield _tag_new_in_ec2(environment, "TagNewEndpoint", endpoints, "CreateVpcEndpoint")


MAKING: dict[Kind, Callable[[Blueprint], Iterator[PolicyStatement]]] = {
    SECURITY_GROUP: _security_group,
    SERVERLESS: _application,
    VIRTUAL_CLUSTER: _virtual_cluster,
    ASSOCIATION: _association,
    CLUSTER: _machines,
    VPC_ENDPOINT: _vpc_endpoint,
    NAMESPACE: _namespace,
    WORKGROUP: _workgroup,
}


def _make(environment: Environment, sid: str, kind: Kind) -> PolicyStatement:
    return allow(
        sid, kind.actions(Scope.NEW_TAG), resources=("*",), conditions={"StringEquals": _asked_for(environment)}
    )


def _tag_new(environment: Environment, sid: str, action: str, resource: str) -> PolicyStatement:
    """The tag while it is made; of a thing that has another application's, none."""
    conditions = {"StringEquals": _asked_for(environment), "StringEqualsIfExists": _ours(environment)}
    return allow(sid, {action: TAGS}, resources=(resource,), conditions=conditions)


def _tag_new_in_ec2(environment: Environment, sid: str, resources: tuple[str, ...], creation: str) -> PolicyStatement:
    """EC2 tells a tag that is given at the creation from one that is given later."""
    conditions = {"StringEquals": {**_asked_for(environment), "ec2:CreateAction": creation}}
    return allow(sid, {"ec2:CreateTags": TAGS}, resources=resources, conditions=conditions)


def _linked_role(environment: Environment, sid: str, role: str, service: str) -> PolicyStatement:
    """The role lies under the service's name."""
    partition = environment.aws.partition
    roles = tuple(
        environment.arns.role(f"aws-service-role/{name}/{role}") for name in service_names(service, partition)
    )
    return allow(sid, LINKED_ROLE, resources=roles, conditions=is_service("iam:AWSServiceName", service, partition))


def _asked_for(environment: Environment) -> dict[str, str]:
    return {f"aws:RequestTag/{OURS}": environment.names.application}


def _ours(environment: Environment) -> dict[str, str]:
    return {f"aws:ResourceTag/{OURS}": environment.names.application}
