"""CloudWatch: dashboards, log groups, and alarms on one metric, without metric math; SNS: topics, and who subscribes to them.

Rules: terraform-provider-aws 6, `resourceDashboard` and `resourceMetricAlarm` (internal/service/cloudwatch/), `resourceGroup`
(internal/service/logs/group.go), `resourceTopic` and `resourceTopicSubscription` (internal/service/sns/).
"""

from collections.abc import Iterator, Mapping

from firnline_local.providers.aws.kind import (
    AwsKind,
    Subject,
    WireField,
    arn_as,
    document,
    made_by,
    on,
    sends,
    tags_by,
    tags_by_arn,
)
from firnline_local.providers.aws.values import as_document, as_list, json_like, set_like
from firnline_local.providers.kind import MOST, Form, Properties, Rules

SIZES = tuple(f"{prefix}{of}" for of in ("bytes", "bits") for prefix in ("", "Kilo", "Mega", "Giga", "Tera"))
UNITS = " ".join(
    (
        *(size.capitalize() for size in SIZES),
        *(f"{size.capitalize()}/Second" for size in SIZES),
        *("Seconds", "Microseconds", "Milliseconds", "Percent", "Count", "Count/Second", "None"),
    )
)
DAYS = "0 1 3 5 7 14 30 60 90 120 150 180 365 400 545 731 1096 1827 2192 2557 2922 3288 3653"

DASHBOARD = AwsKind(  # the service has one operation to make and to replace one
    type="aws:cloudwatch/dashboard:Dashboard",
    service="cloudwatch",
    rules=Rules.of(
        "dashboardName region",
        forms={"dashboardName": Form(r"[0-9A-Za-z_-]+", "a text of letters, digits, _ and -")},
        lengths={"dashboardName": (1, 255)},
        json="dashboardBody",
    ),
    fields={"dashboardName": "DashboardName", "dashboardBody": WireField("DashboardBody", like=json_like)},
    outputs={"dashboardArn": "DashboardArn"},
    by=lambda it: {"DashboardName": it.id},
    make=made_by("put_dashboard", "{dashboardName}"),
    look=lambda it: it.ask("get_dashboard"),
    updates=(sends("put_dashboard", "dashboardBody"),),
    remove=lambda it: it.client.delete_dashboards(DashboardNames=[it.id]),
    gone="ResourceNotFound ResourceNotFoundException",
)


def _look_at_group(it: Subject) -> Properties | None:
    pages = it.client.get_paginator("describe_log_groups").paginate(logGroupNamePrefix=it.id)
    found = next((each for page in pages for each in page["logGroups"] if each["logGroupName"] == it.id), None)
    if found is None:
        return None
    arn = found["arn"].removesuffix(":*")
    return {**found, "arn": arn, "tags": it.client.list_tags_for_resource(resourceArn=arn)["tags"]}


def _set_days(it: Subject) -> None:
    """Days are 0 where logs are kept for ever."""
    if days := it.value("retentionInDays"):
        it.ask("put_retention_policy", retentionInDays=int(days))
    else:
        it.ask("delete_retention_policy")


def _remove_group(it: Subject) -> None:
    if not it.value("skipDestroy"):
        it.ask("delete_log_group")


LOG_GROUP = AwsKind(
    type="aws:cloudwatch/logGroup:LogGroup",
    service="logs",
    rules=Rules.of(
        "name namePrefix region",
        defaults={"retentionInDays": 0, "skipDestroy": False, "tags": {}},
        values={"retentionInDays": DAYS, "logGroupClass": "STANDARD INFREQUENT_ACCESS DELIVERY"},
        conflicts="name namePrefix",
        forms={"name": Form(r"[0-9A-Za-z_./#-]+", "a text of letters, digits and _./#-")},
        lengths={"name": (1, 512)},
    ),
    fields={"name": "logGroupName", "retentionInDays": WireField(found="retentionInDays", absent=0)},
    outputs={"arn": "arn"},
    kept="skipDestroy",
    by="logGroupName",
    make=made_by("create_log_group", "{name}", tags=dict, under="tags"),
    later="retentionInDays",
    look=_look_at_group,
    updates=(on("retentionInDays", _set_days),),
    tags=tags_by_arn(),
    remove=_remove_group,
    gone="ResourceNotFoundException",
)


