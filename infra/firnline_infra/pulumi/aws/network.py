"""What the engine's workers are in, and how they reach AWS."""

import pulumi
import pulumi_aws as aws

from firnline_infra.blueprint.runtime import SecurityGroup as EngineSecurityGroupArgs
from firnline_infra.blueprint.vpc_endpoints import HTTPS
from firnline_infra.blueprint.vpc_endpoints import VpcEndpointsDefinition as VpcEndpointsArgs
from firnline_infra.pulumi.options import child_of

__all__ = ["EngineSecurityGroup", "EngineSecurityGroupArgs", "VpcEndpoints", "VpcEndpointsArgs"]


class EngineSecurityGroup(pulumi.ComponentResource):
    """Creates a security group: nothing comes in but from the group itself, and everything goes out.

    >>> group = EngineSecurityGroup("engine", EngineSecurityGroupArgs(name="orders-engine", vpc="vpc-0a1b2c3d"))

    To adopt: `pulumi import aws:ec2/securityGroup:SecurityGroup NAME-group sg-…`.
    """

    group_id: pulumi.Output[str]

    def __init__(self, name: str, args: EngineSecurityGroupArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("firnline:index:EngineSecurityGroup", name, None, opts)
        group = aws.ec2.SecurityGroup(
            f"{name}-group",
            name=args.name,
            description=args.description,
            vpc_id=args.vpc,
            ingress=[aws.ec2.SecurityGroupIngressArgs(protocol="-1", from_port=0, to_port=0, self=True)],
            egress=[aws.ec2.SecurityGroupEgressArgs(protocol="-1", from_port=0, to_port=0, cidr_blocks=["0.0.0.0/0"])],
            tags=args.tags,
            opts=child_of(self),
        )
        self.group_id = group.id
        self.register_outputs({"groupId": self.group_id})


class VpcEndpoints(pulumi.ComponentResource):
    """Creates endpoints of services in a VPC: gateways in its route tables, interfaces with private DNS in its subnets.

    >>> from firnline_infra.blueprint.vpc_endpoints import VpcEndpoint
    >>> streams = VpcEndpoint(
    ...     service="kinesis", service_name="com.amazonaws.eu-west-1.kinesis-streams", subnets=("subnet-0a1b2c3d",)
    ... )
    >>> endpoints = VpcEndpoints("endpoints", VpcEndpointsArgs(
    ...     group_name="orders-endpoints", vpc="vpc-0a1b2c3d", clients=("10.0.0.0/16",), endpoints=(streams,),
    ... ))

    To adopt: `pulumi import aws:ec2/vpcEndpoint:VpcEndpoint NAME-SERVICE vpce-…`.
    """

    def __init__(self, name: str, args: VpcEndpointsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("firnline:index:VpcEndpoints", name, None, opts)
        group = _group(name, args, child_of(self)) if args.has_group else None
        for each in args.endpoints:
            aws.ec2.VpcEndpoint(
                f"{name}-{each.service}",
                vpc_id=args.vpc,
                service_name=each.service_name,
                vpc_endpoint_type="Gateway" if each.is_gateway else "Interface",
                route_table_ids=list(each.route_tables) or None,
                subnet_ids=list(each.subnets) or None,
                security_group_ids=[group.id] if group is not None and not each.is_gateway else None,
                private_dns_enabled=None if each.is_gateway else True,
                tags=args.tags,
                opts=child_of(self),
            )
        self.register_outputs({})


def _group(name: str, args: VpcEndpointsArgs, opts: pulumi.ResourceOptions) -> aws.ec2.SecurityGroup:
    return aws.ec2.SecurityGroup(
        f"{name}-group",
        name=args.group_name,
        description=args.description,
        vpc_id=args.vpc,
        ingress=[
            aws.ec2.SecurityGroupIngressArgs(
                protocol="tcp", from_port=HTTPS, to_port=HTTPS, cidr_blocks=list(args.clients)
            )
        ],
        tags=args.tags,
        opts=opts,
    )
