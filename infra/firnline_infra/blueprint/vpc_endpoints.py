"""The VPC endpoints of an environment, as data: a gateway in route tables, an interface in subnets behind a group of its own."""

from collections.abc import Mapping
from dataclasses import field

from firnline_infra.environment import tags
from firnline_infra.specification.definition import Definition, part
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names
from firnline_infra.specification.partition import partition_of

HTTPS = 443


@part
class VpcEndpoint(Definition):
    """The endpoint of one service. It has AWS's default policy: the callers' own policies say what may be done through it."""

    service: str
    """As specifications call it: kinesis."""
    service_name: str
    """As EC2 does: com.amazonaws.eu-central-1.kinesis-streams."""
    route_tables: tuple[str, ...] = ()
    """Of a gateway."""
    subnets: tuple[str, ...] = ()
    """Of an interface, which has private DNS."""

    @property
    def is_gateway(self) -> bool:
        return bool(self.route_tables)


@part
class VpcEndpointsDefinition(Definition):
    """All endpoints of a VPC, and the group of those that are interfaces: HTTPS comes in from `clients`, and nothing goes out."""

    group_name: str
    vpc: str
    clients: tuple[str, ...]
    endpoints: tuple[VpcEndpoint, ...]
    description: str = "Endpoints of AWS: HTTPS from the VPC"
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_group(self) -> bool:
        return any(not each.is_gateway for each in self.endpoints)


def vpc_endpoints(spec: EnvironmentSpec, names: Names) -> VpcEndpointsDefinition | None:
    """Returns None if the specification asks for none."""
    section = spec.network.vpc_endpoints
    if section is None:
        return None
    region, partition = spec.aws.region, partition_of(spec)
    gateways = (
        VpcEndpoint(
            service=each.value,
            service_name=partition.endpoint_service(each.value, region),
            route_tables=tuple(section.route_tables),
        )
        for each in section.gateways
    )
    interfaces = (
        VpcEndpoint(
            service=each.value,
            service_name=partition.endpoint_service(each.value, region),
            subnets=tuple(section.subnets),
        )
        for each in section.interfaces
    )
    return VpcEndpointsDefinition(
        group_name=f"{names.application}-endpoints",
        vpc=section.vpc,
        clients=tuple(section.clients),
        endpoints=(*gateways, *interfaces),
        tags=tags(spec, component="network"),
    )
