"""EC2: what the engine's workers are in, and how they reach AWS."""

from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.runtime import SecurityGroup
from firnline_infra.kinds.kind import COMPARE, TAGS, Kind, Lookup, Right, Scope


def _groups(blueprint: Blueprint) -> list[SecurityGroup]:
    """The endpoints', and that of the engine's workers."""
    endpoints, workers = blueprint.endpoints, blueprint.runtime.security_group
    made = (
        []
        if endpoints is None or not endpoints.has_group
        else [SecurityGroup(name=endpoints.group_name, vpc=endpoints.vpc)]
    )
    return [*made, *([] if workers is None else [workers])]


VPC_ENDPOINT = Kind(
    "aws:ec2/vpcEndpoint:VpcEndpoint",
    "VPC endpoint",
    service="ec2",
    terraform="aws_vpc_endpoint",
    arns=lambda blueprint, arns: [] if blueprint.endpoints is None else [arns.network("vpc-endpoint")],
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
    service="ec2",
    terraform="aws_security_group",
    arns=lambda blueprint, arns: [arns.security_group("*")] if _groups(blueprint) else [],
    made=_groups,
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
            "What it lets out, and in: nothing but itself. Whoever deploys could open it; EMR "
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
