"""Rights on what has an id of AWS's making: whose it is, its tag says. It gets the tag while it is made.

What exists without our tag can't be changed by these. A security group can't be taken either: EC2 tells a tag that is given at
the creation from one that is given later. EMR Serverless does not, so an application that has no tag of ours could be given
one (reasons.py says what that means).
"""

from collections.abc import Iterator, Sequence

from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.render.bootstrap.engine_run import OURS
from firnline_infra.render.bootstrap.resources import (
    ASSOCIATION,
    CLUSTER,
    SECURITY_GROUP,
    SERVERLESS,
    VIRTUAL_CLUSTER,
    VPC_ENDPOINT,
    resources,
)
from firnline_infra.render.bootstrap.tagged_clusters import association, machines, virtual_cluster
from firnline_infra.render.bootstrap.tagged_endpoints import vpc_endpoint
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import application_of

KNOWN_BY_TAG = (SECURITY_GROUP, SERVERLESS, VIRTUAL_CLUSTER, ASSOCIATION, CLUSTER, VPC_ENDPOINT)
ON_PARENT = ("ec2:CreateSecurityGroup", "ec2:CreateVpcEndpoint", "eks:CreatePodIdentityAssociation")
"""Asked for on what the new thing is in."""
LINKED_ROLE = "aws-service-role/ops.emr-serverless.amazonaws.com/AWSServiceRoleForAmazonEMRServerless"
OF_EMR_SERVERLESS = "ops.emr-serverless.amazonaws.com"


def known_by_tag(
    spec: EnvironmentSpec, blueprint: Blueprint, kind: str, actions: Sequence[str]
) -> Iterator[PolicyStatement]:
    """`actions` of one type; a previewer's only read."""
    makes = {
        SECURITY_GROUP: _security_group,
        SERVERLESS: _application,
        VIRTUAL_CLUSTER: virtual_cluster,
        ASSOCIATION: association,
        CLUSTER: machines,
        VPC_ENDPOINT: vpc_endpoint,
    }[kind]
    if any(":Create" in action or action.endswith((":TagResource", ":AddTags")) for action in actions):
        yield from makes(spec, blueprint)
    own = tuple(action for action in actions if action not in ON_PARENT)
    if own:
        yield PolicyStatement(
            sid=f"Own{kind.rpartition(':')[2]}",
            actions=own,
            resources=resources(spec, blueprint)[kind],
            conditions={"StringEquals": {f"aws:ResourceTag/{OURS}": application_of(spec)}},
        )


def _security_group(spec: EnvironmentSpec, blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """EC2 asks for the right on the group that comes to be, and on its VPC."""
    arns, group, endpoints = Arns(spec), blueprint.runtime.security_group, blueprint.endpoints
    asked = {f"aws:RequestTag/{OURS}": application_of(spec)}
    making = ("ec2:CreateSecurityGroup",)
    yield PolicyStatement(
        sid="MakeSecurityGroup",
        actions=making,
        resources=(arns.security_group("*"),),
        conditions={"StringEquals": asked},
    )
    vpcs = [each.vpc for each in (group, endpoints) if each is not None]
    within = tuple(arns.vpc(vpc) for vpc in dict.fromkeys(vpcs))
    yield PolicyStatement(sid="MakeSecurityGroupInVpc", actions=making, resources=within)
    yield PolicyStatement(
        sid="TagNewSecurityGroup",
        actions=("ec2:CreateTags",),
        resources=(arns.security_group("*"),),
        conditions={"StringEquals": {**asked, "ec2:CreateAction": "CreateSecurityGroup"}},
    )


def _application(spec: EnvironmentSpec, _: Blueprint) -> Iterator[PolicyStatement]:
    """With a network, EMR Serverless asks for the right to make interfaces there in the name of whoever makes it."""
    arns, application = Arns(spec), application_of(spec)
    asked = {f"aws:RequestTag/{OURS}": application}
    yield PolicyStatement(
        sid="MakeApplication",
        actions=("emr-serverless:CreateApplication",),
        resources=("*",),
        conditions={"StringEquals": asked},
    )
    yield PolicyStatement(
        sid="TagNewApplication",
        actions=("emr-serverless:TagResource",),
        resources=(arns.serverless_application("*"),),
        conditions={
            "StringEquals": asked,
            "StringEqualsIfExists": {f"aws:ResourceTag/{OURS}": application},
        },
    )
    yield PolicyStatement(
        sid="ReachNetwork",
        actions=("ec2:CreateNetworkInterface",),
        resources=tuple(arns.network(kind) for kind in ("network-interface", "subnet", "security-group")),
        conditions={"StringEquals": {"aws:CalledViaLast": OF_EMR_SERVERLESS}},
    )
    yield PolicyStatement(
        sid="LetEmrServerlessIn",
        actions=("iam:CreateServiceLinkedRole",),
        resources=(arns.role(LINKED_ROLE),),
        conditions={"StringEquals": {"iam:AWSServiceName": OF_EMR_SERVERLESS}},
    )
