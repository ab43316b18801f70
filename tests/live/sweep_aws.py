"""Leftovers of a run in AWS, kind by kind (sweep.py)."""

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from tests.live.names import PREFIX, Run
from tests.live.sweep import Client, Left

IsOver = Callable[[Run], bool]
APPLICATION = "firnline:application"
KEY_WAITS_DAYS = 7
"""The least that KMS takes."""
ENDED = {"SUCCESS", "FAILED", "CANCELLING", "CANCELLED"}
"""States of a job run in which nothing is left to cancel."""
GOES_WITHIN_S, POLL_S = 900.0, 2.0
GOING = {"PendingDeletion", "PendingReplicaDeletion"}


def left_in_aws(aws: Client, is_over: IsOver) -> Iterator[Left]:
    """Yields what uses others before those: applications before roles, keys last."""
    for find in (
        _applications,
        _schedules,
        _rules,
        _workgroups,
        _namespaces,
        _streams,
        _tables,
        _secrets,
        _buckets,
        _alarms,
        _logs,
        _roles,
        _policies,
        _aliases,
        _keys,
    ):
        yield from (left for left in find(aws) if (run := Run.of(left.name)) and is_over(run))


def _applications(aws: Client) -> Iterator[Left]:
    emr = aws("emr-serverless")
    for page in emr.get_paginator("list_applications").paginate():
        for each in page["applications"]:
            if each["state"] != "TERMINATED":
                name = each.get("name", "")
                yield Left(kind="EMR Serverless application", name=name, remove=partial(_end, emr, each["id"]))


def _end(emr: Any, application: str) -> None:
    for page in emr.get_paginator("list_job_runs").paginate(applicationId=application):
        for run in page["jobRuns"]:
            if run["state"] not in ENDED:
                emr.cancel_job_run(applicationId=application, jobRunId=run["id"])
    emr.stop_application(applicationId=application)
    emr.delete_application(applicationId=application)


def _schedules(aws: Client) -> Iterator[Left]:
    scheduler = aws("scheduler")
    for page in scheduler.get_paginator("list_schedules").paginate(NamePrefix=PREFIX):
        for each in page["Schedules"]:
            yield Left(kind="schedule", name=each["Name"], remove=partial(scheduler.delete_schedule, Name=each["Name"]))


def _rules(aws: Client) -> Iterator[Left]:
    events = aws("events")
    for each in events.list_rules(NamePrefix=PREFIX)["Rules"]:
        yield Left(kind="rule", name=each["Name"], remove=partial(events.delete_rule, Name=each["Name"]))


def _workgroups(aws: Client) -> Iterator[Left]:
    serverless = aws("redshift-serverless")
    for page in serverless.get_paginator("list_workgroups").paginate():
        for each in page["workgroups"]:
            name = each["workgroupName"]
            yield Left(kind="workgroup", name=name, remove=partial(_delete_workgroup, serverless, name))


def _delete_workgroup(serverless: Any, name: str) -> None:
    """The workgroup's namespace can't go before it has gone."""
    serverless.delete_workgroup(workgroupName=name)
    ends = time.monotonic() + GOES_WITHIN_S
    while time.monotonic() < ends:
        try:
            serverless.get_workgroup(workgroupName=name)
        except serverless.exceptions.ResourceNotFoundException:
            return
        time.sleep(POLL_S)
    raise TimeoutError(f"it is there {GOES_WITHIN_S:.0f} s after it was deleted")


def _namespaces(aws: Client) -> Iterator[Left]:
    serverless = aws("redshift-serverless")
    for page in serverless.get_paginator("list_namespaces").paginate():
        for each in page["namespaces"]:
            name = each["namespaceName"]
            yield Left(kind="namespace", name=name, remove=partial(serverless.delete_namespace, namespaceName=name))


def _streams(aws: Client) -> Iterator[Left]:
    kinesis = aws("kinesis")
    for page in kinesis.get_paginator("list_streams").paginate():
        for name in page["StreamNames"]:
            remove = partial(kinesis.delete_stream, StreamName=name, EnforceConsumerDeletion=True)
            yield Left(kind="stream", name=name, remove=remove)


def _tables(aws: Client) -> Iterator[Left]:
    dynamodb = aws("dynamodb")
    for page in dynamodb.get_paginator("list_tables").paginate():
        for name in page["TableNames"]:
            yield Left(kind="table", name=name, remove=partial(dynamodb.delete_table, TableName=name))


