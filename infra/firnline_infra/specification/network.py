"""The ways to AWS and Snowflake, where they are not the public ones."""

from typing import Annotated

from pydantic import Field

from firnline_infra.specification.vpc_endpoints import VpcEndpointsOptions
from firnline_ingest.config.document import Section
from firnline_ingest.config.form import AwsService, Form

ENDPOINT = Form(
    r"https://[a-z0-9.-]+(:\d{1,5})?",
    "https:// and a host, with nothing behind it",
    "https://vpce-0a1b2c3d-kinesis.kinesis.eu-central-1.vpce.amazonaws.com",
)
HOST = Form(
    r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?",
    "a host, with :port where it is not 443",
    "sfc-eu-ds1-customer-stage.s3.eu-central-1.amazonaws.com",
)


class Network(Section):
    """How the engine reaches AWS and Snowflake."""

    endpoints: dict[AwsService, Annotated[str, ENDPOINT]] = Field(default={})
    """A URL per service, of a VPC endpoint without private DNS. Endpoints with private DNS need nothing: the public name
    leads to them."""
    vpc_endpoints: VpcEndpointsOptions | None = None
    """Endpoints of AWS's services that are made in the engine's VPC; none where absent. The public names lead to them, so that
    `endpoints` need not name them."""
    privatelink: bool = False
    """Snowflake's account is reached over PrivateLink: <account>.privatelink.snowflakecomputing.com, in the region of the
    account alone."""
    snowflake_hosts: list[Annotated[str, HOST]] = Field(default=[])
    """What `SELECT SYSTEM$ALLOWLIST()`, or SYSTEM$ALLOWLIST_PRIVATELINK(), lists beside the account: stages, OCSP, and the
    host that takes rows. Where absent, `firnline egress` has patterns in their place, which can't be tried."""
