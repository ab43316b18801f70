"""CloudWatch, SNS and Systems Manager: alarms and whom they notify, a dashboard, logs, and the outputs that are published."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.alarms import alarms
from firnline_infra.blueprint.dashboard import dashboard_body
from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.blueprint.stack_outputs import published
from firnline_infra.environment import Environment
from firnline_infra.kinds.comparison import Comparison, Difference, Subject
from firnline_infra.kinds.kind import COMPARE, TAGS, Kind, Lookup, Right, Scope, own_name
from firnline_infra.kinds.resource import Component, PolicyText, Resource
from firnline_infra.specification.arns import Arns

LOGS_DAYS = 30
LONGEST_LIST = 25_000
"""Characters of ARNs in the policy of a topic, which takes 30 KB (SNS, "Policy quotas", 2026-11-29)."""
PASSWORD = re.compile(r"^(https?://[^/@:]*:)[^/@]*(?=@)")
"""SNS lists a URL with four asterisks in its place (hashicorp/terraform#11108, read on 2026-11-29)."""
KEY_IN_A_URL = re.compile(r"^(https://)(?:[^/@]*@)?([^/]+)/.+")
GOES_BY_ITSELF = (
    "nothing: what is not confirmed can't be removed, and SNS removes it after 48 hours (SNS's guide, CleanUp)"
)


def log_groups(environment: Environment) -> Iterator[Component]:
    """CloudWatch encrypts it with its own key: one of a customer's would have to allow that service in its own policy."""
    runtime = environment.aws.runtime
    section = runtime.emr_serverless or runtime.emr_eks
    if section is None or section.log_group is None:
        return
    arguments = {
        "name": section.log_group,
        "retention_in_days": LOGS_DAYS,
        "tags": environment.tags("runtime"),
    }
    group = Resource(LOG_GROUP.terraform_type, "engine-logs-group", arguments)
    yield Component("LogGroup", "engine-logs", (group,), {"name": group["name"]})


def metric_alarms(environment: Environment) -> Iterator[Component]:
    """Yields nothing if the specification names nobody to notify."""
    options = environment.alarms
    topics: list[Any] = list(options.topics)
    if options.notify:
        topic = _topic(environment)
        topics.append(topic["arn"])
        yield Component("AlarmTopic", "alarms-notify", (topic, *_subscriptions(topic, options.notify)))
    made = alarms(environment, topics) if topics else ()
    rows = tuple(Resource(ALARM.terraform_type, f"alarms-{each['alarm_name']}", each) for each in made)
    if rows:
        yield Component("IngestAlarms", "alarms", rows)


def _topic(environment: Environment) -> Resource:
    """A topic of which the environment's alarms are the only publishers: SNS's own policy for a topic would let the account's
    whole CloudWatch publish, and more. Alarms of an application whose name only begins as this one's are none of them."""
    name, arns = environment.names.alarm_topic, environment.arns
    publishes = PolicyStatement(
        sid="AlarmsPublish",
        principals={"Service": "cloudwatch.amazonaws.com"},
        actions=("sns:Publish",),
        resources=(arns.regional("sns", name),),
        conditions={
            "StringEquals": {"aws:SourceAccount": environment.aws.account},
            "ArnLike": {"aws:SourceArn": _publishers(environment)},
        },
    )
    arguments = {"name": name, "policy": PolicyText((publishes,)), "tags": environment.tags("alarm")}
    return Resource(TOPIC.terraform_type, "alarms-notify-topic", arguments)


def _publishers(environment: Environment) -> tuple[str, ...] | str:
    """Returns the ARNs of the alarms; where they are too many for a topic's policy, what they begin with."""
    arns = environment.arns
    made = tuple(arns.regional("cloudwatch", f"alarm:{each['alarm_name']}") for each in alarms(environment, ()))
    if sum(map(len, made)) <= LONGEST_LIST:
        return made
    return arns.regional("cloudwatch", f"alarm:{environment.names.application}-*")


def _subscriptions(topic: Resource, endpoints: Sequence[str]) -> Iterator[Resource]:
    """A URL may hold a key, which no name of a resource shows."""
    for each in endpoints:
        protocol = "https" if each.startswith("https://") else "email"
        arguments = {"topic_arn": topic["arn"], "protocol": protocol, "endpoint": each}
        name = f"alarms-notify-{hashlib.sha256(each.encode()).hexdigest()[:8]}"
        yield Resource(SUBSCRIPTION.terraform_type, name, arguments)


def _topic_arn(row: Any) -> str:
    """The ARN as the topic's policy names it."""
    return str(row.arguments["policy"].statements[0].resources[0])


def _subscribers(subject: Subject) -> Iterator[Difference]:
    """Yields subscriptions that the specification does not name, and named ones that are not confirmed."""
    pages = subject.clients("sns").get_paginator("list_subscriptions_by_topic")
    found = (page["Subscriptions"] for page in pages.paginate(TopicArn=_topic_arn(subject.wanted)))
    named = {PASSWORD.sub(r"\1****", each) for each in subject.environment.alarms.notify}
    for each in (each for subscriptions in found for each in subscriptions if each["SubscriptionArn"] != "Deleted"):
        endpoint, arn = KEY_IN_A_URL.sub(r"\1\2/…", each["Endpoint"]), each["SubscriptionArn"]
        path = f"subscription {each['Protocol']} {endpoint}"
        is_confirmed = arn.startswith("arn:")
        if PASSWORD.sub(r"\1****", each["Endpoint"]) not in named:
            step = f"aws sns unsubscribe --subscription-arn {arn}" if is_confirmed else GOES_BY_ITSELF
            yield Difference.unwanted(path, "notified of each alarm" if is_confirmed else "pending confirmation", step)
        elif not is_confirmed:
            step = "follow the link that SNS sent there; 48 hours after it, `firnline up` has SNS send another"
            yield Difference(path=path, expected="confirmed", found="pending confirmation", next_step=step)


def dashboards(environment: Environment) -> Iterator[Component]:
    if environment.metrics.dashboard:
        names = environment.names
        arguments = {"dashboard_name": names.application, "dashboard_body": dashboard_body(environment)}
        row = Resource(DASHBOARD.terraform_type, "dashboard", arguments)
        yield Component("OperationsDashboard", "dashboard", (row,))


def parameters(environment: Environment) -> Iterator[Component]:
    """The outputs in clear text: a preview shows what changes, and nothing in them is secret."""
    prefix = environment.publication.ssm_prefix
    if prefix is not None:
        yield Component("PublishedOutputs", "published", tuple(_parameters(environment, prefix)))


def _parameters(environment: Environment, prefix: str) -> Iterator[Resource]:
    for name, value, description in published(environment):
        arguments = {
            "name": f"{prefix}/{name}",
            "type": "String",
            "insecure_value": value,
            "description": description,
            "tags": environment.tags("publication"),
        }
        yield Resource(PARAMETER.terraform_type, f"published-{name}", arguments)


def rows(environment: Environment) -> Iterator[Component]:
    """Yields all components of the family."""
    for each in (log_groups, metric_alarms, dashboards, parameters):
        yield from each(environment)


def _alarm_name(row: Any) -> str:
    return str(row.arguments["alarm_name"])


def _dashboard_name(row: Any) -> str:
    return str(row.arguments["dashboard_name"])


def _log_group_arns(blueprint: Blueprint, arns: Arns) -> list[str]:
    """AWS asks for tags on the one, for all else on the other."""
    groups = map(own_name, LOG_GROUP.instances(blueprint))
    return [arn for group in groups for arn in (arns.log_group(group), arns.in_log_group(group))]


def _subscription_filters(subject: Subject) -> Iterator[Difference]:
    pages = subject.clients("logs").get_paginator("describe_subscription_filters")
    found = (page["subscriptionFilters"] for page in pages.paginate(logGroupName=own_name(subject.wanted)))
    for each in (each for filters in found for each in filters):
        name = each["filterName"]
        step = f"aws logs delete-subscription-filter --log-group-name {own_name(subject.wanted)} --filter-name {name}"
        yield Difference.unwanted(f"subscription {name}", f"to {each['destinationArn']}", step)


def _metric_filters(subject: Subject) -> Iterator[Difference]:
    """The engine writes its metrics as documents in its log; a filter turns any line into a metric, in any namespace."""
    pages = subject.clients("logs").get_paginator("describe_metric_filters")
    found = (page["metricFilters"] for page in pages.paginate(logGroupName=own_name(subject.wanted)))
    for each in (each for filters in found for each in filters):
        name, to = each["filterName"], each["metricTransformations"]
        metrics = ", ".join(f"{one['metricNamespace']}/{one['metricName']}" for one in to)
        step = f"aws logs delete-metric-filter --log-group-name {own_name(subject.wanted)} --filter-name {name}"
        yield Difference.unwanted(f"metric filter {name}", f"writes {metrics}, where alarms may look", step)


PARAMETER = Kind(
    "aws:ssm/parameter:Parameter",
    "parameter",
    import_id="{name}",
    service="ssm",
    checkov_skips={"CKV2_AWS_34": "outputs for other stacks, as Terraform's own: nothing in them is secret"},
    rows=parameters,
    arn=lambda arns, row: arns.regional("ssm", f"parameter{own_name(row)}"),
    exists=Lookup(
        "ssm",
        "describe_parameters",
        request=lambda wanted: {"ParameterFilters": [{"Key": "Name", "Values": [own_name(wanted)]}]},
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
    renamed={"alarm_name": "name", "metric_query": "metricQueries"},
    service="cloudwatch",
    rows=metric_alarms,
    name=_alarm_name,
    arn=lambda arns, row: arns.regional("cloudwatch", f"alarm:{_alarm_name(row)}"),
    exists=Lookup(
        "cloudwatch",
        "describe_alarms",
        request=lambda wanted: {"AlarmNames": [_alarm_name(wanted)]},
        answer="MetricAlarms",
    ),
    rights=(
        Right("Makes it, and changes it.", create="PutMetricAlarm"),
        Right(TAGS, create="TagResource", update="UntagResource"),
        Right(COMPARE, read="DescribeAlarms ListTagsForResource"),
        Right("Removes it when it leaves the specification.", delete="DeleteAlarms"),
    ),
)
TOPIC = Kind(
    "aws:sns/topic:Topic",
    "topic",
    service="sns",
    checkov_skips={
        "CKV_AWS_26": "a message names an alarm, and holds no record; a key would have to let CloudWatch use it"
    },
    rows=metric_alarms,
    arn=lambda _, row: _topic_arn(row),
    exists=Lookup("sns", "get_topic_attributes", request=lambda wanted: {"TopicArn": _topic_arn(wanted)}),
    rights=(
        Right("Makes it.", create="CreateTopic"),
        Right(TAGS, create="TagResource", update="UntagResource"),
        Right("Its policy: only alarms of the environment publish.", create="SetTopicAttributes"),
        Right(COMPARE, read="GetTopicAttributes ListTagsForResource"),
        Right("Removes it, and what subscribes to it.", delete="DeleteTopic"),
    ),
    comparisons=(Comparison(what="subscriptions", actions="ListSubscriptionsByTopic", find=_subscribers),),
)
SUBSCRIPTION = Kind(
    "aws:sns/topicSubscription:TopicSubscription",
    "subscription",
    renamed={"topic_arn": "topic"},
    service="sns",
    rows=metric_alarms,
    name=lambda row: str(row.arguments["endpoint"]),
    arn=lambda _, row: _topic_arn(row.arguments["topic_arn"].resource),
    rights=(
        Right("Has SNS ask each address and URL to confirm.", create="Subscribe"),
        Right(
            "Whether it is confirmed; AWS narrows it to no topic.",
            read="GetSubscriptionAttributes",
            scope=Scope.REGION,
        ),
        Right(
            "Removes who is notified no more; AWS narrows it to no topic.",
            delete="Unsubscribe",
            scope=Scope.REGION,
        ),
    ),
)
DASHBOARD = Kind(
    "aws:cloudwatch/dashboard:Dashboard",
    "dashboard",
    import_id="{dashboardName}",
    service="cloudwatch",
    rows=dashboards,
    name=_dashboard_name,
    arn=lambda arns, row: arns.global_("cloudwatch", f"dashboard/{_dashboard_name(row)}"),
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
    checkov_skips={
        "CKV_AWS_158": "no record is in a log; CloudWatch encrypts it with a key of its own",
        "CKV_AWS_338": "a log is for the engine's operators; what happened to a record is in the ledger and in the tables",
    },
    rows=log_groups,
    arns=_log_group_arns,
    exists=Lookup(
        "logs",
        "describe_log_groups",
        request=lambda wanted: {"logGroupNamePrefix": own_name(wanted)},
        answer="logGroups",
        matches=lambda entry, wanted: entry["logGroupName"] == own_name(wanted),
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
        Comparison(what="subscriptions", actions="DescribeSubscriptionFilters", find=_subscription_filters),
        Comparison(what="metric filters", actions="DescribeMetricFilters", find=_metric_filters),
    ),
)
KINDS = (PARAMETER, ALARM, DASHBOARD, LOG_GROUP, TOPIC, SUBSCRIPTION)
"""In the order in which policies list them."""
