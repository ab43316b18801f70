"""What wakes somebody."""

import pulumi
import pulumi_aws as aws

from firnline_infra.blueprint.aws import Alarm
from firnline_infra.blueprint.aws import IngestAlarms as IngestAlarmsArgs
from firnline_infra.pulumi.options import child_of

__all__ = ["IngestAlarms", "IngestAlarmsArgs"]


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
