"""CloudWatch and Systems Manager: alarms, a dashboard, logs, and the outputs that are published."""

from collections.abc import Iterator

from firnline_infra.blueprint import Blueprint
from firnline_infra.kinds.comparison import Comparison, Difference, Subject
from firnline_infra.kinds.kind import COMPARE, TAGS, Kind, Lookup, Right, Scope, present
from firnline_infra.specification.arns import Arns


def _log_group_arns(blueprint: Blueprint, arns: Arns) -> list[str]:
    """AWS asks for tags on the one, for all else on the other."""
    groups = LOG_GROUP.made(blueprint)
    return [arn for group in groups for arn in (arns.log_group(group.name), arns.in_log_group(group.name))]


def _subscriptions(subject: Subject) -> Iterator[Difference]:
    pages = subject.clients("logs").get_paginator("describe_subscription_filters")
    found = (page["subscriptionFilters"] for page in pages.paginate(logGroupName=subject.wanted.name))
    for each in (each for filters in found for each in filters):
        name = each["filterName"]
        step = f"aws logs delete-subscription-filter --log-group-name {subject.wanted.name} --filter-name {name}"
        yield Difference.unwanted(f"subscription {name}", f"to {each['destinationArn']}", step)


def _metric_filters(subject: Subject) -> Iterator[Difference]:
    """The engine writes its metrics as documents in its log; a filter turns any line into a metric, in any namespace."""
    pages = subject.clients("logs").get_paginator("describe_metric_filters")
    found = (page["metricFilters"] for page in pages.paginate(logGroupName=subject.wanted.name))
    for each in (each for filters in found for each in filters):
        name, to = each["filterName"], each["metricTransformations"]
        metrics = ", ".join(f"{one['metricNamespace']}/{one['metricName']}" for one in to)
        step = f"aws logs delete-metric-filter --log-group-name {subject.wanted.name} --filter-name {name}"
        yield Difference.unwanted(f"metric filter {name}", f"writes {metrics}, where alarms may look", step)


PARAMETER = Kind(
    "aws:ssm/parameter:Parameter",
    "parameter",
    import_id="{name}",
    service="ssm",
    made=lambda blueprint: blueprint.publication,
    arn=lambda arns, parameter: arns.parameter(parameter.name),
    exists=Lookup(
        "ssm",
        "describe_parameters",
        request=lambda wanted: {"ParameterFilters": [{"Key": "Name", "Values": [wanted.name]}]},
        answer="Parameters",
    ),
    rights=(
        Right("Publishes an output, such as where the engine's configuration lies.", create="PutParameter"),
        Right(TAGS, create="AddTagsToResource", update="RemoveTagsFromResource"),
        Right(COMPARE, read="GetParameter ListTagsForResource"),
        Right(
            "The provider asks for its tier; AWS describes all parameters or none.",
            read="DescribeParameters",
            scope=Scope.REGION,
        ),
        Right("Removes it when it is published no more.", delete="DeleteParameter"),
    ),
)
ALARM = Kind(
    "aws:cloudwatch/metricAlarm:MetricAlarm",
    "alarm",
    import_id="{name}",
    service="cloudwatch",
    made=lambda blueprint: blueprint.alarms,
    arn=lambda arns, alarm: arns.alarm(alarm.name),
    exists=Lookup(
        "cloudwatch", "describe_alarms", request=lambda wanted: {"AlarmNames": [wanted.name]}, answer="MetricAlarms"
    ),
    rights=(
        Right("Makes it, and changes it.", create="PutMetricAlarm"),
        Right(TAGS, create="TagResource", update="UntagResource"),
        Right(COMPARE, read="DescribeAlarms ListTagsForResource"),
        Right("Removes it when it leaves the specification.", delete="DeleteAlarms"),
    ),
)
DASHBOARD = Kind(
    "aws:cloudwatch/dashboard:Dashboard",
    "dashboard",
    import_id="{dashboardName}",
    service="cloudwatch",
    made=lambda blueprint: present(blueprint.dashboard),
    arn=lambda arns, dashboard: arns.dashboard(dashboard.name),
    exists=Lookup("cloudwatch", "get_dashboard", "DashboardName"),
    rights=(
        Right("Makes it, and changes it.", create="PutDashboard"),
        Right(COMPARE, read="GetDashboard"),
        Right("Removes it when it leaves the specification.", delete="DeleteDashboards"),
    ),
)
LOG_GROUP = Kind(
    "aws:cloudwatch/logGroup:LogGroup",
    "log group",
    import_id="{name}",
    service="logs",
    made=lambda blueprint: present(blueprint.runtime.log_group),
    arns=_log_group_arns,
    exists=Lookup(
        "logs",
        "describe_log_groups",
        request=lambda wanted: {"logGroupNamePrefix": wanted.name},
        answer="logGroups",
        matches=lambda entry, wanted: entry["logGroupName"] == wanted.name,
    ),
    rights=(
        Right("Makes it.", create="CreateLogGroup"),
        Right(TAGS, create="TagResource"),
        Right("How long logs are kept.", create="PutRetentionPolicy", update="DeleteRetentionPolicy"),
        Right(TAGS, update="UntagResource"),
        Right(COMPARE, read="DescribeLogGroups", scope=Scope.REGION),
        Right(COMPARE, read="ListTagsForResource"),
        Right("Removes it with its logs.", delete="DeleteLogGroup"),
    ),
    comparisons=(
        Comparison(what="subscriptions", actions="DescribeSubscriptionFilters", find=_subscriptions),
        Comparison(what="metric filters", actions="DescribeMetricFilters", find=_metric_filters),
    ),
)
