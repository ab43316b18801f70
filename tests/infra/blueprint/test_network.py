"""Tests of who needs which host."""

from pathlib import Path
from typing import Any

import pytest

from firnline_infra.blueprint import blueprint_of, engine_config
from firnline_infra.blueprint.network import Destination, Party, egress
from firnline_infra.blueprint.proxy import variables_of_proxy
from firnline_infra.blueprint.registries import login_secrets
from firnline_infra.blueprint.spark_s3 import s3a_proxy
from firnline_infra.environment import Environment
from firnline_infra.kinds.network import endpoints
from firnline_infra.specification import EnvironmentSpec, load_spec
from firnline_infra.specification.network import Interface
from firnline_infra.specification.partition import snowflake_host
from firnline_ingest.errors import ConfigError
from tests.infra.specifications import smallest

SPECS = Path(__file__).parents[3] / "stacks" / "environments"
VPCE = "vpce-0a1b.kinesis.eu-central-1.vpce.amazonaws.com"


def spec_of(**more: Any) -> EnvironmentSpec:
    return smallest(**{"aws": {"account": "111122223333"}, "snowflake": {"account": "ACME-MY_DEV"}, **more})


def by_host(spec: EnvironmentSpec) -> dict[str, Destination]:
    return {each.host: each for each in egress(Environment.of(spec))}


@pytest.mark.parametrize("name", ["dev", "staging", "prod", "local"])
def test_each_host_is_listed_once_with_its_reason(name: str) -> None:
    found = egress(Environment.of(load_spec(SPECS / f"{name}.yaml")))
    assert len({(each.host, each.port) for each in found}) == len(found)
    assert all(each.why and each.needed_by for each in found)


def test_the_engine_needs_what_it_calls_and_nothing_that_only_deploying_needs() -> None:
    hosts = {each.host for each in egress(Environment.of(spec_of())) if Party.ENGINE in each.needed_by}
    services = {"kinesis", "dynamodb", "sts", "secretsmanager", "s3", "logs"}
    assert hosts == {
        *(f"{service}.eu-central-1.amazonaws.com" for service in services),
        "firnline-dev-111122223333-eu-central-1.s3.eu-central-1.amazonaws.com",
        *("acme-my-dev.snowflakecomputing.com", "*.snowflakecomputing.com", "ocsp.snowflakecomputing.com"),
        "*.s3.*.amazonaws.com",
    }


def test_who_replays_letters_needs_the_ways_of_their_rows_and_files() -> None:
    hosts = by_host(spec_of())
    ways = ("*.snowflakecomputing.com", "*.s3.*.amazonaws.com", "acme-my-dev.snowflakecomputing.com")
    assert all(Party.OPERATOR in hosts[way].needed_by for way in ways)


def test_what_is_deployed_decides_what_deploying_needs() -> None:
    bare, prod = by_host(spec_of()), by_host(load_spec(SPECS / "prod.yaml"))
    region = "eu-central-1.amazonaws.com"
    assert {f"monitoring.{region}", f"ssm.{region}"} <= prod.keys() - bare.keys()
    assert Party.ENGINE not in prod[f"kms.{region}"].needed_by
    assert prod[f"kinesis.{region}"].endpoint == "com.amazonaws.eu-central-1.kinesis-streams"


def test_a_private_endpoint_is_the_engines_way_and_goes_into_its_configuration() -> None:
    spec = spec_of(network={"endpoints": {"kinesis": f"https://{VPCE}"}, "privatelink": True})
    hosts = by_host(spec)
    assert hosts[VPCE].needed_by == (Party.ENGINE,)
    assert hosts["kinesis.eu-central-1.amazonaws.com"].needed_by == (Party.CI, Party.OPERATOR)
    document = engine_config(Environment.of(spec), blueprint_of(spec).outputs)
    assert document["aws"]["endpoints"] == {"kinesis": f"https://{VPCE}"}
    assert document["snowflake"]["url"] == f"https://{snowflake_host(spec)}"
    assert snowflake_host(spec) == "acme-my-dev.privatelink.snowflakecomputing.com"
    assert "ocsp.acme-my-dev.privatelink.snowflakecomputing.com" in hosts


def test_hosts_that_snowflake_has_named_take_the_place_of_patterns() -> None:
    spec = spec_of(network={"snowflake_hosts": ["sfc-stage.s3.eu-central-1.amazonaws.com", "ocsp.digicert.com:80"]})
    assert not any(each.is_pattern for each in egress(Environment.of(spec)))
    assert by_host(spec)["ocsp.digicert.com"].port == 80


