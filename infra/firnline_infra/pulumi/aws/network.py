"""What the engine's workers are in, and how they reach AWS."""

import pulumi

from firnline_infra.blueprint.runtime import SecurityGroup as EngineSecurityGroupArgs
from firnline_infra.blueprint.vpc_endpoints import VpcEndpointsDefinition as VpcEndpointsArgs
from firnline_infra.pulumi.rendering import RenderedComponent
from firnline_infra.resources.aws_runtime import engine_security_group, vpc_endpoints

__all__ = ["EngineSecurityGroup", "EngineSecurityGroupArgs", "VpcEndpoints", "VpcEndpointsArgs"]


class EngineSecurityGroup(RenderedComponent):
    """Creates a security group: nothing comes in but from the group itself, and everything goes out.

    >>> group = EngineSecurityGroup("engine", EngineSecurityGroupArgs(name="orders-engine", vpc="vpc-0a1b2c3d"))

    To adopt: `pulumi import aws:ec2/securityGroup:SecurityGroup NAME-group sg-…`.
    """

    group_id: pulumi.Output[str]

    def __init__(self, name: str, args: EngineSecurityGroupArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(engine_security_group(name, args), opts)
        self.group_id = self.made["group_id"]


class VpcEndpoints(RenderedComponent):
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
        super().__init__(vpc_endpoints(name, args), opts)
