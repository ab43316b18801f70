"""Endpoints of AWS's services in the engine's VPC."""

from collections.abc import Mapping
from typing import Any

import pytest

from firnline_infra.blueprint.network import Party, egress
from firnline_infra.environment import Environment
from firnline_infra.kinds.network import endpoints
from firnline_infra.specification import EnvironmentSpec
from firnline_ingest.errors import ConfigError
from tests.infra.specifications import smallest

VPC, SUBNET, TABLE = "vpc-0a1b2c3d4e5f60718", "subnet-0a1b2c3d4e5f60718", "rtb-0a1b2c3d4e5f60718"
ALL = {"vpc": VPC, "route_tables": [TABLE], "subnets": [SUBNET], "clients": ["10.0.0.0/16"]}


def spec_of(section: dict[str, Any] | None) -> EnvironmentSpec:
    return smallest(network={"vpc_endpoints": section} if section else {})


def rows_of(section: dict[str, Any] | None, type_: str = "aws_vpc_endpoint") -> list[Mapping[str, Any]]:
    made = endpoints(Environment.of(spec_of(section)))
    return [row.arguments for each in made for row in each.resources() if row.type == type_]


def test_none_is_made_where_none_is_asked_for() -> None:
    assert rows_of(None) == []


def test_gateways_alone_need_no_group() -> None:
    assert not rows_of({"vpc": VPC, "route_tables": [TABLE], "interfaces": []}, "aws_security_group")


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ({"vpc": VPC}, "give route_tables with gateways"),
        ({**ALL, "clients": []}, "give clients with interfaces"),
        ({**ALL, "gateways": []}, "route_tables: there are no gateways"),
        ({"vpc": VPC, "gateways": [], "interfaces": []}, "give gateways or interfaces"),
        ({**ALL, "interfaces": ["sts", "sts"]}, "each service once"),
        ({**ALL, "clients": ["0.0.0.0/0"]}, "range of IPv4"),
    ],
)
def test_what_would_go_nowhere_is_refused(section: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        spec_of(section)


def test_the_list_of_hosts_says_which_are_reached_by_an_endpoint_that_is_made() -> None:
    found = {each.host: each.why for each in egress(Environment.of(spec_of(ALL))) if Party.ENGINE in each.needed_by}
    by = "in the VPC by the endpoint that is created"
    assert by in found["kinesis.eu-central-1.amazonaws.com"]
    assert by in found["firnline-dev-123456789012-eu-central-1.s3.eu-central-1.amazonaws.com"]
    assert by not in found["logs.eu-central-1.amazonaws.com"]


@pytest.mark.parametrize(
    ("clients", "expected"),
    [
        (["10.0.0.5/16"], "10.0.0.0/16"),
        (["999.0.0.0/16"], "999.0.0.0/16"),
        (["10.0.0.0/16", "10.0.0.0/16"], "given twice"),
    ],
)
def test_ranges_that_the_provider_or_ec2_refuses_are_refused_before(clients: list[str], expected: str) -> None:
    """terraform-provider-aws takes a network's own address alone (issue 4641 there)."""
    with pytest.raises(ConfigError, match="clients") as refused:
        spec_of({**ALL, "clients": clients})
    assert expected in str(refused.value)
