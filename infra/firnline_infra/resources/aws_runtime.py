"""Resources of the engine in AWS, and of where it runs: roles, applications and clusters, networks."""

import json

from firnline_infra.blueprint.aws import IamRole, IamUser
from firnline_infra.blueprint.runtime import (
    Ec2Cluster,
    ServerlessApplicationDefinition,
    VirtualClusterDefinition,
)
from firnline_infra.blueprint.value import Reference
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
