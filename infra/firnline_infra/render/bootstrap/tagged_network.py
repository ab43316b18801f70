"""Rights to make security groups and VPC endpoints, with the tag by which they are ours from then on (tagged.py)."""

from collections.abc import Iterator

from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.blueprint.iam import Conditions, PolicyStatement
from firnline_infra.blueprint.iam.statement import allow
from firnline_infra.kinds import Scope
from firnline_infra.kinds.kind import TAGS
from firnline_infra.kinds.network import SECURITY_GROUP, VPC_ENDPOINT
from firnline_infra.render.bootstrap.engine_run import OURS
from firnline_infra.render.bootstrap.tagged_clusters import asked_for
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import application_of

HOSTED_ZONES = "arn:{partition}:route53:::hostedzone/*"
OF_EC2 = "ec2.amazonaws.com"
CHANGING = {
    **VPC_ENDPOINT.actions(Scope.PARENT),
    "ec2:ModifyVpcEndpoint": VPC_ENDPOINT.actions()["ec2:ModifyVpcEndpoint"],
}


def security_group(spec: EnvironmentSpec, blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """EC2 asks for the right on the group that comes to be, and on its VPC."""
    arns, making = Arns(spec), SECURITY_GROUP.actions(Scope.PARENT)
    groups = (arns.security_group("*"),)
    yield allow("MakeSecurityGroup", making, resources=groups, conditions={"StringEquals": asked_for(spec)})
    vpcs = [each.vpc for each in (blueprint.runtime.security_group, blueprint.endpoints) if each is not None]
    yield allow("MakeSecurityGroupInVpc", making, resources=tuple(map(arns.vpc, dict.fromkeys(vpcs))))
    yield _tag_new(spec, "TagNewSecurityGroup", groups, "CreateSecurityGroup")


def vpc_endpoint(spec: EnvironmentSpec, blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """EC2 asks for the right on the endpoint that comes to be, and on all that it is put into."""
    arns, wanted, making = Arns(spec), blueprint.endpoints, VPC_ENDPOINT.actions(Scope.PARENT)
    if wanted is None:
        return
    endpoints = (arns.network("vpc-endpoint"),)
    names = tuple(each.service_name for each in wanted.endpoints)
    of_these: Conditions = {"StringEquals": {**asked_for(spec), "ec2:VpceServiceName": names}}
    yield allow("MakeEndpoint", making, resources=endpoints, conditions=of_these)
    yield allow("MakeEndpointInVpc", making, resources=(arns.vpc(wanted.vpc),))
    places = (
        *(arns.in_network("route-table", each) for one in wanted.endpoints for each in one.route_tables),
        *(arns.in_network("subnet", each) for one in wanted.endpoints for each in one.subnets),
    )
    yield allow("PlaceEndpoint", CHANGING, resources=tuple(dict.fromkeys(places)))
    if wanted.has_group:
        ours = {f"aws:ResourceTag/{OURS}": application_of(spec)}
        group = (arns.security_group("*"),)
        yield allow("GuardEndpoint", CHANGING, resources=group, conditions={"StringEquals": ours})
        yield allow(
            "NameEndpoint",
            {"route53:AssociateVPCWithHostedZone": "Its names lead to it in the VPC."},
            resources=(HOSTED_ZONES.format(partition=spec.aws.partition),),
            conditions={"StringEquals": {"aws:CalledViaLast": OF_EC2}},
        )
    yield _tag_new(spec, "TagNewEndpoint", endpoints, "CreateVpcEndpoint")


def _tag_new(spec: EnvironmentSpec, sid: str, resources: tuple[str, ...], creation: str) -> PolicyStatement:
    """EC2 tells a tag that is given at the creation from one that is given later."""
    conditions = {"StringEquals": {**asked_for(spec), "ec2:CreateAction": creation}}
    return allow(sid, {"ec2:CreateTags": TAGS}, resources=resources, conditions=conditions)
