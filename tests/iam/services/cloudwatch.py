"""CloudWatch (Service Authorization Reference, `list_amazoncloudwatch`)."""

from collections.abc import Iterator

from tests.iam.request import Access, Request

ON_ALARMS = {
    *("DeleteAlarms", "DescribeAlarmHistory", "DescribeAlarms", "DisableAlarmActions", "EnableAlarmActions"),
    *("PutCompositeAlarm", "PutMetricAlarm", "SetAlarmState"),
}
ON_DASHBOARDS = {"DeleteDashboards", "GetDashboard", "PutDashboard"}
ON_RESOURCE = {"ListTagsForResource", "TagResource", "UntagResource"}
EVERYWHERE = {"DescribeAlarmsForMetric", "GetMetricData", "GetMetricStatistics", "ListMetrics", "PutMetricData"}


def accesses(request: Request) -> Iterator[Access] | None:
    operation, parameters = request.operation, request.parameters
    action = f"cloudwatch:{operation}"
    if operation in ON_RESOURCE:
        return iter((Access(action, str(parameters["ResourceARN"])),))
    if operation in ON_ALARMS:
        names = parameters.get("AlarmNames") or [parameters.get("AlarmName", "*")]
        arns = [request.arn(f"alarm:{name}") for name in names]
        tagging = [Access("cloudwatch:TagResource", arn) for arn in arns if parameters.get("Tags")]
        return iter((*(Access(action, arn) for arn in arns), *tagging))
    if operation in ON_DASHBOARDS:  # their ARN has no region
        boards = parameters.get("DashboardNames") or [parameters.get("DashboardName", "*")]
        return iter([Access(action, f"arn:aws:cloudwatch::{request.account}:dashboard/{name}") for name in boards])
    if operation == "PutMetricData":
        return iter((Access(action, "*", {"cloudwatch:namespace": str(parameters.get("Namespace", ""))}),))
    return iter((Access(action, "*"),)) if operation in EVERYWHERE else None
