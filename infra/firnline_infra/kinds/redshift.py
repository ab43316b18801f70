"""Kinds that read streams into views: Redshift Serverless, or a cluster. Views are not resources: the Data API creates them."""

from collections.abc import Callable, Iterator

from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.redshift.definitions import RedshiftCluster, RedshiftWorkgroup, RefreshSchedule
from firnline_infra.kinds.kind import COMPARE, TAGS, Kind, Lookup, Right, Scope, present
from firnline_infra.specification.arns import Arns

WHICH_THERE_ARE = "Which there are: a name is one's in its account and region."


def workgroups(blueprint: Blueprint) -> list[RedshiftWorkgroup]:
    return present(*(each.workgroup for each in present(blueprint.redshift)))


def clusters(blueprint: Blueprint) -> list[RedshiftCluster]:
    return present(*(each.made_cluster for each in present(blueprint.redshift)))


def _arns_of(cluster: RedshiftCluster, arns: Arns) -> Iterator[str]:
    """CreateClusterSnapshot is asked for of the snapshot (Service Authorization Reference)."""
    yield arns.redshift_cluster(cluster.name)
    if cluster.last_snapshot is not None:
        yield arns.redshift_snapshot(cluster.name, cluster.last_snapshot)


def schedules(blueprint: Blueprint) -> list[RefreshSchedule]:
    refreshes = None if blueprint.redshift is None else blueprint.redshift.refreshes
    return [] if refreshes is None else list(refreshes.schedules)


def _serverless(what: str, arn: Callable[[Arns], str], *changes: Right, makes: str, removes: str) -> Kind:
    """`what` as the service calls it: namespace or workgroup. AWS makes up the id in its ARN."""
    title = what.capitalize()
    return Kind(
        f"aws:redshiftserverless/{what}:{title}",
        f"{what} of Redshift Serverless",
        import_id=f"{{{what}Name}}",
        service="redshift-serverless",
        made=workgroups,
        arn=lambda arns, _: arn(arns),
        exists=Lookup(
            "redshift-serverless",
            f"list_{what}s",
            request=lambda _: {},
            answer=f"{what}s",
            matches=lambda entry, wanted: entry[f"{what}Name"] == wanted.name,
        ),
        known_by_tag=True,
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
    arns=lambda blueprint, arns: [arn for each in clusters(blueprint) for arn in _arns_of(each, arns)],
    made=clusters,
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
    made=schedules,
    arn=lambda arns, schedule: arns.schedule(schedule.name),
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
    made=lambda blueprint: [each for each in schedules(blueprint) if each.is_counted],
    arn=lambda arns, rule: arns.event_rule(rule.name),
    exists=Lookup("events", "describe_rule", "Name"),
    rights=(
        Right("Makes it, and changes it.", create="PutRule"),
        Right(TAGS, create="TagResource", update="UntagResource"),
        Right(COMPARE, read="DescribeRule ListTagsForResource"),
        Right("Removes it when it leaves the specification.", delete="DeleteRule"),
    ),
)
