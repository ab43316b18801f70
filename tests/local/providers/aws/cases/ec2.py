"""Networks."""

from typing import Any

from firnline_local.providers.aws import ec2
from firnline_local.providers.clients import Clients

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


def endpoint_inputs(clients: Clients) -> dict[str, Any]:
    """An interface, in a VPC of its own."""
    ec2, vpc = clients.aws("ec2"), a_vpc(clients)
    zones = [each["ZoneName"] for each in ec2.describe_availability_zones()["AvailabilityZones"]]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.1.0/24", AvailabilityZone=zones[0])["Subnet"]["SubnetId"]
    group = ec2.create_security_group(GroupName=fresh("group"), Description="a group", VpcId=vpc)["GroupId"]
    return {
        "vpcId": vpc,
        "serviceName": "com.amazonaws.us-east-1.kinesis-streams",
        "vpcEndpointType": "Interface",
        "subnetIds": [subnet],
        "securityGroupIds": [group],
        "privateDnsEnabled": True,
        "tags": {"a": "1", "of": fresh("endpoint")},
    }


def unguarded(clients: Clients, id_: str) -> None:
    group = (ec2.VPC_ENDPOINT.read(id_, {}, clients) or {})["securityGroupIds"]
    clients.aws("ec2").modify_vpc_endpoint(VpcEndpointId=id_, RemoveSecurityGroupIds=group)


CASES = [
    Case(
        kind=ec2.VPC_ENDPOINT,
        inputs=endpoint_inputs,
        taken=None,
        behind={
            "securityGroupIds": unguarded,
            "tags": lambda c, i: c.aws("ec2").delete_tags(Resources=[i], Tags=[{"Key": "a"}]),
        },
        changes={"tags": {"b": "2"}},
    ),
    Case(
        kind=ec2.SECURITY_GROUP,
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
