"""What the engine's workers let in and out."""

import pulumi
import pulumi_aws as aws

from firnline_infra.blueprint.runtime import SecurityGroup as EngineSecurityGroupArgs
from firnline_infra.pulumi.options import child_of

__all__ = ["EngineSecurityGroup", "EngineSecurityGroupArgs"]


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
