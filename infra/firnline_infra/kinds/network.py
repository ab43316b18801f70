"""EC2: what the engine's workers are in, and how they reach AWS."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from firnline_infra.blueprint.value import Reference
from firnline_infra.environment import Environment
from firnline_infra.kinds.comparison import Clients
from firnline_infra.kinds.kind import COMPARE, TAGS, Kind, Lookup, Properties, Right, Scope
from firnline_infra.kinds.resource import Component, Resource
from firnline_infra.specification.network import VpcEndpointsOptions
from firnline_infra.specification.runtimes.emr_ec2 import EmrEc2
from firnline_infra.specification.runtimes.emr_serverless import EmrServerless

HTTPS = 443


def endpoints(environment: Environment) -> Iterator[Component]:
    """A gateway is in route tables; an interface in subnets, with private DNS, behind one group of its own. Each has AWS's
    default policy: the callers' own policies say what may be done through it."""
    section = environment.network.vpc_endpoints
    if section is None:
        return
    group = _endpoints_group(environment, section) if section.interfaces else None
    gateway = {"vpc_endpoint_type": "Gateway", "route_table_ids": list(section.route_tables)}
    interface = {
        "vpc_endpoint_type": "Interface",
        "subnet_ids": list(section.subnets),
        "security_group_ids": [group["id"]] if group else None,
        "private_dns_enabled": True,
    }
    rows = (
        *(_endpoint(environment, section, each.value, gateway) for each in section.gateways),
        *(_endpoint(environment, section, each.value, interface) for each in section.interfaces),
    )
    yield Component("VpcEndpoints", "endpoints", (*([group] if group else []), *rows))


def _endpoint(
    environment: Environment, section: VpcEndpointsOptions, service: str, more: Mapping[str, Any]
) -> Resource:
    arguments = {
        "vpc_id": section.vpc,
        "service_name": environment.partition.endpoint_service(service, environment.aws.region),
        **more,
        "tags": environment.tags("network"),
    }
    return Resource(VPC_ENDPOINT.terraform_type, f"endpoints-{service}", arguments)


def _endpoints_group(environment: Environment, section: VpcEndpointsOptions) -> Resource:
    """HTTPS comes in from the clients, and nothing goes out."""
    inward = {
        "protocol": "tcp",
        "from_port": HTTPS,
        "to_port": HTTPS,
        "cidr_blocks": list(section.clients),
        "description": "HTTPS of clients",
    }
    arguments = {
        "name": f"{environment.names.application}-endpoints",
        "description": "Endpoints of AWS: HTTPS from the VPC",
        "vpc_id": section.vpc,
        "tags": environment.tags("network"),
        "ingress": [inward],
    }
    return Resource(SECURITY_GROUP.terraform_type, "endpoints-group", arguments)


def engine_groups(environment: Environment) -> Iterator[Component]:
    """Nothing comes in but from the group itself (driver and executors speak to each other); everything goes out."""
    section = environment.aws.runtime.job
    options = section.security_group if isinstance(section, EmrServerless | EmrEc2) else None
    if options is None or options.vpc is None:
        return
    everything = {"protocol": "-1", "from_port": 0, "to_port": 0}
    arguments = {
        "name": f"{environment.names.application}-engine",
        "description": "Firnline engine: nothing in from outside",
        "vpc_id": options.vpc,
        "tags": environment.tags("runtime"),
        "ingress": [{**everything, "self": True, "description": "Driver and executors among themselves"}],
        "egress": [{**everything, "cidr_blocks": ["0.0.0.0/0"], "description": "AWS, Snowflake, registries"}],
    }
    group = Resource(SECURITY_GROUP.terraform_type, "engine-network-group", arguments)
    given = {Reference("runtime/security-group"): group["id"]}
    yield Component("EngineSecurityGroup", "engine-network", (group,), {"group_id": group["id"]}, gives=given)


def rows(environment: Environment) -> Iterator[Component]:
    """Yields all components of the family."""
    yield from endpoints(environment)
    yield from engine_groups(environment)


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
    rows=endpoints,
    arn=lambda arns, _: arns.network("vpc-endpoint"),
    matched_by_tag=True,
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
    rows=rows,
    arn=lambda arns, _: arns.security_group("*"),
    exists=Lookup(
        "ec2",
        "describe_security_groups",
        request=lambda row: {
            "Filters": [
                {"Name": "group-name", "Values": [row.arguments["name"]]},
                {"Name": "vpc-id", "Values": [row.arguments["vpc_id"]]},
            ]
        },
        answer="SecurityGroups",
    ),
    matched_by_tag=True,
    rights=(
        Right("Makes it.", create="CreateSecurityGroup", scope=Scope.PARENT),
        Right(TAGS, create="CreateTags"),
        Right(
            "Its rules: traffic within the group alone. The deployer could open it; EMR "
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
