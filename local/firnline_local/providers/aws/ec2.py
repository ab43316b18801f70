"""EC2: security groups with rules about addresses and about the group itself, and endpoints of AWS's services in a VPC.

Rules: terraform-provider-aws 6, internal/service/ec2/: `resourceSecurityGroup` (vpc_security_group.go; what a group lets out by
itself is taken away when it is made) and `resourceVPCEndpoint` (vpc_endpoint.go).
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from ipaddress import IPv4Network, IPv6Network
from typing import Any

from firnline_local.providers.aws.kind import AwsKind, Subject, WireField, made_by, on
from firnline_local.providers.aws.values import as_list, like, set_like
from firnline_local.providers.kind import Form, Properties, Rules

OF_A_RULE = frozenset({"protocol", "fromPort", "toPort", "cidrBlocks", "ipv6CidrBlocks", "self", "description"})
EVERY_PROTOCOL = "-1"
SIDES = {"egress": "IpPermissionsEgress", "ingress": "IpPermissions"}
DESCRIPTION = Form(
    r"[0-9A-Za-z_ .:/()#,@\[\]+=&;{}!$*-]*", "a text of letters, digits, blanks and _.:/()#,@[]+=&;{}!$*-"
)
IPV4 = Form(r"\S+/\d+", "an IPv4 network, without a bit behind its prefix", lambda text: bool(IPv4Network(text)))
IPV6 = Form(r"\S+/\d+", "an IPv6 network, without a bit behind its prefix", lambda text: bool(IPv6Network(text)))


def _of_rules(name: str, said: Any) -> dict[str, Any]:
    return {f"{side}.{name}": said for side in SIDES}


def _settle_tags(it: Subject, to_set: dict[str, str], to_remove: list[str]) -> None:
    if to_remove:
        it.client.delete_tags(Resources=[it.id], Tags=[{"Key": key} for key in to_remove])
    if to_set:
        it.client.create_tags(Resources=[it.id], Tags=as_list(to_set))


def _marked(tags: dict[str, str], *, of: str) -> list[dict[str, Any]]:
    return [{"ResourceType": of, "Tags": as_list(tags)}] if tags else []


def _make_group(it: Subject) -> str:
    made = made_by(
        "create_security_group", "GroupId", tags=partial(_marked, of="security-group"), under="TagSpecifications"
    )
    made_one = replace(it, id=str(made(it)))
    for side in SIDES:
        _put_rules(made_one, side)
    return made_one.id


def _put_rules(it: Subject, side: str) -> None:
    """Replaces what is there by what is asked for."""
    id_ = it.id
    (found,) = it.client.describe_security_groups(GroupIds=[id_])["SecurityGroups"]
    wanted: Sequence[Properties] = it.value(side)
    if there := found[SIDES[side]]:
        getattr(it.client, f"revoke_security_group_{side}")(GroupId=id_, IpPermissions=there)
    if wanted:
        asked = [_rule(each, id_) for each in wanted]
        getattr(it.client, f"authorize_security_group_{side}")(GroupId=id_, IpPermissions=asked)


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


def _rules_found(rules: Sequence[Properties], known: Any) -> Any:
    return like([_rule_found(each) for each in rules], known)


def _rule_found(rule: Properties) -> dict[str, Any]:
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


SECURITY_GROUP = AwsKind(
    type="aws:ec2/securityGroup:SecurityGroup",
    service="ec2",
    rules=Rules.of(
        "name namePrefix description vpcId region",
        defaults={
            "description": "Managed by Pulumi",
            "revokeRulesOnDelete": False,
            "egress": [],
            "ingress": [],
            "tags": {},
        },
        conflicts="name namePrefix",
        forms={
            "name": Form(r"(?!sg-).*", "a name that begins with something else than sg-"),
            **_of_rules("description", DESCRIPTION),
            **_of_rules("cidrBlocks", IPV4),
            **_of_rules("ipv6CidrBlocks", IPV6),
        },
        lengths={"name": (0, 255), "description": (0, 255), **_of_rules("description", (0, 255))},
    ),
    fields={
        "name": "GroupName",
        "description": "Description",
        "vpcId": "VpcId",
        **{side: WireField(found=found, like=_rules_found) for side, found in SIDES.items()},
    },
    outputs={
        "arn": lambda it, _: f"arn:aws:ec2:{it.clients.region}:{it.clients.account}:security-group/{it.id}",
        "ownerId": "OwnerId",
    },
    kept="revokeRulesOnDelete",
    by="GroupId",
    nested=dict.fromkeys(SIDES, OF_A_RULE),
    make=_make_group,
    look=lambda it: it.client.describe_security_groups(GroupIds=[it.id])["SecurityGroups"][0],
    updates=tuple(on(side, partial(_put_rules, side=side)) for side in SIDES),
    tags=_settle_tags,
    remove=lambda it: it.ask("delete_security_group"),
    gone="InvalidGroup.NotFound",
)

SETS = {"routeTableIds": "RouteTableIds", "subnetIds": "SubnetIds", "securityGroupIds": "SecurityGroupIds"}
REMOVED = ("deleted", "deleting")


def _look_at_endpoint(it: Subject) -> Properties | None:
    """A deleted one can be asked for a while, and is gone."""
    (found,) = it.client.describe_vpc_endpoints(VpcEndpointIds=[it.id])["VpcEndpoints"]
    return (
        None
        if found["State"] in REMOVED
        else {**found, "SecurityGroupIds": [each["GroupId"] for each in found["Groups"]]}
    )


def _modify_endpoint(it: Subject) -> None:
    asked = dict[str, Any]()
    for name, wire in SETS.items():
        before, after = (set(inputs.get(name) or ()) for inputs in (it.before, it.inputs))
        asked |= {f"Add{wire}": sorted(after - before)} if after - before else {}
        asked |= {f"Remove{wire}": sorted(before - after)} if before - after else {}
    if asked:
        it.ask("modify_vpc_endpoint", **asked)


VPC_ENDPOINT = AwsKind(  # with the policy that AWS gives it
    type="aws:ec2/vpcEndpoint:VpcEndpoint",
    service="ec2",
    rules=Rules.of(
        "serviceName vpcEndpointType vpcId region",
        defaults={"tags": {}, "vpcEndpointType": "Gateway"},
        values={
            "vpcEndpointType": "Gateway Interface",
            "ipAddressType": "ipv4 dualstack ipv6",
            "dnsOptions.dnsRecordIpType": "ipv4 dualstack ipv6 service-defined",
        },
        json="policy",
    ),
    fields={
        "vpcId": "VpcId",
        "serviceName": "ServiceName",
        "vpcEndpointType": "VpcEndpointType",
        "privateDnsEnabled": "PrivateDnsEnabled",
        **{name: WireField(wire, sent=lambda ids: list(ids) or None, like=set_like) for name, wire in SETS.items()},
    },
    outputs={
        "arn": lambda it, _: f"arn:aws:ec2:{it.clients.region}:{it.clients.account}:vpc-endpoint/{it.id}",
        "state": "State",
        "policy": "PolicyDocument",
        "ownerId": "OwnerId",
    },
    by="VpcEndpointId",
    make=made_by(
        "create_vpc_endpoint",
        "VpcEndpoint.VpcEndpointId",
        tags=partial(_marked, of="vpc-endpoint"),
        under="TagSpecifications",
    ),
    look=_look_at_endpoint,
    updates=(on(" ".join(SETS), _modify_endpoint),),
    tags=_settle_tags,
    remove=lambda it: it.client.delete_vpc_endpoints(VpcEndpointIds=[it.id]),
    looks_before=True,  # moto ends one that is gone already once more; the service says that it is gone
    gone="InvalidVpcEndpointId.NotFound",
)
KINDS = (SECURITY_GROUP, VPC_ENDPOINT)
