"""Networks."""

from typing import Any

from firnline_local.materialise.aws import ec2_security_group
from firnline_local.materialise.clients import Clients

from .case import Case, fresh

OUT = {"protocol": "-1", "fromPort": 0, "toPort": 0, "cidrBlocks": ["0.0.0.0/0"]}


def a_vpc(clients: Clients) -> str:
    return str(clients.aws("ec2").create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"])


def group_inputs(clients: Clients) -> dict[str, Any]:
    return {
        "name": fresh("group"),
        "description": "a group",
        "vpcId": a_vpc(clients),
        "egress": [OUT],
        "ingress": [{"protocol": "-1", "fromPort": 0, "toPort": 0, "self": True}],
        "tags": {"a": "1"},
    }


def opened(clients: Clients, id_: str) -> None:
    anybody = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}
    clients.aws("ec2").authorize_security_group_ingress(GroupId=id_, IpPermissions=[anybody])


def closed(clients: Clients, id_: str) -> None:
    everything = {"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}
    clients.aws("ec2").revoke_security_group_egress(GroupId=id_, IpPermissions=[everything])


CASES = [
    Case(
        kind=ec2_security_group,
        inputs=group_inputs,
        taken="InvalidGroup.Duplicate",
        behind={
            "ingress": opened,
            "egress": closed,
            "tags": lambda c, i: c.aws("ec2").delete_tags(Resources=[i], Tags=[{"Key": "a"}]),
        },
        changes={
            "egress": [{"protocol": "tcp", "fromPort": 443, "toPort": 443, "cidrBlocks": ["10.0.0.0/8"]}],
            "tags": {"b": "2"},
        },
    ),
]
