"""Components that an operator looks at: alarms, a dashboard, logs, and the outputs that are published."""

import pulumi

from firnline_infra.blueprint.aws import Dashboard as OperationsDashboardArgs
from firnline_infra.blueprint.aws import IngestAlarmsDefinition as IngestAlarmsArgs
from firnline_infra.blueprint.aws import PublishedOutputsDefinition as PublishedOutputsArgs
from firnline_infra.blueprint.runtime import LogGroupDefinition as LogGroupArgs
from firnline_infra.pulumi.rendering import DefinedComponent
from firnline_infra.resources.aws_observability import ingest_alarms, log_group, operations_dashboard, published_outputs

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


class IngestAlarms(DefinedComponent[IngestAlarmsArgs], describe=ingest_alarms):
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


class OperationsDashboard(DefinedComponent[OperationsDashboardArgs], describe=operations_dashboard):
    """Creates a CloudWatch dashboard.

    >>> board = OperationsDashboard("dashboard", OperationsDashboardArgs(name="orders", body='{"widgets": []}'))

    To adopt: `pulumi import aws:cloudwatch/dashboard:Dashboard NAME DASHBOARD`.
    """


class LogGroup(DefinedComponent[LogGroupArgs], describe=log_group):
    """Creates a log group of CloudWatch. Its logs go with it.

    >>> group = LogGroup("logs", LogGroupArgs(name="/firnline/orders"))

    To adopt: `pulumi import aws:cloudwatch/logGroup:LogGroup NAME-group GROUP`.
    """

    name: pulumi.Output[str]


class PublishedOutputs(DefinedComponent[PublishedOutputsArgs], describe=published_outputs):
    """Creates parameters of Systems Manager in clear text: a preview shows what changes, and nothing in them is secret.

    >>> from firnline_infra.blueprint.aws import Parameter
    >>> table = Parameter(name="/orders/ledger-table", value="firnline-orders")
    >>> published = PublishedOutputs("published", PublishedOutputsArgs(parameters=(table,)))

    To adopt: `pulumi import aws:ssm/parameter:Parameter NAME-PARAMETER PARAMETER`.
    """
