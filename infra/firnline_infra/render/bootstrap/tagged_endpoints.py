"""Rights to make VPC endpoints, with the tag by which they are ours from then on (tagged.py)."""

from collections.abc import Iterator

from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.blueprint.iam import Conditions, PolicyStatement
from firnline_infra.render.bootstrap.engine_run import OURS
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import application_of

MAKING = ("ec2:CreateVpcEndpoint",)
CHANGING = ("ec2:CreateVpcEndpoint", "ec2:ModifyVpcEndpoint")
HOSTED_ZONES = "arn:{partition}:route53:::hostedzone/*"
OF_EC2 = "ec2.amazonaws.com"


def vpc_endpoint(spec: EnvironmentSpec, blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """EC2 asks for the right on the endpoint that comes to be, and on all that it is put into."""
    arns, wanted, application = Arns(spec), blueprint.endpoints, application_of(spec)
    if wanted is None:
        return
    asked, ours = {f"aws:RequestTag/{OURS}": application}, {f"aws:ResourceTag/{OURS}": application}
    endpoints = (arns.network("vpc-endpoint"),)
    names = tuple(each.service_name for each in wanted.endpoints)
    of_these: Conditions = {"StringEquals": {**asked, "ec2:VpceServiceName": names}}
    yield PolicyStatement(sid="MakeEndpoint", actions=MAKING, resources=endpoints, conditions=of_these)
    yield PolicyStatement(sid="MakeEndpointInVpc", actions=MAKING, resources=(arns.vpc(wanted.vpc),))
    places = dict.fromkeys(
        (
            *(arns.in_network("route-table", each) for one in wanted.endpoints for each in one.route_tables),
            *(arns.in_network("subnet", each) for one in wanted.endpoints for each in one.subnets),
        )
    )
    yield PolicyStatement(sid="PlaceEndpoint", actions=CHANGING, resources=tuple(places))
    if wanted.has_group:
        group = (arns.security_group("*"),)
        yield PolicyStatement(sid="GuardEndpoint", actions=CHANGING, resources=group, conditions={"StringEquals": ours})
        zones = (HOSTED_ZONES.format(partition=spec.aws.partition),)
        yield PolicyStatement(
            sid="NameEndpoint",
            actions=("route53:AssociateVPCWithHostedZone",),
            resources=zones,
            conditions={"StringEquals": {"aws:CalledViaLast": OF_EC2}},
        )
    yield PolicyStatement(
        sid="TagNewEndpoint",
        actions=("ec2:CreateTags",),
        resources=endpoints,
        conditions={"StringEquals": {**asked, "ec2:CreateAction": "CreateVpcEndpoint"}},
    )
