"""Resources of the engine in AWS, and of where it runs: roles, applications and clusters, networks."""

import json
from typing import Any

from firnline_infra.blueprint.aws import IamRole, IamUser
from firnline_infra.blueprint.runtime import (
    Ec2Cluster,
    InstanceProfileDefinition,
    SecurityGroup,
    ServerlessApplicationDefinition,
    VirtualClusterDefinition,
)
from firnline_infra.blueprint.value import Reference
from firnline_infra.blueprint.vpc_endpoints import HTTPS, VpcEndpoint, VpcEndpointsDefinition
from firnline_infra.kinds.resource import Component, FormattedText, PolicyText, Resource
from firnline_infra.runtimes.emr_ec2.options import MOST_ATTEMPTS


def runtime_role(name: str, args: IamRole) -> Component:
    """A role and its one inline policy."""
    role = Resource(
        "aws_iam_role",
        f"{name}-role",
        {
            "name": args.name,
            "description": args.description,
            "assume_role_policy": PolicyText(args.trust),
            "permissions_boundary": args.permissions_boundary,
            "tags": args.tags,
        },
    )
    policy = Resource(
        "aws_iam_role_policy",
        f"{name}-policy",
        {"name": args.policy_name, "role": role["name"], "policy": PolicyText(args.statements)},
    )
    return Component("RuntimeRole", name, (role, policy), {"name": role["name"], "arn": role["arn"]})


def runtime_user(name: str, args: IamUser) -> Component:
    """A user with one managed policy of its own."""
    user = Resource(
        "aws_iam_user",
        f"{name}-user",
        {
            "name": args.name,
            "force_destroy": args.force_destroy,
            "permissions_boundary": args.permissions_boundary,
            "tags": args.tags,
        },
    )
    policy = Resource(
        "aws_iam_policy",
        f"{name}-policy",
        {
            "name": args.name,
            "path": args.policy_path,
            "description": args.description,
            "policy": PolicyText(args.statements),
            "tags": args.tags,
        },
    )
    attached = {"user": user["name"], "policy_arn": policy["arn"]}
    attachment = Resource("aws_iam_user_policy_attachment", f"{name}-attachment", attached)
    return Component("RuntimeUser", name, (user, policy, attachment), {"name": user["name"], "arn": user["arn"]})


def instance_profile(name: str, args: InstanceProfileDefinition) -> Component:
    arguments = {"name": args.name, "role": args.role, "tags": args.tags}
    profile = Resource("aws_iam_instance_profile", f"{name}-profile", arguments)
    given = {Reference("runtime/instance-profile", "name"): profile["name"]}
    return Component("InstanceProfile", name, (profile,), {"name": profile["name"]}, gives=given)


def serverless_application(name: str, args: ServerlessApplicationDefinition) -> Component:
    application = Resource(
        "aws_emrserverless_application",
        f"{name}-application",
        {
            "name": args.name,
            "release_label": args.release,
            "type": "spark",
            "architecture": args.architecture,
            "auto_start_configuration": {"enabled": True},
            "auto_stop_configuration": {"enabled": True, "idle_timeout_minutes": args.idle_minutes},
            "maximum_capacity": {"cpu": f"{args.maximum_vcpus} vCPU", "memory": f"{args.maximum_memory_gb} GB"},
            "network_configuration": {
                "subnet_ids": list(args.subnets),
                "security_group_ids": list(args.security_groups),
            },
            "scheduler_configuration": {
                "max_concurrent_runs": args.concurrent_runs,
                "queue_timeout_minutes": args.queue_minutes,
            },
            "tags": args.tags,
        },
    )
    given = {Reference("runtime/application"): application["id"]}
    outputs = {"application_id": application["id"]}
    return Component("ServerlessApplication", name, (application,), outputs, gives=given)


