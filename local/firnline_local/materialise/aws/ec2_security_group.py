"""Security groups of a VPC, with rules about addresses and about the group itself; those about other groups are not carried.

Rules: `resourceSecurityGroup` of terraform-provider-aws 6 (internal/service/ec2/vpc_security_group.go). What a group lets out
by itself is taken away when it is made.
"""

from collections.abc import Sequence
from typing import Any

from firnline_local.materialise.aws.inputs import (
    as_list,
    as_outputs,
    changed,
    require_carried,
    tag_difference,
    tags_of,
    value_of,
)
from firnline_local.materialise.aws.normalize import like, none_if
from firnline_local.materialise.clients import Clients
from firnline_local.materialise.resource import Made, Properties, Rules

TYPE = "aws:ec2/securityGroup:SecurityGroup"
RULES = Rules(
    replaced_by=frozenset({"name", "namePrefix", "description", "vpcId", "region"}),
    defaults={
        "description": "Managed by Pulumi",
        "revokeRulesOnDelete": False,
        "egress": [],
        "ingress": [],
        "tags": {},
    },
    conflicts=(frozenset({"name", "namePrefix"}),),
)
INPUTS = frozenset({"name", "description", "vpcId", "egress", "ingress", "revokeRulesOnDelete", "tags", "tagsAll"})
CARRIED = {"protocol", "fromPort", "toPort", "cidrBlocks", "ipv6CidrBlocks", "self", "description"}
EVERY_PROTOCOL = "-1"
SIDES = {"egress": "IpPermissionsEgress", "ingress": "IpPermissions"}


def create(inputs: Properties, clients: Clients) -> Made:
    _require_carried(inputs, clients)
    ec2 = clients.aws("ec2")
    tags = tags_of(inputs)
    marked = [{"ResourceType": "security-group", "Tags": as_list(tags)}] if tags else []
    id_ = ec2.create_security_group(
        GroupName=inputs["name"],
        Description=value_of("description", inputs, RULES),
        VpcId=inputs["vpcId"],
        TagSpecifications=marked,
    )["GroupId"]
    for side in SIDES:
        _put(ec2, id_, side, value_of(side, inputs, RULES))
    return Made(id_, read(id_, inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> dict[str, Any] | None:
    ec2 = clients.aws("ec2")
    try:
        (found,) = ec2.describe_security_groups(GroupIds=[id_])["SecurityGroups"]
    except ec2.exceptions.ClientError as error:
        none_if(error, "InvalidGroup.NotFound")
        return None
    return {
        "id": id_,
        "arn": f"arn:aws:ec2:{clients.region}:{clients.account}:security-group/{id_}",
        "name": found["GroupName"],
        "description": found["Description"],
        "vpcId": found["VpcId"],
        "ownerId": found["OwnerId"],
        "region": clients.region,
        **{side: like([_told(each) for each in found[name]], properties.get(side)) for side, name in SIDES.items()},
        "revokeRulesOnDelete": value_of("revokeRulesOnDelete", properties, RULES),
        **as_outputs(found.get("Tags", []), properties),
    }


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> dict[str, Any]:
    _require_carried(new, clients)
    ec2, differing = clients.aws("ec2"), changed(old, new, RULES)
    for side in SIDES.keys() & differing:
        _put(ec2, id_, side, value_of(side, new, RULES))
    to_set, to_remove = tag_difference(old, new)
    if to_remove:
        ec2.delete_tags(Resources=[id_], Tags=[{"Key": key} for key in to_remove])
    if to_set:
        ec2.create_tags(Resources=[id_], Tags=as_list(to_set))
    return read(id_, new, clients) or {}


def delete(id_: str, _: Properties, clients: Clients) -> None:
    ec2 = clients.aws("ec2")
    try:
        ec2.delete_security_group(GroupId=id_)
    except ec2.exceptions.ClientError as error:
        none_if(error, "InvalidGroup.NotFound")


def _require_carried(inputs: Properties, clients: Clients) -> None:
    require_carried(TYPE, inputs, INPUTS, region=clients.region)
    for side in SIDES:
        for rule in value_of(side, inputs, RULES):
            require_carried(f"{TYPE} {side}", rule, frozenset(CARRIED), region=clients.region)


def _put(ec2: Any, id_: str, side: str, rules: Sequence[Properties]) -> None:
    """What is there goes, what is asked for comes."""
    (found,) = ec2.describe_security_groups(GroupIds=[id_])["SecurityGroups"]
    if there := found[SIDES[side]]:
        getattr(ec2, f"revoke_security_group_{side}")(GroupId=id_, IpPermissions=there)
    if wanted := [_rule(each, id_) for each in rules]:
        getattr(ec2, f"authorize_security_group_{side}")(GroupId=id_, IpPermissions=wanted)


def _rule(rule: Properties, id_: str) -> dict[str, Any]:
    said = {"Description": rule["description"]} if rule.get("description") else {}
    ports = (
        {} if rule["protocol"] == EVERY_PROTOCOL else {"FromPort": int(rule["fromPort"]), "ToPort": int(rule["toPort"])}
    )
    return {
        "IpProtocol": rule["protocol"],
        **ports,
        "IpRanges": [{"CidrIp": each, **said} for each in rule.get("cidrBlocks") or ()],
        "Ipv6Ranges": [{"CidrIpv6": each, **said} for each in rule.get("ipv6CidrBlocks") or ()],
        "UserIdGroupPairs": [{"GroupId": id_, **said}] if rule.get("self") else [],
    }


def _told(rule: Properties) -> dict[str, Any]:
    ranges = [*rule.get("IpRanges", ()), *rule.get("Ipv6Ranges", ()), *rule.get("UserIdGroupPairs", ())]
    return {
        "protocol": rule["IpProtocol"],
        "fromPort": rule.get("FromPort", 0),
        "toPort": rule.get("ToPort", 0),
        "cidrBlocks": [each["CidrIp"] for each in rule.get("IpRanges", ())],
        "ipv6CidrBlocks": [each["CidrIpv6"] for each in rule.get("Ipv6Ranges", ())],
        "self": bool(rule.get("UserIdGroupPairs")),
        "description": next((each["Description"] for each in ranges if each.get("Description")), ""),
    }
