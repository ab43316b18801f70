"""Resources that read streams into views: a workgroup of Redshift Serverless over a namespace, or a provisioned cluster."""

from firnline_infra.blueprint.redshift.definitions import (
    RedshiftCluster,
    RedshiftWorkgroup,
    RefreshSchedule,
    ScheduledRefreshes,
)
from firnline_infra.kinds.resource import Component, Resource


def redshift_serverless(name: str, args: RedshiftWorkgroup) -> Component:
    """The service answers all parameters that there are, and the provider takes those that are not said for a change: they count
    while it is made, and `firnline redshift apply` looks at the one that views need."""
    namespace = Resource(
        "aws_redshiftserverless_namespace",
        f"{name}-namespace",
        {
            "namespace_name": args.name,
            "db_name": args.database,
            "manage_admin_password": args.manage_admin_password,
            "iam_roles": [args.role_arn],
            "default_iam_role_arn": args.role_arn if args.is_default_role else None,
            "tags": args.tags,
        },
        durability=args.durability,
    )
    workgroup = Resource(
        "aws_redshiftserverless_workgroup",
        f"{name}-workgroup",
        {
            "workgroup_name": args.name,
            "namespace_name": namespace["namespace_name"],
            "base_capacity": args.base_capacity,
            "publicly_accessible": False,
            "enhanced_vpc_routing": args.enhanced_vpc_routing,
            "subnet_ids": list(args.subnets) or None,
            "security_group_ids": list(args.security_groups) or None,
            "config_parameter": [
                {"parameter_key": key, "parameter_value": value} for key, value in args.parameters.items()
            ]
            or None,
            "tags": args.tags,
        },
        ignore_changes=("config_parameter",),
    )
    outputs = {"workgroup_name": workgroup["workgroup_name"]}
    return Component("RedshiftServerless", name, (namespace, workgroup), outputs)


def redshift_cluster(name: str, args: RedshiftCluster) -> Component:
    """A last snapshot is kept of one that an environment protects."""
    cluster = Resource(
        "aws_redshift_cluster",
        f"{name}-cluster",
        {
            "cluster_identifier": args.name,
            "database_name": args.database,
            "node_type": args.node_type,
            "number_of_nodes": args.nodes,
            "master_username": args.administrator,
            "manage_master_password": args.manage_master_password,
            "iam_roles": [args.role_arn],
            "default_iam_role_arn": args.role_arn if args.is_default_role else None,
            "encrypted": "true",
            "kms_key_id": args.key_arn,
            "publicly_accessible": False,
            "enhanced_vpc_routing": args.enhanced_vpc_routing,
            "cluster_subnet_group_name": args.subnet_group,
            "cluster_parameter_group_name": args.parameter_group,
            "vpc_security_group_ids": list(args.security_groups) or None,
            "automated_snapshot_retention_period": args.snapshot_days,
            "skip_final_snapshot": args.last_snapshot is None,
            "final_snapshot_identifier": args.last_snapshot,
            "tags": args.tags,
        },
        durability=args.durability,
    )
    return Component("RedshiftProvisioned", name, (cluster,), {"cluster_identifier": cluster["cluster_identifier"]})


def refresh_schedules(name: str, args: ScheduledRefreshes) -> Component:
    members = [_schedule(f"{name}-{each.view.replace('.', '-')}", each) for each in args.schedules]
    rules = [_rule(f"{name}-{each.view.replace('.', '-')}-counted", each) for each in args.schedules if each.is_counted]
    return Component("RefreshSchedules", name, (*members, *rules))


def _schedule(name: str, args: RefreshSchedule) -> Resource:
    target = {
        "arn": args.target,
        "role_arn": args.role_arn,
        "input": args.input,
        "retry_policy": {"maximum_retry_attempts": args.retries},
    }
    return Resource(
        "aws_scheduler_schedule",
        name,
        {
            "name": args.name,
            "description": f"Refreshes view {args.view}",
            "schedule_expression": args.rate,
            "flexible_time_window": {"mode": args.flexible_time_window},
            "target": target,
        },
    )


def _rule(name: str, args: RefreshSchedule) -> Resource:
    """A rule without a target, whose matches CloudWatch counts."""
    description = f"Counts the refreshes of view {args.view} that ended well"
    arguments = {"name": args.name, "description": description, "event_pattern": args.pattern, "tags": args.tags}
    return Resource("aws_cloudwatch_event_rule", name, arguments)
