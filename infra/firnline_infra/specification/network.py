"""The ways to AWS and Snowflake: public ones, those that are there, and VPC endpoints that are made with the environment, so that
its engine reaches AWS without a way to the internet.
"""

from enum import StrEnum
from ipaddress import ip_network
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from firnline_infra.specification.runtimes.options import SUBNET, VPC
from firnline_ingest.config.document import Section
from firnline_ingest.config.form import AwsService, Form

ENDPOINT = Form(
    r"https://[a-z0-9.-]+(:\d{1,5})?",
    "https:// and a host, with nothing behind it",
    "https://vpce-0a1b2c3d-kinesis.kinesis.eu-central-1.vpce.amazonaws.com",
)
HOST = Form(
    r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?",
    "a host, with :port if it is not 443",
    "sfc-eu-ds1-customer-stage.s3.eu-central-1.amazonaws.com",
)
ROUTE_TABLE = Form(r"rtb-[0-9a-f]{8,17}", "the id of a route table", "rtb-0a1b2c3d4e5f60718")
CIDR = Form(
    r"\d{1,3}(\.\d{1,3}){3}/([89]|[12]\d|3[0-2])", "a range of IPv4 addresses, /8 to /32, as in CIDR", "10.0.0.0/16"
)


def _own_address(text: str) -> str:
    """Raises ValueError."""
    network = ip_network(text, strict=False)
    if str(network) != text:
        raise ValueError(f"a range is written with its first address; expected {network}")
    return text


class Gateway(StrEnum):
    """A service that has an endpoint in a route table, which costs nothing."""

    S3 = "s3"
    """Checkpoint, configuration, dead letters; Snowflake's stages in the same region too."""
    DYNAMODB = "dynamodb"
    """The ledger."""


class Interface(StrEnum):
    """A service that has an endpoint in subnets, which costs by the hour, the zone and the GB."""

    KINESIS = "kinesis"
    """The streams."""
    STS = "sts"
    """Credentials."""
    SECRETS_MANAGER = "secretsmanager"
    """The private keys."""
    GLUE = "glue"
    """Schemas, where records name those of Glue's registry."""
    KMS = "kms"
    """For what else is in the VPC: the engine reaches it through other services."""
    LOGS = "logs"
    """The engine's logs, where its runtime sends them to CloudWatch."""
    MONITORING = "monitoring"
    """CloudWatch's metrics, for what else is in the VPC: the engine writes them as logs."""


class VpcEndpointsOptions(Section):
    """Endpoints of AWS's services in a VPC, with private DNS: all of the VPC is led to them from then on."""

    vpc: Annotated[str, VPC]
    """That the engine's subnets are in; its DNS names and DNS support have to be on."""
    gateways: list[Annotated[Gateway, Field(strict=False)]] = Field(
        default_factory=lambda: [Gateway.S3, Gateway.DYNAMODB]
    )
    """In `route_tables`."""
    route_tables: list[Annotated[str, ROUTE_TABLE]] = Field(default=[], max_length=50)
    """Those of the engine's subnets; needed with gateways. A table has one gateway of a service: leave out those that it has."""
    interfaces: list[Annotated[Interface, Field(strict=False)]] = Field(
        default_factory=lambda: [Interface.KINESIS, Interface.STS, Interface.SECRETS_MANAGER]
    )
    """In `subnets`. A VPC has one with private DNS of each service: leave out those that it has."""
    subnets: list[Annotated[str, SUBNET]] = Field(default=[], max_length=16)
    """One a zone that the engine is in; needed with interfaces."""
    clients: list[Annotated[str, CIDR, AfterValidator(_own_address)]] = Field(default=[], max_length=50)
    """Who may reach the interfaces, at port 443: the VPC's own ranges, because private DNS leads everybody in it to them. Needed
    with interfaces."""

    @model_validator(mode="after")
    def _says_where(self) -> Self:
        if not self.gateways and not self.interfaces:
            raise ValueError("give gateways or interfaces, or leave vpc_endpoints out")
        for services, name, places in (
            (self.gateways, "gateways", {"route_tables": self.route_tables}),
            (self.interfaces, "interfaces", {"subnets": self.subnets, "clients": self.clients}),
        ):
            if twice := [field for field, given in places.items() if len(set(given)) != len(given)]:
                raise ValueError(f"{', '.join(twice)}: something is given twice")
            if len(set(services)) != len(services):
                raise ValueError(f"{name}: each service once")
            if lacking := [field for field, given in places.items() if services and not given]:
                raise ValueError(f"give {' and '.join(lacking)} with {name}")
            if idle := [field for field, given in places.items() if given and not services]:
                raise ValueError(f"{', '.join(idle)}: there are no {name} to put there; remove it")
        return self


class Network(Section):
    """The engine's way to AWS and Snowflake."""

    endpoints: dict[AwsService, Annotated[str, ENDPOINT]] = Field(default={})
    """A URL per service, of a VPC endpoint without private DNS. Endpoints with private DNS need nothing: the public name
    leads to them."""
    vpc_endpoints: VpcEndpointsOptions | None = None
    """Endpoints of AWS's services that are made in the engine's VPC; none by default. The public names lead to them, so that
    `endpoints` need not name them."""
    privatelink: bool = False
    """Snowflake's account is reached over PrivateLink: <account>.privatelink.snowflakecomputing.com, in the region of the
    account alone."""
    snowflake_hosts: list[Annotated[str, HOST]] = Field(default=[])
    """What `SELECT SYSTEM$ALLOWLIST()`, or SYSTEM$ALLOWLIST_PRIVATELINK(), lists beside the account: stages, OCSP, and the
    host that takes rows. Where absent, `firnline hosts` has patterns in their place, which can't be tried."""
