"""Resources that an operator looks at: alarms, a dashboard, logs, and the outputs that are published."""

from firnline_infra.blueprint.aws import Alarm, Dashboard, IngestAlarmsDefinition, PublishedOutputsDefinition
from firnline_infra.blueprint.runtime import LogGroupDefinition
from firnline_infra.resources.resource import Component, Resource


def ingest_alarms(name: str, args: IngestAlarmsDefinition) -> Component:
    return Component("IngestAlarms", name, tuple(_alarm(f"{name}-{each.name}", each) for each in args.alarms))


def _alarm(name: str, alarm: Alarm) -> Resource:
    return Resource(
        "aws_cloudwatch_metric_alarm",
        name,
        {
            "alarm_name": alarm.name,
            "alarm_description": alarm.description,
            "namespace": alarm.namespace,
            "metric_name": alarm.metric,
            "statistic": alarm.statistic,
            "dimensions": alarm.dimensions,
            "comparison_operator": alarm.comparison,
            "threshold": alarm.threshold,
            "period": alarm.period_s,
            "evaluation_periods": alarm.periods,
            "treat_missing_data": alarm.silence,
            "alarm_actions": list(alarm.topics),
            "ok_actions": list(alarm.topics),
            "tags": alarm.tags,
        },
    )


def operations_dashboard(name: str, args: Dashboard) -> Component:
    arguments = {"dashboard_name": args.name, "dashboard_body": args.body}
    return Component("OperationsDashboard", name, (Resource("aws_cloudwatch_dashboard", name, arguments),))


def log_group(name: str, args: LogGroupDefinition) -> Component:
    arguments = {"name": args.name, "retention_in_days": args.retention_days, "tags": args.tags}
    group = Resource("aws_cloudwatch_log_group", f"{name}-group", arguments)
    return Component("LogGroup", name, (group,), {"name": group["name"]})


def published_outputs(name: str, args: PublishedOutputsDefinition) -> Component:
    """The outputs in clear text: a preview shows what changes, and nothing in them is secret."""
    parameters = tuple(
        Resource(
            "aws_ssm_parameter",
            f"{name}-{each.name.rpartition('/')[2]}",
            {
                "name": each.name,
                "type": "String",
                "insecure_value": each.value,
                "description": each.description,
                "tags": each.tags,
            },
        )
        for each in args.parameters
    )
    return Component("PublishedOutputs", name, parameters)