def _secrets(aws: Client) -> Iterator[Left]:
    secrets = aws("secretsmanager")
    for page in secrets.get_paginator("list_secrets").paginate():
        for each in page["SecretList"]:
            remove = partial(secrets.delete_secret, SecretId=each["ARN"], ForceDeleteWithoutRecovery=True)
            yield Left(kind="secret", name=each["Name"], remove=remove)


def _buckets(aws: Client) -> Iterator[Left]:
    s3 = aws("s3")
    for each in s3.list_buckets()["Buckets"]:
        yield Left(kind="bucket", name=each["Name"], remove=partial(_empty_and_delete, s3, each["Name"]))


def _empty_and_delete(s3: Any, bucket: str) -> None:
    for page in s3.get_paginator("list_object_versions").paginate(Bucket=bucket):
        for each in (*page.get("Versions", ()), *page.get("DeleteMarkers", ())):
            s3.delete_object(Bucket=bucket, Key=each["Key"], VersionId=each["VersionId"])
    s3.delete_bucket(Bucket=bucket)


def _alarms(aws: Client) -> Iterator[Left]:
    cloudwatch = aws("cloudwatch")
    for page in cloudwatch.get_paginator("describe_alarms").paginate(AlarmNamePrefix=PREFIX):
        for each in page["MetricAlarms"]:
            remove = partial(cloudwatch.delete_alarms, AlarmNames=[each["AlarmName"]])
            yield Left(kind="alarm", name=each["AlarmName"], remove=remove)


def _logs(aws: Client) -> Iterator[Left]:
    """Their names are paths, of which the last part is the application's."""
    logs = aws("logs")
    for page in logs.get_paginator("describe_log_groups").paginate():
        for each in page["logGroups"]:
            whole = each["logGroupName"]
            remove = partial(logs.delete_log_group, logGroupName=whole)
            yield Left(kind="log group", name=whole.rpartition("/")[2], remove=remove)


def _roles(aws: Client) -> Iterator[Left]:
    iam = aws("iam")
    for page in iam.get_paginator("list_roles").paginate():
        for each in page["Roles"]:
            yield Left(kind="role", name=each["RoleName"], remove=partial(_delete_role, iam, each["RoleName"]))


def _delete_role(iam: Any, name: str) -> None:
    for policy in iam.list_role_policies(RoleName=name)["PolicyNames"]:
        iam.delete_role_policy(RoleName=name, PolicyName=policy)
    for attached in iam.list_attached_role_policies(RoleName=name)["AttachedPolicies"]:
        iam.detach_role_policy(RoleName=name, PolicyArn=attached["PolicyArn"])
    iam.delete_role(RoleName=name)


def _policies(aws: Client) -> Iterator[Left]:
    iam = aws("iam")
    for page in iam.get_paginator("list_policies").paginate(Scope="Local"):
        for each in page["Policies"]:
            yield Left(kind="policy", name=each["PolicyName"], remove=partial(iam.delete_policy, PolicyArn=each["Arn"]))


def _aliases(aws: Client) -> Iterator[Left]:
    kms = aws("kms")
    for page in kms.get_paginator("list_aliases").paginate():
        for each in page["Aliases"]:
            yield Left(
                kind="alias", name=each["AliasName"], remove=partial(kms.delete_alias, AliasName=each["AliasName"])
            )


def _keys(aws: Client) -> Iterator[Left]:
    """By their tag: a run may have been killed before its key had an alias. One that may not be looked at is none of ours."""
    from botocore.exceptions import ClientError

    kms = aws("kms")
    for page in kms.get_paginator("list_keys").paginate():
        for each in page["Keys"]:
            key = each["KeyId"]
            try:
                tags = {tag["TagKey"]: tag["TagValue"] for tag in kms.list_resource_tags(KeyId=key)["Tags"]}
                if APPLICATION not in tags or kms.describe_key(KeyId=key)["KeyMetadata"]["KeyState"] in GOING:
                    continue
            except ClientError:
                continue
            remove = partial(kms.schedule_key_deletion, KeyId=key, PendingWindowInDays=KEY_WAITS_DAYS)
            yield Left(kind="key", name=tags[APPLICATION], remove=remove)
