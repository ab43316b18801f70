"""Endpoints of AWS's services in a VPC: gateways and interfaces, with the policy that AWS gives them.

Rules: `resourceVPCEndpoint` of terraform-provider-aws 6 (internal/service/ec2/vpc_endpoint.go).
"""

from typing import Any

from firnline_local.materialise.aws.inputs import (
    as_list,
    as_outputs,
    require_carried,
    tag_difference,
    tags_of,
    value_of,
)
from firnline_local.materialise.aws.normalize import none_if, present, set_like
from firnline_local.materialise.clients import Clients
from firnline_local.materialise.resource import Made, Properties, Rules

TYPE = "aws:ec2/vpcEndpoint:VpcEndpoint"
RULES = Rules(
    replaced_by=frozenset({"serviceName", "vpcEndpointType", "vpcId", "region"}),
    defaults={"tags": {}, "vpcEndpointType": "Gateway"},
    values={"vpcEndpointType": frozenset({"Gateway", "Interface"})},
)
SETS = {"routeTableIds": "RouteTableIds", "subnetIds": "SubnetIds", "securityGroupIds": "SecurityGroupIds"}
INPUTS = frozenset({"serviceName", "vpcEndpointType", "vpcId", "privateDnsEnabled", "tags", "tagsAll", *SETS})
MISSING = "InvalidVpcEndpointId.NotFound"
GONE = ("deleted", "deleting")


def create(inputs: Properties, clients: Clients) -> Made:
    require_carried(TYPE, inputs, INPUTS, region=clients.region)
    tags = tags_of(inputs)
    asked = {
        "VpcId": inputs["vpcId"],
        "ServiceName": inputs["serviceName"],
        "VpcEndpointType": value_of("vpcEndpointType", inputs, RULES),
        "PrivateDnsEnabled": bool(inputs.get("privateDnsEnabled")),
        "TagSpecifications": [{"ResourceType": "vpc-endpoint", "Tags": as_list(tags)}] if tags else None,
        **{wire: list(inputs[name]) for name, wire in SETS.items() if inputs.get(name)},
    }
    id_: str = clients.aws("ec2").create_vpc_endpoint(**present(asked))["VpcEndpoint"]["VpcEndpointId"]
    return Made(id_, read(id_, inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> dict[str, Any] | None:
    """A deleted one can be asked for a while, and is gone."""
    ec2 = clients.aws("ec2")
    try:
        (found,) = ec2.describe_vpc_endpoints(VpcEndpointIds=[id_])["VpcEndpoints"]
    except ec2.exceptions.ClientError as error:
        none_if(error, MISSING)
        return None
    if found["State"] in GONE:
        return None
    ids = {
        "routeTableIds": found["RouteTableIds"],
        "subnetIds": found["SubnetIds"],
        "securityGroupIds": [group["GroupId"] for group in found["Groups"]],
    }
    return {
        "id": id_,
        "arn": f"arn:aws:ec2:{clients.region}:{clients.account}:vpc-endpoint/{id_}",
        "vpcId": found["VpcId"],
        "serviceName": found["ServiceName"],
        "vpcEndpointType": found["VpcEndpointType"],
        "privateDnsEnabled": found["PrivateDnsEnabled"],
        "state": found["State"],
        "policy": found["PolicyDocument"],
        "ownerId": found["OwnerId"],
        "region": clients.region,
        **{name: set_like(given, properties.get(name)) for name, given in ids.items()},
        **as_outputs(found.get("Tags", []), properties),
    }


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> dict[str, Any]:
    require_carried(TYPE, new, INPUTS, region=clients.region)
    ec2, asked = clients.aws("ec2"), dict[str, Any]()
    for name, wire in SETS.items():
        before, after = set(old.get(name) or ()), set(new.get(name) or ())
        asked |= {f"Add{wire}": sorted(after - before)} if after - before else {}
        asked |= {f"Remove{wire}": sorted(before - after)} if before - after else {}
    if asked:
        ec2.modify_vpc_endpoint(VpcEndpointId=id_, **asked)
    to_set, to_remove = tag_difference(old, new)
    if to_remove:
        ec2.delete_tags(Resources=[id_], Tags=[{"Key": key} for key in to_remove])
    if to_set:
        ec2.create_tags(Resources=[id_], Tags=as_list(to_set))
    return read(id_, new, clients) or {}


def delete(id_: str, properties: Properties, clients: Clients) -> None:
    """moto ends one that is gone already once more; the service says that it is gone."""
    if read(id_, properties, clients) is not None:
        clients.aws("ec2").delete_vpc_endpoints(VpcEndpointIds=[id_])
