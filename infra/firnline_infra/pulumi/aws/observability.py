"""What an operator looks at: alarms, a dashboard, logs, and the outputs that are published."""

import pulumi
import pulumi_aws as aws

from firnline_infra.blueprint.aws import Alarm
from firnline_infra.blueprint.aws import Dashboard as OperationsDashboardArgs
from firnline_infra.blueprint.aws import IngestAlarmsDefinition as IngestAlarmsArgs
from firnline_infra.blueprint.aws import PublishedOutputsDefinition as PublishedOutputsArgs
from firnline_infra.blueprint.runtime import LogGroupDefinition as LogGroupArgs
from firnline_infra.pulumi.options import child_of
from firnline_infra.pulumi.references import as_input

__all__ = [
    "IngestAlarms",
    "IngestAlarmsArgs",
    "LogGroup",
    "LogGroupArgs",
    "OperationsDashboard",
    "OperationsDashboardArgs",
    "PublishedOutputs",
    "PublishedOutputsArgs",
]


class IngestAlarms(pulumi.ComponentResource):
    """Creates CloudWatch alarms, each of which says what it means and what to do next.

    >>> from firnline_infra.blueprint.aws import Alarm
    >>> lag = Alarm(
    ...     name="orders-lag", description="Readers are behind. Next: look at the engine's log.",
    ...     namespace="AWS/Kinesis", metric="GetRecords.IteratorAgeMilliseconds", statistic="Maximum",
    ...     dimensions={"StreamName": "orders"}, threshold=900_000,
    ...     topics=("arn:aws:sns:eu-west-1:111122223333:on-call",),
    ... )
    >>> alarms = IngestAlarms("alarms", IngestAlarmsArgs(alarms=(lag,)))

    To adopt: `pulumi import aws:cloudwatch/metricAlarm:MetricAlarm NAME-ALARM ALARM`.
    """

    def __init__(self, name: str, args: IngestAlarmsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("firnline:index:IngestAlarms", name, None, opts)
        for alarm in args.alarms:
            self._alarm(f"{name}-{alarm.name}", alarm)
        self.register_outputs({})

    def _alarm(self, name: str, alarm: Alarm) -> None:
        aws.cloudwatch.MetricAlarm(
            name,
            name=alarm.name,
            alarm_description=alarm.description,
            namespace=alarm.namespace,
            metric_name=alarm.metric,
            statistic=alarm.statistic,
            dimensions=alarm.dimensions,
            comparison_operator=alarm.comparison,
            threshold=alarm.threshold,
            period=alarm.period_s,
            evaluation_periods=alarm.periods,
            treat_missing_data=alarm.silence,
            alarm_actions=list(alarm.topics),
            ok_actions=list(alarm.topics),
            tags=alarm.tags,
            opts=child_of(self),
        )


class OperationsDashboard(pulumi.ComponentResource):
    """Creates a CloudWatch dashboard.

    >>> board = OperationsDashboard("dashboard", OperationsDashboardArgs(name="orders", body='{"widgets": []}'))

    To adopt: `pulumi import aws:cloudwatch/dashboard:Dashboard NAME DASHBOARD`.
    """

    def __init__(self, name: str, args: OperationsDashboardArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("firnline:index:OperationsDashboard", name, None, opts)
        aws.cloudwatch.Dashboard(name, dashboard_name=args.name, dashboard_body=args.body, opts=child_of(self))
        self.register_outputs({})


class LogGroup(pulumi.ComponentResource):
    """Creates a log group of CloudWatch. Its logs go with it.

    >>> group = LogGroup("logs", LogGroupArgs(name="/firnline/orders"))

    To adopt: `pulumi import aws:cloudwatch/logGroup:LogGroup NAME-group GROUP`.
    """

    name: pulumi.Output[str]

    def __init__(self, name: str, args: LogGroupArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("firnline:index:LogGroup", name, None, opts)
        group = aws.cloudwatch.LogGroup(
            f"{name}-group",
            name=args.name,
            retention_in_days=args.retention_days,
            tags=args.tags,
            opts=child_of(self),
        )
        self.name = group.name
        self.register_outputs({"name": self.name})


class PublishedOutputs(pulumi.ComponentResource):
    """Creates parameters of Systems Manager in clear text: a preview shows what changes, and nothing in them is secret.

    >>> from firnline_infra.blueprint.aws import Parameter
    >>> table = Parameter(name="/orders/ledger-table", value="firnline-orders")
    >>> published = PublishedOutputs("published", PublishedOutputsArgs(parameters=(table,)))

    To adopt: `pulumi import aws:ssm/parameter:Parameter NAME-PARAMETER PARAMETER`.
    """

    def __init__(self, name: str, args: PublishedOutputsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("firnline:index:PublishedOutputs", name, None, opts)
        for parameter in args.parameters:
            aws.ssm.Parameter(
                f"{name}-{parameter.name.rpartition('/')[2]}",
                name=parameter.name,
                type="String",
                insecure_value=as_input(parameter.value),
                description=parameter.description,
                tags=parameter.tags,
                opts=child_of(self),
            )
        self.register_outputs({})
