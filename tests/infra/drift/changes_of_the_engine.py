"""Changes by people to whom the engine runs as, to what watches it and to what it runs on."""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from firnline_ingest.ledger.backend import Run
from firnline_ingest.ledger.dynamodb import DynamoLedger
from tests.infra.drift.conftest import STRANGER, Change, Made, policy


def role(made: Made) -> Iterator[Change]:
    iam, role = made.aws("iam"), f"{made.application}-engine"
    name, whole = {"RoleName": role}, f"iam role {role}"

    def by(operation: str, path: str, object_: str = whole, **request: Any) -> Change:
        return Change(partial(getattr(iam, operation), **name, **request), object_, path)

    trust = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"AWS": STRANGER}}
    widened = iam.get_role(**name)["Role"]["AssumeRolePolicyDocument"]
    widened = json.dumps({**widened, "Statement": [*widened["Statement"], trust]})
    yield by("update_assume_role_policy", "assumeRolePolicy", PolicyDocument=widened)
    more = policy("s3:*", "*")
    own = "iam role policy firnline"
    yield by("put_role_policy", "policy", own, PolicyName="firnline", PolicyDocument=more)
    yield by("put_role_policy", "inline policy extra", PolicyName="extra", PolicyDocument=more)
    arn = iam.create_policy(PolicyName="by-hand", PolicyDocument=more)["Policy"]["Arn"]
    yield by("attach_role_policy", f"attached policy {arn}", PolicyArn=arn)
    iam.create_instance_profile(InstanceProfileName="theirs")
    yield by("add_role_to_instance_profile", "instance profile theirs", InstanceProfileName="theirs")
    yield by("delete_role_permissions_boundary", "permissionsBoundary")
    described = iam.get_role(**name)["Role"]["Description"]
    yield by("update_role", "maxSessionDuration", MaxSessionDuration=43200, Description=described)
    yield by("tag_role", "tags.Who", Tags=[{"Key": "Who", "Value": "me"}])


def user(made: Made) -> Iterator[Change]:
    iam, user = made.aws("iam"), f"{made.application}-engine"
    name, whole = {"UserName": user}, f"iam user {user}"

    def by(operation: str, path: str, **request: Any) -> Change:
        return Change(partial(getattr(iam, operation), **name, **request), whole, path)

    more = policy("s3:*", "*")
    yield by("put_user_policy", "inline policy extra", PolicyName="extra", PolicyDocument=more)
    arn = iam.create_policy(PolicyName="by-hand", PolicyDocument=more)["Policy"]["Arn"]
    yield by("attach_user_policy", f"attached policy {arn}", PolicyArn=arn)
    iam.create_group(GroupName="people")
    yield by("add_user_to_group", "group people", GroupName="people")
    iam.create_access_key(**name)
    yield by("create_access_key", "access keys")
    yield by("create_login_profile", "login profile", Password="correct-Horse-7")
    yield by("delete_user_permissions_boundary", "permissionsBoundary")


def watching(made: Made) -> Iterator[Change]:
    watch, logs = made.aws("cloudwatch"), made.aws("logs")
    alarm, group = "firnline-prod-orders-lag", "firnline-prod"
    silenced = partial(watch.disable_alarm_actions, AlarmNames=[alarm])
    yield Change(silenced, f"cloudwatch metric alarm {alarm}", "actionsEnabled")
    raised = "firnline-prod-clicks-lag"
    (found,) = watch.describe_alarms(AlarmNames=[raised])["MetricAlarms"]
    kept = {key: value for key, value in found.items() if key in SETTABLE}
    yield Change(
        partial(watch.put_metric_alarm, **kept, Threshold=1e9), f"cloudwatch metric alarm {raised}", "threshold"
    )
    (found,) = watch.describe_alarms(AlarmNames=["firnline-prod-orders-throttled"])["MetricAlarms"]
    kept = {key: value for key, value in found.items() if key in {*SETTABLE, "Threshold"} - {"AlarmActions"}}
    nobody = "cloudwatch metric alarm firnline-prod-orders-throttled"
    yield Change(partial(watch.put_metric_alarm, **kept), nobody, "alarmActions")
    body = json.dumps({"widgets": []})
    shown = partial(watch.put_dashboard, DashboardName="firnline-prod", DashboardBody=body)
    yield Change(shown, "cloudwatch dashboard firnline-prod", "dashboardBody")
    logs_group = f"cloudwatch log group {group}"
    transformed = {"metricName": "lag_ms", "metricNamespace": "firnline", "metricValue": "0"}
    counted = {"filterName": "quiet", "filterPattern": "ERROR", "metricTransformations": [transformed]}
    yield Change(partial(logs.put_metric_filter, logGroupName=group, **counted), logs_group, "metric filter quiet")
    yield Change(
        partial(logs.put_retention_policy, logGroupName=group, retentionInDays=1), logs_group, "retentionInDays"
    )


SETTABLE = {
    "AlarmName", "AlarmDescription", "ActionsEnabled", "OKActions", "AlarmActions", "MetricName", "Namespace", "Statistic",
    "Dimensions", "Period", "EvaluationPeriods", "DatapointsToAlarm", "ComparisonOperator", "TreatMissingData",
}  # fmt: skip # words


def job(made: Made) -> Iterator[Change]:
    ec2, emr = made.aws("ec2"), made.aws("emr-serverless")
    named = [{"Name": "group-name", "Values": [f"{made.application}-engine"]}]
    (group,) = ec2.describe_security_groups(Filters=named)["SecurityGroups"]
    rule = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}
    opened = partial(ec2.authorize_security_group_ingress, GroupId=group["GroupId"], IpPermissions=[rule])
    yield Change(opened, f"ec2 security group {made.application}-engine", "ingress")
    (found,) = (each for each in emr.list_applications()["applications"] if each["name"] == made.application)
    larger = {"maximumCapacity": {**found_capacity(emr, found["id"]), "cpu": "9000 vCPU"}}
    grown = partial(emr.update_application, applicationId=found["id"], clientToken="by-hand", **larger)
    yield Change(grown, f"emrserverless application {made.application}", "maximumCapacity.cpu")
    defaults = [{"classification": "spark-defaults", "properties": {"spark.executor.instances": "1"}}]
    settings = {"applicationId": found["id"], "clientToken": "settings", "runtimeConfiguration": defaults}
    configured = partial(emr.update_application, **settings)
    yield Change(configured, f"emrserverless application {made.application}", "runtimeConfiguration")


def found_capacity(emr: Any, application: str) -> dict[str, Any]:
    return dict(emr.get_application(applicationId=application)["application"]["maximumCapacity"])


def running_engine(made: Made) -> Iterator[Change]:
    """An engine that was started with an older configuration, and beats."""
    ledger = DynamoLedger(made.aws("dynamodb"), made.application)
    run = Run("old", "a machine", configuration="0" * 16, version="0.1.0")
    yield Change(partial(ledger.begin_run, run, None), f"engine application {made.application}", "configuration")
    shown = partial(ledger.show_fingerprints, "old", ("SHA256:of-a-stranger",))
    yield Change(shown, f"engine application {made.application}", "keys")