def _is_period(seconds: int) -> bool:
    return seconds in (10, 20, 30) or seconds % 60 == 0


def _one_statistic(inputs: Properties) -> Iterator[str]:
    """metric_alarm.go, the function of CustomizeDiff; both at once conflict already."""
    if inputs.get("metricName") and not (inputs.get("statistic") or inputs.get("extendedStatistic")):
        yield "statistic: one of `statistic` or `extended_statistic` must be set for a cloudwatch metric alarm."


def _look_at_alarm(it: Subject) -> Properties | None:
    alarms = it.client.describe_alarms(AlarmNames=[it.id])["MetricAlarms"]
    if not alarms:
        return None
    tags = it.client.list_tags_for_resource(ResourceARN=alarms[0]["AlarmArn"])["Tags"]
    return {**alarms[0], "Tags": tags}


WIRE: Mapping[str, str | WireField] = {
    "name": "AlarmName",
    "actionsEnabled": "ActionsEnabled",
    "alarmActions": WireField("AlarmActions", like=set_like, absent=[]),
    "alarmDescription": "AlarmDescription",
    "comparisonOperator": "ComparisonOperator",
    "datapointsToAlarm": "DatapointsToAlarm",
    "dimensions": WireField(
        "Dimensions",
        sent=lambda names: as_list(names, key="Name"),
        like=lambda found, _: {each["Name"]: each["Value"] for each in found},
        absent={},
    ),
    "evaluationPeriods": "EvaluationPeriods",
    "extendedStatistic": "ExtendedStatistic",
    "insufficientDataActions": WireField("InsufficientDataActions", like=set_like, absent=[]),
    "metricName": "MetricName",
    "namespace": "Namespace",
    "okActions": WireField("OKActions", like=set_like, absent=[]),
    "period": "Period",
    "statistic": "Statistic",
    "threshold": "Threshold",
    "treatMissingData": WireField("TreatMissingData", absent="missing"),
    "unit": "Unit",
}
METRIC_ALARM = AwsKind(
    type="aws:cloudwatch/metricAlarm:MetricAlarm",
    service="cloudwatch",
    rules=Rules.of(
        "name region",
        defaults={
            "actionsEnabled": True,
            "alarmActions": [],
            "alarmDescription": None,
            "datapointsToAlarm": None,
            "dimensions": {},
            "extendedStatistic": None,
            "insufficientDataActions": [],
            "okActions": [],
            "statistic": None,
            "tags": {},
            "treatMissingData": "missing",
            "unit": None,
        },
        values={
            "comparisonOperator": (
                "GreaterThanOrEqualToThreshold GreaterThanThreshold LessThanThreshold LessThanOrEqualToThreshold "
                "LessThanLowerOrGreaterThanUpperThreshold LessThanLowerThreshold GreaterThanUpperThreshold"
            ),
            "statistic": "SampleCount Average Sum Minimum Maximum",
            "treatMissingData": "breaching notBreaching ignore missing",
            "evaluateLowSampleCountPercentiles": "evaluate ignore",
            "unit": UNITS,
        },
        forms={"period": Form(r"\d+", "10, 20, 30 or a multiple of 60 seconds", lambda text: _is_period(int(text)))},
        lengths={
            **dict.fromkeys(("name", "namespace", "metricName"), (1, 255)),
            "alarmDescription": (0, 1024),
        },
        ranges=dict.fromkeys(("evaluationPeriods", "datapointsToAlarm"), (1, MOST)),
        arns="alarmActions okActions insufficientDataActions",
        checks=(_one_statistic,),
        conflicts=(
            "statistic extendedStatistic metricQueries,threshold thresholdMetricId,dimensions metricQueries,"
            "metricName metricQueries,namespace metricQueries,period metricQueries"
        ),
    ),
    fields=WIRE,
    outputs={"arn": "AlarmArn"},
    by="AlarmName",
    make=made_by("put_metric_alarm", "{name}", tags=as_list),  # the service has no other operation to make one
    look=_look_at_alarm,
    updates=(on(" ".join(WIRE), lambda it: it.client.put_metric_alarm(**it.request())),),
    tags=tags_by("tag_resource", "untag_resource", where=arn_as("ResourceARN")),
    remove=lambda it: it.client.delete_alarms(AlarmNames=[it.id]),
)