def virtual_cluster(name: str, args: VirtualClusterDefinition) -> Component:
    where = {"id": args.cluster, "type": "EKS", "info": {"eks_info": {"namespace": args.namespace}}}
    arguments = {"name": args.name, "container_provider": where, "tags": args.tags}
    cluster = Resource("aws_emrcontainers_virtual_cluster", f"{name}-virtual-cluster", arguments)
    given = {Reference("runtime/virtual-cluster"): cluster["id"]}
    return Component("VirtualCluster", name, (cluster,), {"virtual_cluster_id": cluster["id"]}, gives=given)


YARN = {"Classification": "yarn-site", "Properties": {"yarn.resourcemanager.am.max-attempts": str(MOST_ATTEMPTS)}}
"""The cap of every application's own `attempts`, which YARN has at 2: changing it would be another cluster."""


def emr_cluster(name: str, args: Ec2Cluster) -> Component:
    groups = args.security_groups
    beside = FormattedText(",".join(f"{{{at}}}" for at, _ in enumerate(groups)), groups) if groups else None
    cluster = Resource(
        "aws_emr_cluster",
        f"{name}-cluster",
        {
            "name": args.name,
            "release_label": args.release,
            "applications": ["Spark"],
            "service_role": args.service_role,
            "log_uri": args.log_uri,
            "keep_job_flow_alive_when_no_steps": True,
            "termination_protection": args.is_protected,
            "step_concurrency_level": args.concurrent_steps,
            "configurations_json": json.dumps([YARN]),
            "master_instance_group": {"instance_type": args.instance_type, "instance_count": 1},
            "core_instance_group": {"instance_type": args.instance_type, "instance_count": args.core_nodes},
            "ec2_attributes": {
                "subnet_id": args.subnet,
                "instance_profile": args.instance_profile,
                "additional_master_security_groups": beside,
                "additional_slave_security_groups": beside,
            },
            "tags": args.tags,
        },
    )
    given = {Reference("runtime/cluster"): cluster["id"]}
    return Component("EmrCluster", name, (cluster,), {"cluster_id": cluster["id"]}, gives=given)


def engine_security_group(name: str, args: SecurityGroup) -> Component:
    everything = {"protocol": "-1", "from_port": 0, "to_port": 0}
    inward = {**everything, "self": True, "description": "Driver and executors among themselves"}
    outward = {**everything, "cidr_blocks": ["0.0.0.0/0"], "description": "AWS, Snowflake, registries"}
    rules = {"ingress": [inward], "egress": [outward]}
    group = _group(f"{name}-group", args.name, args, rules)
    given = {Reference("runtime/security-group"): group["id"]}
    return Component("EngineSecurityGroup", name, (group,), {"group_id": group["id"]}, gives=given)


def vpc_endpoints(name: str, args: VpcEndpointsDefinition) -> Component:
    rule = {
        "protocol": "tcp",
        "from_port": HTTPS,
        "to_port": HTTPS,
        "cidr_blocks": list(args.clients),
        "description": "HTTPS of clients",
    }
    group = _group(f"{name}-group", args.group_name, args, {"ingress": [rule]}) if args.has_group else None
    endpoints = (_endpoint(f"{name}-{each.service}", each, args, group) for each in args.endpoints)
    return Component("VpcEndpoints", name, (*([group] if group else []), *endpoints))


def _endpoint(name: str, each: VpcEndpoint, args: VpcEndpointsDefinition, group: Resource | None) -> Resource:
    return Resource(
        "aws_vpc_endpoint",
        name,
        {
            "vpc_id": args.vpc,
            "service_name": each.service_name,
            "vpc_endpoint_type": "Gateway" if each.is_gateway else "Interface",
            "route_table_ids": list(each.route_tables) or None,
            "subnet_ids": list(each.subnets) or None,
            "security_group_ids": [group["id"]] if group is not None and not each.is_gateway else None,
            "private_dns_enabled": None if each.is_gateway else True,
            "tags": args.tags,
        },
    )


def _group(
    name: str, called: str, args: SecurityGroup | VpcEndpointsDefinition, rules: dict[str, list[dict[str, Any]]]
) -> Resource:
    said = {"name": called, "description": args.description, "vpc_id": args.vpc, "tags": args.tags}
    return Resource("aws_security_group", name, {**said, **rules})
