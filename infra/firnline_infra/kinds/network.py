"""EC2: what the engine's workers are in, and how they reach AWS."""

from collections.abc import Sequence

from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.runtime import SecurityGroup
from firnline_infra.kinds.comparison import Clients
from firnline_infra.kinds.kind import COMPARE, TAGS, Kind, Lookup, Properties, Right, Scope, present


def _groups(blueprint: Blueprint) -> list[SecurityGroup]:
    """The endpoints', and that of the engine's workers."""
    guarded = [each for each in present(blueprint.endpoints) if each.has_group]
    made = [SecurityGroup(name=each.group_name, vpc=each.vpc) for each in guarded]
    return [*made, *present(blueprint.runtime.security_group)]


def _security_groups(clients: Clients, inputs: Properties) -> Sequence[str]:
    """A name is one group's in its VPC."""
    ec2 = clients("ec2")
    filters = [{"Name": "group-name", "Values": [inputs["name"]]}, {"Name": "vpc-id", "Values": [inputs["vpcId"]]}]
    return [group["GroupId"] for group in ec2.describe_security_groups(Filters=filters)["SecurityGroups"]]


def _endpoints(clients: Clients, inputs: Properties) -> Sequence[str]:
    """A VPC may have several of a service: which is ours, its tags say."""
    ec2 = clients("ec2")
    filters = [
        {"Name": "vpc-id", "Values": [inputs["vpcId"]]},
        {"Name": "service-name", "Values": [inputs["serviceName"]]},
        *({"Name": f"tag:{key}", "Values": [value]} for key, value in (inputs.get("tags") or {}).items()),
    ]
    pages = ec2.get_paginator("describe_vpc_endpoints").paginate(Filters=filters)
    found = [each for page in pages for each in page["VpcEndpoints"]]
    return [each["VpcEndpointId"] for each in found if each["State"] not in ("deleting", "deleted", "failed")]


VPC_ENDPOINT = Kind(
    "aws:ec2/vpcEndpoint:VpcEndpoint",
    "VPC endpoint",
    import_id=_endpoints,
    service="ec2",
    terraform="aws_vpc_endpoint",
    arns=lambda blueprint, arns: [arns.network("vpc-endpoint") for _ in present(blueprint.endpoints)],
    known_by_tag=True,
    rights=(
        Right("Makes it.", create="CreateVpcEndpoint", scope=Scope.PARENT),
        Right(COMPARE, read="DescribeVpcEndpoints DescribePrefixLists DescribeNetworkInterfaces", scope=Scope.REGION),
        Right("Where it is, and behind which group.", update="ModifyVpcEndpoint"),
        Right(TAGS, create="CreateTags", update="DeleteTags"),
        Right("Removes it.", delete="DeleteVpcEndpoints"),
    ),
)
SECURITY_GROUP = Kind(
    "aws:ec2/securityGroup:SecurityGroup",
    "security group",
    import_id=_security_groups,
    service="ec2",
    terraform="aws_security_group",
    made=_groups,
    arn=lambda arns, _: arns.security_group("*"),
    exists=Lookup(
        "ec2",
        "describe_security_groups",
        request=lambda wanted: {
            "Filters": [{"Name": "group-name", "Values": [wanted.name]}, {"Name": "vpc-id", "Values": [wanted.vpc]}]
        },
        answer="SecurityGroups",
    ),
    known_by_tag=True,
    rights=(
        Right("Makes it.", create="CreateSecurityGroup", scope=Scope.PARENT),
        Right(TAGS, create="CreateTags"),
        Right(
            "What it lets out, and in: nothing but itself. The deployer could open it; EMR "
            "Serverless refuses to start with one that is open to the world.",
            create="RevokeSecurityGroupEgress AuthorizeSecurityGroupEgress AuthorizeSecurityGroupIngress",
            update="RevokeSecurityGroupIngress",
        ),
        Right(TAGS, update="DeleteTags"),
        Right(COMPARE, read="DescribeSecurityGroups", scope=Scope.REGION),
        Right("Removes it; the provider looks first for interfaces that have it.", delete="DeleteSecurityGroup"),
        Right(
            "Removes it; the provider looks first for interfaces that have it.",
            delete="DescribeNetworkInterfaces",
            scope=Scope.REGION,
        ),
    ),
)