def _look_at_topic(it: Subject) -> Properties:
    found = it.ask("get_topic_attributes")["Attributes"]
    tags = it.client.list_tags_for_resource(ResourceArn=it.id)["Tags"]
    return {**found, "Name": it.id.rpartition(":")[2], "Tags": tags}


def _set_policy(it: Subject) -> None:
    it.ask("set_topic_attributes", AttributeName="Policy", AttributeValue=as_document(it.inputs["policy"]))


TOPIC = AwsKind(  # the service answers a second request with the topic that there is
    type="aws:sns/topic:Topic",
    service="sns",
    rules=Rules.of(
        "name namePrefix fifoTopic region",
        defaults={"tags": {}},
        conflicts="name namePrefix",
        forms={"name": Form(r"[0-9A-Za-z_-]{1,256}", "1 to 256 letters, digits, _ and -")},
        documents="policy",
    ),
    fields={"name": "Name", "policy": document("", "Policy")},
    outputs={"arn": "TopicArn", "owner": "Owner"},
    by="TopicArn",
    make=made_by("create_topic", "TopicArn", tags=as_list),
    later="policy",
    look=_look_at_topic,
    updates=(on("policy", _set_policy),),
    tags=tags_by("tag_resource", "untag_resource", where=arn_as("ResourceArn")),
    remove=lambda it: it.ask("delete_topic"),
    gone="NotFound NotFoundException",
)


def _subscribe(it: Subject) -> str:
    raw = {"Attributes": {"RawMessageDelivery": "true"}} if it.inputs.get("rawMessageDelivery") else {}
    return str(it.client.subscribe(**it.request(), **raw, ReturnSubscriptionArn=True)["SubscriptionArn"])


def _set_raw_delivery(it: Subject) -> None:
    value = str(bool(it.inputs.get("rawMessageDelivery"))).lower()
    it.ask("set_subscription_attributes", AttributeName="RawMessageDelivery", AttributeValue=value)


SUBSCRIPTION = AwsKind(
    type="aws:sns/topicSubscription:TopicSubscription",
    service="sns",
    rules=Rules.of(
        "topic protocol endpoint region",
        defaults={"rawMessageDelivery": False},
        values={"protocol": "application email email-json firehose http https lambda sms sqs"},
        arns="topic subscriptionRoleArn",
        json="deliveryPolicy filterPolicy redrivePolicy replayPolicy",
    ),
    fields={
        "topic": "TopicArn",
        "protocol": "Protocol",
        "endpoint": "Endpoint",
        "rawMessageDelivery": WireField(found="RawMessageDelivery", like=lambda there, _: there == "true"),
    },
    outputs={
        "arn": "SubscriptionArn",
        "ownerId": "Owner",
        "pendingConfirmation": lambda _, found: found["PendingConfirmation"] == "true",
    },
    by="SubscriptionArn",
    make=_subscribe,
    look=lambda it: it.ask("get_subscription_attributes")["Attributes"],
    updates=(on("rawMessageDelivery", _set_raw_delivery),),
    remove=lambda it: it.ask("unsubscribe"),
    gone="NotFound NotFoundException",
)
KINDS = (DASHBOARD, LOG_GROUP, METRIC_ALARM, TOPIC, SUBSCRIPTION)
