"""Partitions of AWS: names of hosts and endpoint services, services that their regions lack, and Snowflake's domain there.

tests/infra/specification/test_partition.py compares it with the data of the installed botocore.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from firnline_infra.specification.model import EnvironmentSpec
from firnline_ingest.config.account import DOMAIN, DOMAIN_IN_CHINA, account_host

COMMON_PREFIX = "com.amazonaws"
ENDPOINT_SERVICES = {"kinesis": "kinesis-streams", "api.ecr": "ecr.api", "dkr.ecr": "ecr.dkr"}
"""An endpoint's service is called as its host begins, but for these."""
OF_CHINA = frozenset(
    ("ecr.api", "ecr.dkr", "eks", "emr-containers", "kinesis-streams", "monitoring", "redshift", "redshift-data", "sts")
)
"""The interface endpoints whose services have a prefix of their own in China; the others' is the common one there too (aws-cdk,
packages/aws-cdk-lib/aws-ec2/lib/vpc-endpoint.ts at 000a9eb6, getDefaultEndpointPrefix, from describe-vpc-endpoint-services)."""


@dataclass(frozen=True, kw_only=True)
class Partition:
    """One partition of AWS."""

    dns_suffix: str = "amazonaws.com"
    iam_host: str
    snowflake_domain: str = DOMAIN
    prefix: str = COMMON_PREFIX
    """Begins the names of the endpoint services in `prefixed`."""
    prefixed: frozenset[str] = frozenset()

    def host(self, service: str, region: str) -> str:
        """The public host of a service in a region."""
        return f"{service}.{region}.{self.dns_suffix}"

    def hosts(self, service: str, region: str) -> tuple[str, ...]:
        """All hosts that clients ask: S3's in us-east-1 are those without a region, too (botocore and the SDK for Java, unless
        AWS_S3_US_EAST_1_REGIONAL_ENDPOINT says `regional`)."""
        is_global = region == "us-east-1" and (service == "s3" or service.endswith(".s3"))
        return (self.host(service, region), *((f"{service}.{self.dns_suffix}",) if is_global else ()))

    def endpoint_service(self, service: str, region: str) -> str:
        """The name of the service that a VPC endpoint leads to: com.amazonaws.eu-central-1.kinesis-streams."""
        name = ENDPOINT_SERVICES.get(service, service)
        return f"{self.prefix if name in self.prefixed else COMMON_PREFIX}.{region}.{name}"


PARTITIONS = {
    "aws": Partition(iam_host="iam.amazonaws.com"),
    "aws-us-gov": Partition(iam_host="iam.us-gov.amazonaws.com"),
    "aws-cn": Partition(
        dns_suffix="amazonaws.com.cn",
        iam_host="iam.cn-north-1.amazonaws.com.cn",
        snowflake_domain=DOMAIN_IN_CHINA,
        prefix="cn.com.amazonaws",
        prefixed=OF_CHINA,
    ),
}
REGION_PREFIXES = {"cn-": "aws-cn", "us-gov-": "aws-us-gov"}
LACKING: Mapping[str, frozenset[str]] = {
    "emr-containers": frozenset(
        ("ap-east-2", "ap-southeast-4", "ap-southeast-5", "ap-southeast-6", "ca-west-1", "mx-central-1")
    ),
    "redshift-serverless": frozenset(("me-south-1",)),
}
"""The regions of Kinesis that have no endpoint of a service that an environment may use (botocore 1.44.5, endpoints.json); EMR
Serverless and EMR on EC2 have one in each, China's included."""


def partition_of(spec: EnvironmentSpec) -> Partition:
    """The environment's."""
    return PARTITIONS[spec.aws.partition]


def partition_of_region(region: str) -> str:
    """The name of the partition that a region lies in."""
    return next((name for start, name in REGION_PREFIXES.items() if region.startswith(start)), "aws")


def snowflake_host(spec: EnvironmentSpec) -> str:
    """The account's host: as `snowflake.host` names it, else as its name and the partition say."""
    domain, private = partition_of(spec).snowflake_domain, spec.network.privatelink
    return spec.snowflake.host or account_host(spec.snowflake.account, domain=domain, private=private)


def snowflake_url(spec: EnvironmentSpec) -> str | None:
    """The URL that the engine is told; None where it finds the account's host by the account's name."""
    host = snowflake_host(spec)
    return None if host == account_host(spec.snowflake.account) else f"https://{host}"


def has_usual_snowflake_host(spec: EnvironmentSpec) -> bool:
    """Returns true if a client that is told nothing but the account's name goes to that host; some keep an underscore."""
    return snowflake_host(spec) == f"{spec.snowflake.account.lower()}.{DOMAIN}"


def snowflake_domain(spec: EnvironmentSpec) -> str:
    """The domain that the account's other hosts are in, with `privatelink` in front where its own has it."""
    host = snowflake_host(spec)
    known = (each for each in (DOMAIN, DOMAIN_IN_CHINA) if host.endswith(f".{each}"))
    domain = next(known, partition_of(spec).snowflake_domain)
    return f"privatelink.{domain}" if is_private(host) else domain


def is_private(host: str) -> bool:
    """Returns true for a host of PrivateLink."""
    return ".privatelink." in host
