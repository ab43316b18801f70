"""Partitions, against what botocore knows of them and what the engine's configuration makes of an account."""

from dataclasses import replace
from typing import Any

import botocore.session
import pytest
from packaging.version import Version

from firnline_infra.blueprint import blueprint_of, engine_config
from firnline_infra.blueprint.network import egress
from firnline_infra.environment import Environment
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.partition import LACKING, PARTITIONS, partition_of_region, snowflake_host
from firnline_ingest.config.document import parse
from firnline_ingest.config.model import EngineConfig
from tests.infra.specifications import problems, smallest, told

LISTED_BY = Version("1.44.5")
"""The botocore whose endpoints LACKING was read of."""
SESSION = botocore.session.get_session()
REGIONS = [(name, region) for name in PARTITIONS for region in SESSION.get_available_regions("kinesis", name)]
EKS = {
    "trust": "emr-eks",
    "namespace": "firnline",
    "cluster": "data",
    "oidc_provider": "oidc.eks.ca-west-1.amazonaws.com/id/1A2B",
    "emr_eks": {},
}
CHINA: dict[str, Any] = {"region": "cn-north-1", "partition": "aws-cn"}
SERVICES = ("emr-serverless", "emr-containers", "emr", "eks", "redshift", "redshift-serverless", "dynamodb", "glue")


def test_each_region_is_of_its_partition() -> None:
    assert [(partition_of_region(region), region) for _, region in REGIONS] == REGIONS


@pytest.mark.parametrize("region", ["eu-central-1", "us-east-1", "us-gov-west-1", "cn-north-1", "cn-northwest-1"])
def test_hosts_are_those_that_a_client_asks(region: str) -> None:
    partition = PARTITIONS[partition_of_region(region)]
    keys: dict[str, Any] = {"aws_access_key_id": "x", "aws_secret_access_key": "x"}

    def host_of(service: str) -> str:
        url: str = SESSION.create_client(service, region_name=region, **keys).meta.endpoint_url
        return url.removeprefix("https://")

    assert host_of("iam") == partition.iam_host
    for service, start in {"kinesis": "kinesis", "s3": "s3", "sts": "sts", "ecr": "api.ecr", "glue": "glue"}.items():
        assert host_of(service) in partition.hosts(start, region)


def test_each_service_that_a_region_lacks_is_known() -> None:
    """A failure means that AWS has opened a region or a service in one: the table and its version follow."""
    regions = {region for _, region in REGIONS}
    lacking = {}
    for service in SERVICES:
        found = {each for name in PARTITIONS for each in SESSION.get_available_regions(service, name)}
        lacking[service] = frozenset(regions - found)
    if Version(botocore.__version__) < LISTED_BY:  # an older one knows fewer regions, and of each fewer services
        assert all(found & regions <= lacking[service] for service, found in LACKING.items())
    else:
        assert {service: found for service, found in lacking.items() if found} == LACKING


def test_a_service_that_the_region_lacks_is_refused() -> None:
    found = problems(aws={"region": "ca-west-1", "runtime": EKS})
    assert any("no endpoint of emr-containers in ca-west-1" in each for each in found), found
    redshift = {"workgroup": {}, "views": [{"stream": "orders"}]}
    found = problems(aws={"region": "me-south-1"}, redshift=redshift)
    assert any("no endpoint of redshift-serverless in me-south-1" in each for each in found), found


def engine_of(spec: EnvironmentSpec) -> EngineConfig:
    inputs = replace(blueprint_of(spec).outputs, private_keys={"ingest": {"env": "KEY"}})
    return parse(EngineConfig, engine_config(Environment.of(spec), inputs), "engine.json")


@pytest.mark.parametrize(
    ("more", "host"),
    [
        ({}, "acme-my-dev.snowflakecomputing.com"),
        ({"aws": CHINA}, "acme-my-dev.snowflakecomputing.cn"),
        ({"network": {"privatelink": True}}, "acme-my-dev.privatelink.snowflakecomputing.com"),
        ({"aws": CHINA, "network": {"privatelink": True}}, "acme-my-dev.privatelink.snowflakecomputing.cn"),
        ({"snowflake": {"host": "acme-my_dev.privatelink.acme.com"}}, "acme-my_dev.privatelink.acme.com"),
    ],
)
def test_everybody_goes_to_the_same_host(more: dict[str, Any], host: str) -> None:
    snowflake = {"account": "ACME-MY_DEV", **more.pop("snowflake", {})}
    spec = smallest(snowflake=snowflake, **more)
    assert snowflake_host(spec) == host
    assert engine_of(spec).snowflake.base_url == f"https://{host}"
    assert host in {each.host for each in egress(Environment.of(spec))}


@pytest.mark.parametrize("host", ["https://a.b", "a.b:443", "A.b", "a", "a.b/"])
def test_a_host_is_written_as_one(host: str) -> None:
    assert problems(snowflake={"host": host}) == told("snowflake.host: has to be a host in lower case…")
