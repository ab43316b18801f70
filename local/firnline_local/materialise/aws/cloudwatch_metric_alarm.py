"""CloudWatch alarms on one metric, without metric math.

Rules: `resourceMetricAlarm` of terraform-provider-aws 6 (internal/service/cloudwatch/metric_alarm.go).
"""

from typing import Any

from firnline_local.materialise.aws.inputs import (
    as_list,
    as_outputs,
    changed,
    require_carried,
    tag_difference,
    tags_of,
    value_of,
)
from firnline_local.materialise.aws.normalize import present, set_like
from firnline_local.materialise.clients import Clients
from firnline_local.materialise.resource import Made, Properties, Rules

TYPE = "aws:cloudwatch/metricAlarm:MetricAlarm"
RULES = Rules(
    replaced_by=frozenset({"name", "region"}),
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
        "comparisonOperator": frozenset(
            {
                "GreaterThanOrEqualToThreshold",
                "GreaterThanThreshold",
                "LessThanThreshold",
                "LessThanOrEqualToThreshold",
                "LessThanLowerOrGreaterThanUpperThreshold",
                "LessThanLowerThreshold",
                "GreaterThanUpperThreshold",
            }
        ),
        "statistic": frozenset({"SampleCount", "Average", "Sum", "Minimum", "Maximum"}),
        "treatMissingData": frozenset({"breaching", "notBreaching", "ignore", "missing"}),
    },
    conflicts=(
        frozenset({"statistic", "extendedStatistic", "metricQueries"}),
        frozenset({"threshold", "thresholdMetricId"}),
        *(frozenset({name, "metricQueries"}) for name in ("dimensions", "metricName", "namespace", "period")),
    ),
)
WIRE = {
    "actionsEnabled": "ActionsEnabled",
    "alarmActions": "AlarmActions",
    "alarmDescription": "AlarmDescription",
    "comparisonOperator": "ComparisonOperator",
    "datapointsToAlarm": "DatapointsToAlarm",
    "evaluationPeriods": "EvaluationPeriods",
    "extendedStatistic": "ExtendedStatistic",
    "insufficientDataActions": "InsufficientDataActions",
    "metricName": "MetricName",
    "name": "AlarmName",
    "namespace": "Namespace",
    "okActions": "OKActions",
    "period": "Period",
    "statistic": "Statistic",
    "threshold": "Threshold",
    "treatMissingData": "TreatMissingData",
    "unit": "Unit",
}
SETS = ("alarmActions", "insufficientDataActions", "okActions")
INPUTS = frozenset({*WIRE, "dimensions", "tags", "tagsAll"})


def create(inputs: Properties, clients: Clients) -> Made:
    """The service has no other operation to make one than the one that replaces it."""
    require_carried(TYPE, inputs, INPUTS, region=clients.region)
    clients.aws("cloudwatch").put_metric_alarm(**_wanted(inputs), Tags=as_list(tags_of(inputs)))
    return Made(inputs["name"], read(inputs["name"], inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> dict[str, Any] | None:
    cloudwatch = clients.aws("cloudwatch")
    alarms = cloudwatch.describe_alarms(AlarmNames=[id_])["MetricAlarms"]
    if not alarms:
        return None
    found = alarms[0]
    arn = found["AlarmArn"]
    values = {name: found.get(wire) for name, wire in WIRE.items()}
    return present(
        {
            **values,
            **{name: set_like(values[name] or [], properties.get(name)) for name in SETS},
            "id": id_,
            "arn": arn,
            "region": clients.region,
            "alarmDescription": values["alarmDescription"] or None,
            "dimensions": {each["Name"]: each["Value"] for each in found.get("Dimensions", [])},
            "treatMissingData": values["treatMissingData"] or "missing",
            **as_outputs(cloudwatch.list_tags_for_resource(ResourceARN=arn)["Tags"], properties),
        }
    )


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> dict[str, Any]:
    require_carried(TYPE, new, INPUTS, region=clients.region)
    cloudwatch = clients.aws("cloudwatch")
    if changed(old, new, RULES) - {"tags", "tagsAll"}:
        cloudwatch.put_metric_alarm(**_wanted(new))
    to_set, to_remove = tag_difference(old, new)
    if to_remove or to_set:
        arn = cloudwatch.describe_alarms(AlarmNames=[id_])["MetricAlarms"][0]["AlarmArn"]
        if to_remove:
            cloudwatch.untag_resource(ResourceARN=arn, TagKeys=to_remove)
        if to_set:
            cloudwatch.tag_resource(ResourceARN=arn, Tags=as_list(to_set))
    return read(id_, new, clients) or {}


def delete(id_: str, _: Properties, clients: Clients) -> None:
    clients.aws("cloudwatch").delete_alarms(AlarmNames=[id_])


def _wanted(inputs: Properties) -> dict[str, Any]:
    dimensions = as_list(value_of("dimensions", inputs, RULES), key="Name")
    return present({wire: value_of(name, inputs, RULES) for name, wire in WIRE.items()} | {"Dimensions": dimensions})
