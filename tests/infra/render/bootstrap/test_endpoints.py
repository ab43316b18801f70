"""Tests of who may make VPC endpoints, and where."""

from typing import Any

import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.iam import policy_document
from firnline_infra.render.bootstrap.deployer import deployer_statements, previewer_statements
from firnline_local.aws.policy import is_allowed
from tests.infra.render.conftest import ENDPOINTS, RUNTIMES, running_on

EC2 = "arn:aws:ec2:eu-central-1:123456789012"
OURS = {"aws:RequestTag/firnline:application": "firnline-on", "aws:ResourceTag/firnline:application": "firnline-on"}
OTHERS = dict.fromkeys(OURS, "payroll")
HERE = {"aws:RequestedRegion": "eu-central-1"}


@pytest.fixture
def statements() -> list[dict[str, Any]]:
    spec = running_on(RUNTIMES["endpoints"])
    found: list[dict[str, Any]] = policy_document(deployer_statements(blueprint_of(spec)), str)["Statement"]
    return found


def test_an_endpoint_is_made_with_our_tag_in_the_places_that_are_named(statements: list[dict[str, Any]]) -> None:
    places = [
        *("vpc-endpoint/vpce-1", f"vpc/{ENDPOINTS['vpc']}", f"subnet/{ENDPOINTS['subnets'][0]}"),
        *(f"route-table/{ENDPOINTS['route_tables'][0]}", "security-group/sg-1"),
    ]
    make = "ec2:CreateVpcEndpoint"
    of_kinesis = {**OURS, "ec2:VpceServiceName": "com.amazonaws.eu-central-1.kinesis-streams"}
    assert all(is_allowed(statements, make, f"{EC2}:{place}", of_kinesis) for place in places)
    assert not any(
        is_allowed(statements, make, f"{EC2}:{place}", OURS)
        for place in ("vpc/vpc-1", "subnet/s-1", "route-table/rtb-1")
    )
    assert not is_allowed(statements, make, f"{EC2}:vpc-endpoint/vpce-1", {**of_kinesis, **OTHERS})
    of_anybody = {**OURS, "ec2:VpceServiceName": "com.amazonaws.vpce.eu-central-1.vpce-svc-0a1b2c3d4e5f60718"}
    assert not is_allowed(statements, make, f"{EC2}:vpc-endpoint/vpce-1", of_anybody)
    assert not is_allowed(statements, make, f"{EC2}:security-group/sg-1", OTHERS)


@pytest.mark.parametrize("action", ["ModifyVpcEndpoint", "DeleteVpcEndpoints", "DeleteTags", "CreateTags"])
def test_an_endpoint_of_others_is_out_of_reach(statements: list[dict[str, Any]], action: str) -> None:
    endpoint = f"{EC2}:vpc-endpoint/vpce-1"
    assert is_allowed(statements, f"ec2:{action}", endpoint, OURS)
    assert not is_allowed(statements, f"ec2:{action}", endpoint, OTHERS)


def test_a_previewer_looks_and_makes_nothing() -> None:
    spec = running_on(RUNTIMES["endpoints"])
    found = policy_document(previewer_statements(blueprint_of(spec)), str)["Statement"]
    assert is_allowed(found, "ec2:DescribeVpcEndpoints", "*", HERE)
    for action in ("CreateVpcEndpoint", "ModifyVpcEndpoint", "DeleteVpcEndpoints"):
        assert not is_allowed(found, f"ec2:{action}", f"{EC2}:vpc-endpoint/vpce-1", OURS)