def test_china_has_hosts_of_its_own() -> None:
    found = by_host(spec_of(aws={"region": "cn-north-1", "partition": "aws-cn"}))
    assert {"kinesis.cn-north-1.amazonaws.com.cn", "iam.cn-north-1.amazonaws.com.cn"} <= found.keys()
    snowflake = {"acme-my-dev.snowflakecomputing.cn", "*.snowflakecomputing.cn", "ocsp.snowflakecomputing.cn"}
    assert {host for host in found if "snowflakecomputing" in host} == snowflake
    assert found["kinesis.cn-north-1.amazonaws.com.cn"].endpoint == "cn.com.amazonaws.cn-north-1.kinesis-streams"
    assert found["secretsmanager.cn-north-1.amazonaws.com.cn"].endpoint == "com.amazonaws.cn-north-1.secretsmanager"


def test_endpoints_that_are_made_are_those_that_are_listed() -> None:
    """Refuses a second opinion about the services' names."""
    made = {
        "vpc": "vpc-0a1b2c3d",
        "route_tables": ["rtb-0a1b2c3d"],
        "subnets": ["subnet-0a1b2c3d"],
        "clients": ["10.0.0.0/16"],
    }
    services = [each.value for each in Interface]
    for place in (
        {"region": "cn-north-1", "partition": "aws-cn"},
        {"region": "us-gov-west-1", "partition": "aws-us-gov"},
    ):
        spec = spec_of(aws=place, network={"vpc_endpoints": {**made, "interfaces": services}})
        (component,) = endpoints(Environment.of(spec))
        listed = {each.endpoint for each in egress(Environment.of(spec))}
        made_here = [row for row in component.resources() if row.type == "aws_vpc_endpoint"]
        by_service = {row.name.removeprefix("endpoints-"): row.arguments["service_name"] for row in made_here}
        assert {
            by_service[each] for each in ("kinesis", "sts", "secretsmanager", "kms", "logs", "s3", "dynamodb")
        } <= listed


def test_the_oldest_region_has_hosts_without_its_name() -> None:
    hosts = by_host(smallest(aws={"region": "us-east-1"}))
    assert {"s3.amazonaws.com", "firnline-dev-123456789012-us-east-1.s3.amazonaws.com"} <= hosts.keys()


@pytest.mark.parametrize(
    "network",
    [{"endpoints": {"kinesis": "http://x"}}, {"endpoints": {"kms": "https://x"}}, {"snowflake_hosts": ["https://x/"]}],
)
def test_what_is_no_endpoint_is_refused(network: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="network"):
        spec_of(network=network)


def test_an_engine_behind_a_proxy_asks_private_endpoints_without_it_and_its_job_too() -> None:
    proxy: dict[str, Any] = {"url": "http://proxy.example.com:3128", "no_proxy": ["registry.internal"]}
    vpc = {
        "vpc": "vpc-0a1b2c3d",
        "route_tables": ["rtb-0a1b2c3d"],
        "interfaces": ["kinesis"],
        "subnets": ["subnet-0a1b2c3d"],
        "clients": ["10.0.0.0/16"],
    }
    spec = spec_of(proxy=proxy, network={"endpoints": {"sts": "https://vpce-1.sts.example.com"}, "vpc_endpoints": vpc})
    said = engine_config(Environment.of(spec), blueprint_of(spec).outputs)["proxy"]["no_proxy"]
    region = spec.aws.region
    public = [f"{service}.{region}.amazonaws.com" for service in ("s3", "dynamodb", "kinesis")]
    assert said == ["registry.internal", *public, "vpce-1.sts.example.com"]
    assert variables_of_proxy(Environment.of(spec))["NO_PROXY"].endswith(",".join(said))
    assert s3a_proxy(Environment.of(spec)) == {}, "the gateway leads to S3"
    assert by_host(spec)["proxy.example.com"].port == 3128
    behind = spec_of(proxy=proxy)
    assert s3a_proxy(Environment.of(behind))["spark.hadoop.fs.s3a.proxy.host"] == "proxy.example.com"


def test_a_proxys_login_is_in_no_variable_of_a_job_and_the_engine_may_read_its_secret() -> None:
    arn = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:proxy-a1b2c3"
    spec = spec_of(proxy={"url": "http://proxy.example.com:3128", "login": {"secret_arn": arn}})
    assert (variables_of_proxy(Environment.of(spec)), s3a_proxy(Environment.of(spec))) == ({}, {})
    assert arn in login_secrets(Environment.of(spec))
