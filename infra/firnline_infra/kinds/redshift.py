"""Redshift Serverless, or a cluster, that reads streams into views, and what refreshes those on a schedule.

Views are not resources: the Data API makes them (`firnline_infra.redshift`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.aws import IamRole
from firnline_infra.blueprint.iam.redshift import refresh_statements, schedule_trust
from firnline_infra.blueprint.redshift.definitions import RedshiftCluster, RedshiftWorkgroup, StreamViewDefinition
from firnline_infra.blueprint.redshift.destination import reading_policy, reading_trust, stream_views
from firnline_infra.blueprint.redshift.refreshing import ended_well, rate, refresh_request
from firnline_infra.blueprint.storage import key_value
from firnline_infra.blueprint.value import Reference
from firnline_infra.environment import Environment
from firnline_infra.kinds.kind import COMPARE, TAGS, Kind, Lookup, Right, Scope, own_name
from firnline_infra.kinds.principals import runtime_role
from firnline_infra.kinds.resource import Component, Resource
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.names import refresh_of
from firnline_infra.specification.redshift import ADMINISTRATOR, Redshift

WHICH_THERE_ARE = "Which there are: a name is one's in its account and region."
READS_AS, REFRESHED_AS = Reference("redshift-role"), Reference("redshift-refresh-role")


def rows(environment: Environment) -> Iterator[Component]:
    """Yields all components of the family, in the order in which they can be made."""
    for each in (reading_roles, workgroups, clusters, refreshing_roles, schedules):
        yield from each(environment)


def roles(environment: Environment) -> Iterator[Component]:
    """The roles that it reads streams as, and that its views are refreshed as."""
    yield from reading_roles(environment)
    yield from refreshing_roles(environment)


def reading_roles(environment: Environment) -> Iterator[Component]:
    """The role that reads streams."""
    section = environment.redshift
    if section is not None:
        role = IamRole(
            name=environment.names.redshift_role,
            trust=reading_trust(environment, section),
            statements=reading_policy(environment, section),
            description=f"Redshift reads streams, environment {environment.name}",
            permissions_boundary=environment.aws.permissions_boundary,
            tags=environment.tags("redshift"),
        )
        made = runtime_role("redshift-role", role)
        yield replace(made, gives={READS_AS: made.outputs["arn"]})


def workgroups(environment: Environment) -> Iterator[Component]:
    """A workgroup with its namespace, unless one is adopted."""
    section = environment.redshift
    if section is None or section.workgroup is None or not section.is_made:
        return
    group = RedshiftWorkgroup(
        name=section.workgroup.name or environment.names.application,
        database=section.database,
        role_arn=READS_AS,
        is_default_role=section.default_role,
        base_capacity=section.workgroup.base_capacity,
        subnets=tuple(section.workgroup.subnets),
        security_groups=tuple(section.workgroup.security_groups),
        case_sensitive=section.case_sensitive,
        durability=environment.durability,
        tags=environment.tags("redshift"),
    )
    yield redshift_serverless("redshift", group)


def clusters(environment: Environment) -> Iterator[Component]:
    """A provisioned cluster, unless one is adopted."""
    section = environment.redshift
    name = None if section is None else section.cluster_name(environment.names.application)
    if section is None or section.cluster is None or name is None or not section.is_made:
        return
    cluster = RedshiftCluster(
        name=name,
        database=section.database,
        administrator=ADMINISTRATOR,
        role_arn=READS_AS,
        is_default_role=section.default_role,
        node_type=section.cluster.node_type,
        nodes=section.cluster.nodes,
        key_arn=key_value(environment),
        subnet_group=section.cluster.subnet_group,
        parameter_group=section.cluster.parameter_group,
        security_groups=tuple(section.cluster.security_groups),
        durability=environment.durability,
        tags=environment.tags("redshift"),
    )
    yield redshift_cluster("redshift", cluster)


def refreshing_roles(environment: Environment) -> Iterator[Component]:
    """The role that refreshes views on a schedule, if there is such a view."""
    section = environment.redshift
    if section is None or not _refreshed(environment):
        return
    arns, is_keyed = environment.arns, section.cluster is not None and section.is_made
    application, key = environment.names.application, key_value(environment) if is_keyed else None
    role = IamRole(
        name=environment.names.redshift_refresh_role,
        trust=schedule_trust(account=environment.aws.account, group=arns.schedule_group("default")),
        statements=refresh_statements(arns, section, application=application, key=key),
        description=f"EventBridge Scheduler refreshes views of Redshift, environment {environment.name}",
        permissions_boundary=environment.aws.permissions_boundary,
        tags=environment.tags("redshift"),
    )
    made = runtime_role("redshift-refresh-role", role)
    yield replace(made, gives={REFRESHED_AS: made.outputs["arn"]})


def schedules(environment: Environment) -> Iterator[Component]:
    """The schedule of each view that has one, and a rule of the same name that counts the refreshes which ended well, if there
    is an alarm to count for."""
    views = _refreshed(environment)
    made = [_schedule(environment, each) for each in views]
    rules = [_rule(environment, each) for each in views if environment.alarms.are_made]
    if made:
        yield Component("RefreshSchedules", "redshift-refresh", (*made, *rules))


@dataclass(frozen=True, kw_only=True)
class _Refreshed:
    """A view that is refreshed on a schedule."""

    section: Redshift
    minutes: int
    view: StreamViewDefinition
    name: str
    """Of the schedule, and of the rule."""

    @property
    def place(self) -> str:
        return f"{self.view.schema}.{self.view.name}"

    @property
    def logical(self) -> str:
        return f"redshift-refresh-{self.place.replace('.', '-')}"


def _refreshed(environment: Environment) -> list[_Refreshed]:
    section = environment.redshift
    if section is None:
        return []
    pairs = zip(section.views, stream_views(environment, section), strict=True)
    return [
        _Refreshed(section=section, minutes=minutes, view=view, name=refresh_of(environment.names.application, said))
        for said, view in pairs
        if (minutes := said.refresh_every_minutes) is not None
    ]


def _schedule(environment: Environment, each: _Refreshed) -> Resource:
    target = {
        "arn": f"arn:{environment.aws.partition}:scheduler:::aws-sdk:redshiftdata:executeStatement",
        "role_arn": REFRESHED_AS,
        "input": refresh_request(each.section, environment.names.application, each.view, each.name),
        "retry_policy": {"maximum_retry_attempts": 0},  # the next refresh reads what this one would have read
    }
    arguments = {
        "name": each.name,
        "description": f"Refreshes view {each.place}",
        "schedule_expression": rate(each.minutes),
        "flexible_time_window": {"mode": "OFF"},
        "target": target,
    }
    return Resource(SCHEDULE.terraform_type, each.logical, arguments)


def _rule(environment: Environment, each: _Refreshed) -> Resource:
    """A rule without a target, whose matches CloudWatch counts."""
    arguments = {
        "name": each.name,
        "description": f"Counts the refreshes of view {each.place} that ended well",
        "event_pattern": ended_well(each.name),
        "tags": environment.tags("redshift"),
    }
    return Resource(EVENT_RULE.terraform_type, f"{each.logical}-counted", arguments)


def redshift_serverless(name: str, args: RedshiftWorkgroup) -> Component:
    """The service answers all parameters that there are, and the provider takes those that are not said for a change: they count
    while it is made, and `firnline redshift apply` looks at the one that views need."""
    namespace = Resource(
        NAMESPACE.terraform_type,
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
        WORKGROUP.terraform_type,
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
        CLUSTER.terraform_type,
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


def _identifier(row: Any) -> str:
    return str(row.arguments["cluster_identifier"])


def _arns(blueprint: Blueprint, arns: Arns) -> Iterator[str]:
    """CreateClusterSnapshot is asked for of the snapshot (Service Authorization Reference)."""
    for row in CLUSTER.instances(blueprint):
        yield arns.redshift_cluster(_identifier(row))
        if (snapshot := row.arguments["final_snapshot_identifier"]) is not None:
            yield arns.redshift_snapshot(_identifier(row), snapshot)


def _serverless(what: str, arn: Callable[[Arns], str], *changes: Right, makes: str, removes: str) -> Kind:
    """`what` as the service calls it: namespace or workgroup. AWS makes up the id in its ARN."""
    title = what.capitalize()
    return Kind(
        f"aws:redshiftserverless/{what}:{title}",
        f"{what} of Redshift Serverless",
        import_id=f"{{{what}Name}}",
        service="redshift-serverless",
        rows=workgroups,
        name=lambda row: str(row.arguments[f"{what}_name"]),
        arn=lambda arns, _: arn(arns),
        exists=Lookup(
            "redshift-serverless",
            f"list_{what}s",
            request=lambda _: {},
            answer=f"{what}s",
            matches=lambda entry, wanted: entry[f"{what}Name"] == wanted.arguments[f"{what}_name"],
        ),
        matched_by_tag=True,
        rights=(
            Right(makes, create=f"Create{title}", scope=Scope.NEW_TAG),
            Right(TAGS, create="TagResource", update="UntagResource"),
            Right(COMPARE, read=f"Get{title} ListTagsForResource"),
            Right(WHICH_THERE_ARE, read=f"List{title}s", scope=Scope.REGION),
            *changes,
            Right(removes, delete=f"Delete{title}"),
        ),
    )


NAMESPACE = _serverless(
    "namespace",
    lambda arns: arns.redshift_namespace("*"),
    Right("Which roles it may be, and its encryption.", update="UpdateNamespace"),
    makes="Makes it, with its database.",
    removes="Removes it with its database.",
)
WORKGROUP = _serverless(
    "workgroup",
    lambda arns: arns.workgroup("*"),
    Right("Its capacity, network and parameters.", update="UpdateWorkgroup"),
    makes="Makes it, over the namespace.",
    removes="Removes it.",
)
CLUSTER = Kind(
    "aws:redshift/cluster:Cluster",
    "cluster of Redshift",
    import_id="{clusterIdentifier}",
    service="redshift",
    rows=clusters,
    name=_identifier,
    arns=_arns,
    exists=Lookup("redshift", "describe_clusters", "ClusterIdentifier"),
    rights=(
        Right("Makes it, with its database.", create="CreateCluster"),
        Right(TAGS, create="CreateTags", update="DeleteTags"),
        Right(COMPARE, read="DescribeClusters"),
        Right("Its nodes, network, key and parameters.", update="ModifyCluster"),
        Right("Which roles it may be.", update="ModifyClusterIamRoles"),
        Right(
            "Removes it, after a last snapshot of one that is protected.", delete="DeleteCluster CreateClusterSnapshot"
        ),
    ),
)
SCHEDULE = Kind(
    "aws:scheduler/schedule:Schedule",
    "schedule of EventBridge",
    import_id="default/{name}",
    service="scheduler",
    rows=schedules,
    arn=lambda arns, row: arns.schedule(own_name(row)),
    exists=Lookup("scheduler", "get_schedule", "Name"),
    rights=(
        Right("Makes it.", create="CreateSchedule"),
        Right("How often it runs, and what.", update="UpdateSchedule"),
        Right(COMPARE, read="GetSchedule"),
        Right("Removes it when it leaves the specification.", delete="DeleteSchedule"),
    ),
)
EVENT_RULE = Kind(
    "aws:cloudwatch/eventRule:EventRule",
    "rule of EventBridge",
    import_id="{name}",
    service="events",
    rows=schedules,
    arn=lambda arns, row: arns.event_rule(own_name(row)),
    exists=Lookup("events", "describe_rule", "Name"),
    rights=(
        Right("Makes it, and changes it.", create="PutRule"),
        Right(TAGS, create="TagResource", update="UntagResource"),
        Right(COMPARE, read="DescribeRule ListTagsForResource"),
        Right("Removes it when it leaves the specification.", delete="DeleteRule"),
    ),
)
