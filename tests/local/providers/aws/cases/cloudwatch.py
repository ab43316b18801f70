"""Alarms, whom they notify, dashboards and log groups."""

import json
from typing import Any

from firnline_local.providers.aws import cloudwatch
from firnline_local.providers.clients import Clients

from .case import ACCOUNT, Case, fresh, policy

WIDGET = {"type": "text", "x": 0, "y": 0, "width": 6, "height": 2, "properties": {"markdown": "a"}}


def alarm_inputs(_: Clients) -> dict[str, Any]:
    return {
        "name": fresh("alarm"),
        "alarmDescription": "late",
        "comparisonOperator": "GreaterThanThreshold",
        "evaluationPeriods": 3,
        "datapointsToAlarm": 2,
        "metricName": "GetRecords.IteratorAgeMilliseconds",
        "namespace": "AWS/Kinesis",
        "period": 60,
        "statistic": "Maximum",
        "threshold": 60000.0,
        "dimensions": {"StreamName": "orders"},
        "alarmActions": [f"arn:aws:sns:us-east-1:{ACCOUNT}:b", f"arn:aws:sns:us-east-1:{ACCOUNT}:a"],
        "treatMissingData": "breaching",
        "tags": {"a": "1"},
    }


def alarm_changed(clients: Clients, id_: str) -> None:
    found = clients.aws("cloudwatch").describe_alarms(AlarmNames=[id_])["MetricAlarms"][0]
    keep = ("AlarmName", "ComparisonOperator", "EvaluationPeriods", "MetricName", "Namespace", "Period", "Statistic")
    clients.aws("cloudwatch").put_metric_alarm(**{name: found[name] for name in keep}, Threshold=1.0)


def a_topic(clients: Clients) -> str:
    return cloudwatch.TOPIC.create({"name": fresh("topic")}, clients).id


CASES = [
    Case(
        kind=cloudwatch.METRIC_ALARM,
        inputs=alarm_inputs,
        taken=None,
        behind={
            "threshold": alarm_changed,
            "tags": lambda c, i: c.aws("cloudwatch").untag_resource(
                ResourceARN=f"arn:aws:cloudwatch:us-east-1:{ACCOUNT}:alarm:{i}", TagKeys=["a"]
            ),
            "actionsEnabled": lambda c, i: c.aws("cloudwatch").disable_alarm_actions(AlarmNames=[i]),
        },
        changes={
            "threshold": 1.0,
            "alarmDescription": "other",
            "period": 300,
            "evaluationPeriods": 5,
            "datapointsToAlarm": 3,
            "alarmActions": [],
            "dimensions": {"StreamName": "clicks"},
            "treatMissingData": "missing",
            "actionsEnabled": False,
            "tags": {"b": "2"},
        },
    ),
    Case(
        kind=cloudwatch.DASHBOARD,
        inputs=lambda _: {"dashboardName": fresh("board"), "dashboardBody": json.dumps({"widgets": [WIDGET]})},
        taken=None,
        behind={
            "dashboardBody": lambda c, i: c.aws("cloudwatch").put_dashboard(
                DashboardName=i, DashboardBody='{"widgets": []}'
            ),
        },
        changes={"dashboardBody": json.dumps({"widgets": [{**WIDGET, "width": 12}]})},
    ),
    Case(
        kind=cloudwatch.LOG_GROUP,
        inputs=lambda _: {"name": f"/{fresh('group')}", "retentionInDays": 30, "tags": {"a": "1"}},
        taken="ResourceAlreadyExistsException",
        behind={
            "retentionInDays": lambda c, i: c.aws("logs").delete_retention_policy(logGroupName=i),
            "tags": lambda c, i: c.aws("logs").untag_log_group(logGroupName=i, tags=["a"]),
        },
        changes={"retentionInDays": 7, "tags": {"b": "2"}},
    ),
    Case(
        kind=cloudwatch.TOPIC,
        inputs=lambda _: {"name": fresh("topic"), "policy": policy("sns:Publish"), "tags": {"a": "1"}},
        taken=None,
        behind={
            "policy": lambda c, i: c.aws("sns").set_topic_attributes(
                TopicArn=i, AttributeName="Policy", AttributeValue=policy("sns:*")
            ),
            "tags": lambda c, i: c.aws("sns").untag_resource(ResourceArn=i, TagKeys=["a"]),
        },
        changes={"policy": policy("sns:Subscribe"), "tags": {"b": "2"}},
    ),
    Case(
        kind=cloudwatch.SUBSCRIPTION,
        inputs=lambda c: {"topic": a_topic(c), "protocol": "https", "endpoint": "https://example.com/alarms"},
        taken=None,
        behind={
            "rawMessageDelivery": lambda c, i: c.aws("sns").set_subscription_attributes(
                SubscriptionArn=i, AttributeName="RawMessageDelivery", AttributeValue="true"
            )
        },
        changes={"rawMessageDelivery": True},
    ),
]
