"""One case for each type: how it is asked for, what can change behind its back, and what an update may change."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from firnline_infra.local.materialise.aws import (
    cloudwatch_metric_alarm,
    dynamodb_table,
    iam_role,
    iam_role_policy,
    iam_user,
    iam_user_policy,
    kinesis_stream,
    kinesis_stream_consumer,
    kms_alias,
    kms_key,
    s3_bucket,
    s3_bucket_encryption,
    s3_bucket_lifecycle_configuration,
    s3_bucket_object,
    s3_bucket_ownership_controls,
    s3_bucket_policy,
    s3_bucket_public_access_block,
    s3_bucket_versioning,
    secretsmanager_secret,
    ssm_parameter,
)
from firnline_infra.local.materialise.clients import Clients
from firnline_infra.local.materialise.resource import Materialiser

ACCOUNT = "123456789012"
_numbers = count()


def fresh(what: str) -> str:
    return f"kind-{what}-{next(_numbers)}"


def policy(action: str, **more: Any) -> str:
    statement = {"Effect": "Allow", "Action": action, "Resource": "*", **more}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]}, indent=2)


def trust(service: str) -> str:
    statement = {"Effect": "Allow", "Principal": {"Service": [service]}, "Action": "sts:AssumeRole"}
    return json.dumps({"Statement": [statement], "Version": "2012-10-17"})


def key_policy(*actions: str) -> str:
    return policy("kms:*", Principal={"AWS": f"arn:aws:iam::{ACCOUNT}:root"}, Sid="-".join(actions) or "all")


Behind = Callable[[Clients, str], object]
"""Changes the resource with a client: (clients, id)."""


@dataclass(frozen=True, kw_only=True)
class Case:
    kind: Materialiser
    inputs: Callable[[Clients], dict[str, Any]]
    taken: str | None
    """The service's error for a second one of that name; None where it takes a second request for the first one."""
    behind: Mapping[str, Behind] = field(default_factory=dict)
    """By the property that then differs."""
    changes: Mapping[str, Any] = field(default_factory=dict)
    """New values that an update can reach, by property."""
    is_absent_after: bool = True
    """False for what can't be removed."""

    def __str__(self) -> str:
        return self.kind.TYPE.partition("/")[2].partition(":")[2]


def a_role(clients: Clients) -> str:
    return iam_role.create({"name": fresh("role"), "assumeRolePolicy": trust("ec2.amazonaws.com")}, clients).id


def a_user(clients: Clients) -> str:
    return iam_user.create({"name": fresh("user")}, clients).id


def a_bucket(clients: Clients) -> str:
    return s3_bucket.create({"bucket": fresh("bucket")}, clients).id


def a_key(clients: Clients) -> str:
    return str(kms_key.create({}, clients).properties["arn"])


def a_stream(clients: Clients) -> str:
    return kinesis_stream.create({"name": fresh("stream"), "shardCount": 1}, clients).id


def stream_inputs(_: Clients) -> dict[str, Any]:
    return {
        "name": fresh("stream"),
        "shardCount": 2,
        "retentionPeriod": 48,
        "encryptionType": "KMS",
        "kmsKeyId": "alias/a",
        "shardLevelMetrics": ["OutgoingBytes", "IncomingBytes"],
        "tags": {"a": "1"},
    }


def on_demand_stream_inputs(_: Clients) -> dict[str, Any]:
    return {"name": fresh("stream"), "streamModeDetails": {"streamMode": "ON_DEMAND"}, "maxRecordSizeInKib": 2048}


def table_inputs(clients: Clients) -> dict[str, Any]:
    return {
        "name": fresh("table"),
        "hashKey": "stream",
        "rangeKey": "shard",
        "attributes": [{"name": "stream", "type": "S"}, {"name": "shard", "type": "S"}],
        "billingMode": "PAY_PER_REQUEST",
        "pointInTimeRecovery": {"enabled": True, "recoveryPeriodInDays": 7},
        "serverSideEncryption": {"enabled": True, "kmsKeyArn": a_key(clients)},
        "ttl": {"enabled": True, "attributeName": "until"},
        "tags": {"a": "1"},
    }


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


def lifecycle(days: int) -> list[dict[str, Any]]:
    return [
        {
            "id": "old",
            "status": "Enabled",
            "filter": {"prefix": "dead/"},
            "expiration": {"days": days},
            "abortIncompleteMultipartUpload": {"daysAfterInitiation": 7},
            "noncurrentVersionExpiration": {"noncurrentDays": 30},
        },
        {"id": "all", "status": "Enabled", "transitions": [{"days": 90, "storageClass": "GLACIER"}]},
    ]


def table_changed(**change: Any) -> Behind:
    return lambda clients, id_: clients.aws("dynamodb").update_table(TableName=id_, **change)


def bucket_policy(clients: Clients, bucket: str, action: str = "s3:GetObject") -> str:
    principal = {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}
    return policy(action, Principal=principal, Resource=[f"arn:aws:s3:::{bucket}/*"])


def alarm_changed(clients: Clients, id_: str) -> None:
    found = clients.aws("cloudwatch").describe_alarms(AlarmNames=[id_])["MetricAlarms"][0]
    keep = ("AlarmName", "ComparisonOperator", "EvaluationPeriods", "MetricName", "Namespace", "Period", "Statistic")
    clients.aws("cloudwatch").put_metric_alarm(**{name: found[name] for name in keep}, Threshold=1.0)


CASES = [
    Case(
        kind=kinesis_stream,
        inputs=stream_inputs,
        taken="ResourceInUseException",
        behind={
            "tags": lambda c, i: c.aws("kinesis").add_tags_to_stream(StreamARN=i, Tags={"foreign": "x"}),
            "retentionPeriod": lambda c, i: c.aws("kinesis").increase_stream_retention_period(
                StreamARN=i, RetentionPeriodHours=72
            ),
            "shardCount": lambda c, i: c.aws("kinesis").update_shard_count(
                StreamARN=i, TargetShardCount=4, ScalingType="UNIFORM_SCALING"
            ),
            "encryptionType": lambda c, i: c.aws("kinesis").stop_stream_encryption(
                StreamARN=i, EncryptionType="KMS", KeyId="alias/a"
            ),
            "kmsKeyId": lambda c, i: c.aws("kinesis").start_stream_encryption(
                StreamARN=i, EncryptionType="KMS", KeyId="alias/aws/kinesis"
            ),
            "shardLevelMetrics": lambda c, i: c.aws("kinesis").disable_enhanced_monitoring(
                StreamARN=i, ShardLevelMetrics=["ALL"]
            ),
            "maxRecordSizeInKib": lambda c, i: c.aws("kinesis").update_max_record_size(
                StreamARN=i, MaxRecordSizeInKiB=2048
            ),
            "streamModeDetails": lambda c, i: c.aws("kinesis").update_stream_mode(
                StreamARN=i, StreamModeDetails={"StreamMode": "ON_DEMAND"}
            ),
        },
        changes={
            "retentionPeriod": 24,
            "shardCount": 4,
            "encryptionType": "NONE",
            "kmsKeyId": "alias/b",
            "shardLevelMetrics": ["IteratorAgeMilliseconds"],
            "tags": {"b": "2"},
            "maxRecordSizeInKib": 4096,
            "enforceConsumerDeletion": True,
        },
    ),
    Case(
        kind=kinesis_stream,
        inputs=on_demand_stream_inputs,
        taken="ResourceInUseException",
        changes={"maxRecordSizeInKib": 1024, "streamModeDetails": {"streamMode": "PROVISIONED"}},
    ),
    Case(
        kind=kinesis_stream_consumer,
        inputs=lambda c: {"name": fresh("consumer"), "streamArn": a_stream(c), "tags": {"a": "1"}},
        taken="ResourceInUseException",
        behind={"tags": lambda c, i: c.aws("kinesis").untag_resource(ResourceARN=i, TagKeys=["a"])},
        changes={"tags": {"b": "2"}},
    ),
    Case(
        kind=dynamodb_table,
        inputs=table_inputs,
        taken="ResourceInUseException",
        behind={
            "deletionProtectionEnabled": table_changed(DeletionProtectionEnabled=True),
            "billingMode": table_changed(
                BillingMode="PROVISIONED", ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
            ),
            "serverSideEncryption": table_changed(SSESpecification={"Enabled": False}),
            "pointInTimeRecovery": lambda c, i: c.aws("dynamodb").update_continuous_backups(
                TableName=i, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": False}
            ),
            "ttl": lambda c, i: c.aws("dynamodb").update_time_to_live(
                TableName=i, TimeToLiveSpecification={"Enabled": False, "AttributeName": "until"}
            ),
            "streamEnabled": table_changed(StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}),
            "tags": lambda c, i: c.aws("dynamodb").untag_resource(
                ResourceArn=f"arn:aws:dynamodb:us-east-1:{ACCOUNT}:table/{i}", TagKeys=["a"]
            ),
        },
        changes={
            "pointInTimeRecovery": {"enabled": False},
            "serverSideEncryption": {"enabled": False},
            "ttl": {"enabled": True, "attributeName": "other"},
            "tags": {"b": "2"},
            "streamEnabled": True,
        },
    ),
    Case(
        kind=iam_role,
        inputs=lambda _: {
            "name": fresh("role"),
            "assumeRolePolicy": trust("emr-serverless.amazonaws.com"),
            "description": "runs it",
            "maxSessionDuration": 7200,
            "path": "/firnline/",
            "tags": {"a": "1"},
        },
        taken="EntityAlreadyExists",
        behind={
            "assumeRolePolicy": lambda c, i: c.aws("iam").update_assume_role_policy(
                RoleName=i, PolicyDocument=trust("ec2.amazonaws.com")
            ),
            "description": lambda c, i: c.aws("iam").update_role(RoleName=i, Description="", MaxSessionDuration=7200),
            "maxSessionDuration": lambda c, i: c.aws("iam").update_role(
                RoleName=i, Description="runs it", MaxSessionDuration=3600
            ),
            "permissionsBoundary": lambda c, i: c.aws("iam").put_role_permissions_boundary(
                RoleName=i, PermissionsBoundary="arn:aws:iam::aws:policy/ReadOnlyAccess"
            ),
            "tags": lambda c, i: c.aws("iam").tag_role(RoleName=i, Tags=[{"Key": "a", "Value": "2"}]),
        },
        changes={
            "assumeRolePolicy": trust("ec2.amazonaws.com"),
            "description": "other",
            "maxSessionDuration": 3600,
            "permissionsBoundary": "arn:aws:iam::aws:policy/ReadOnlyAccess",
            "tags": {"b": "2"},
        },
    ),
    Case(
        kind=iam_role_policy,
        inputs=lambda c: {"name": "read", "role": a_role(c), "policy": policy("kinesis:GetRecords")},
        taken=None,
        behind={
            "policy": lambda c, i: c.aws("iam").put_role_policy(
                RoleName=i.partition(":")[0], PolicyName="read", PolicyDocument=policy("kinesis:*")
            )
        },
        changes={"policy": policy("kinesis:PutRecord")},
    ),
    Case(
        kind=iam_user,
        inputs=lambda _: {"name": fresh("user"), "path": "/firnline/", "tags": {"a": "1"}},
        taken="EntityAlreadyExists",
        behind={
            "tags": lambda c, i: c.aws("iam").untag_user(UserName=i, TagKeys=["a"]),
            "permissionsBoundary": lambda c, i: c.aws("iam").put_user_permissions_boundary(
                UserName=i, PermissionsBoundary="arn:aws:iam::aws:policy/ReadOnlyAccess"
            ),
        },
        changes={
            "name": fresh("renamed"),
            "path": "/other/",
            "tags": {"b": "2"},
            "permissionsBoundary": "arn:aws:iam::aws:policy/ReadOnlyAccess",
        },
    ),
    Case(
        kind=iam_user_policy,
        inputs=lambda c: {"name": "read", "user": a_user(c), "policy": policy("kinesis:GetRecords")},
        taken=None,
        behind={
            "policy": lambda c, i: c.aws("iam").put_user_policy(
                UserName=i.partition(":")[0], PolicyName="read", PolicyDocument=policy("kinesis:*")
            )
        },
        changes={"policy": policy("kinesis:PutRecord")},
    ),
    Case(
        kind=kms_key,
        inputs=lambda _: {
            "description": "a key",
            "policy": key_policy(),
            "enableKeyRotation": True,
            "rotationPeriodInDays": 90,
            "deletionWindowInDays": 7,
            "tags": {"a": "1"},
        },
        taken=None,
        behind={
            "policy": lambda c, i: c.aws("kms").put_key_policy(
                KeyId=i, PolicyName="default", Policy=key_policy("other")
            ),
            "description": lambda c, i: c.aws("kms").update_key_description(KeyId=i, Description="x"),
            "enableKeyRotation": lambda c, i: c.aws("kms").disable_key_rotation(KeyId=i),
            "rotationPeriodInDays": lambda c, i: c.aws("kms").enable_key_rotation(KeyId=i, RotationPeriodInDays=100),
            "isEnabled": lambda c, i: c.aws("kms").disable_key(KeyId=i),
            "tags": lambda c, i: c.aws("kms").untag_resource(KeyId=i, TagKeys=["a"]),
        },
        changes={
            "policy": key_policy("other"),
            "description": "other",
            "enableKeyRotation": False,
            "rotationPeriodInDays": 180,
            "isEnabled": False,
            "tags": {"b": "2"},
        },
    ),
    Case(
        kind=kms_alias,
        inputs=lambda c: {"name": f"alias/{fresh('alias')}", "targetKeyId": a_key(c)},
        taken="AlreadyExistsException",
        behind={"targetKeyId": lambda c, i: c.aws("kms").update_alias(AliasName=i, TargetKeyId=a_key(c))},
    ),
    Case(
        kind=s3_bucket,
        inputs=lambda _: {"bucket": fresh("bucket"), "tags": {"a": "1"}},
        taken="BucketAlreadyOwnedByYou",
        behind={
            "tags": lambda c, i: c.aws("s3").put_bucket_tagging(
                Bucket=i, Tagging={"TagSet": [{"Key": "a", "Value": "2"}]}
            )
        },
        changes={"tags": {"b": "2"}, "forceDestroy": True},
    ),
    Case(
        kind=s3_bucket_versioning,
        inputs=lambda c: {"bucket": a_bucket(c), "versioningConfiguration": {"status": "Enabled"}},
        taken=None,
        behind={
            "versioningConfiguration": lambda c, i: c.aws("s3").put_bucket_versioning(
                Bucket=i, VersioningConfiguration={"Status": "Suspended"}
            )
        },
        changes={"versioningConfiguration": {"status": "Suspended"}},
        is_absent_after=False,
    ),
    Case(
        kind=s3_bucket_encryption,
        inputs=lambda c: {
            "bucket": a_bucket(c),
            "rules": [
                {
                    "applyServerSideEncryptionByDefault": {"sseAlgorithm": "aws:kms", "kmsMasterKeyId": a_key(c)},
                    "bucketKeyEnabled": True,
                }
            ],
        },
        taken=None,
        behind={
            "rules": lambda c, i: c.aws("s3").put_bucket_encryption(
                Bucket=i,
                ServerSideEncryptionConfiguration={
                    "Rules": [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}]
                },
            )
        },
        changes={"rules": [{"applyServerSideEncryptionByDefault": {"sseAlgorithm": "AES256"}}]},
    ),
    Case(
        kind=s3_bucket_public_access_block,
        inputs=lambda c: {"bucket": a_bucket(c), "blockPublicAcls": True, "restrictPublicBuckets": True},
        taken=None,
        behind={
            "blockPublicPolicy": lambda c, i: c.aws("s3").put_public_access_block(
                Bucket=i,
                PublicAccessBlockConfiguration={
                    "BlockPublicAcls": True,
                    "RestrictPublicBuckets": True,
                    "BlockPublicPolicy": True,
                },
            )
        },
        changes={"blockPublicPolicy": True, "ignorePublicAcls": True, "blockPublicAcls": False},
    ),
    Case(
        kind=s3_bucket_ownership_controls,
        inputs=lambda c: {"bucket": a_bucket(c), "rule": {"objectOwnership": "BucketOwnerEnforced"}},
        taken=None,
        behind={
            "rule": lambda c, i: c.aws("s3").put_bucket_ownership_controls(
                Bucket=i, OwnershipControls={"Rules": [{"ObjectOwnership": "ObjectWriter"}]}
            )
        },
        changes={"rule": {"objectOwnership": "BucketOwnerPreferred"}},
    ),
    Case(
        kind=s3_bucket_lifecycle_configuration,
        inputs=lambda c: {"bucket": a_bucket(c), "rules": lifecycle(14)},
        taken=None,
        behind={
            "rules": lambda c, i: c.aws("s3").put_bucket_lifecycle_configuration(
                Bucket=i,
                LifecycleConfiguration={
                    "Rules": [{"ID": "x", "Status": "Enabled", "Filter": {"Prefix": ""}, "Expiration": {"Days": 1}}]
                },
            )
        },
        changes={"rules": lifecycle(28)},
    ),
    Case(
        kind=s3_bucket_policy,
        inputs=lambda c: {"bucket": (bucket := a_bucket(c)), "policy": bucket_policy(c, bucket)},
        taken=None,
        behind={
            "policy": lambda c, i: c.aws("s3").put_bucket_policy(Bucket=i, Policy=bucket_policy(c, i, "s3:PutObject"))
        },
    ),
    Case(
        kind=s3_bucket_object,
        inputs=lambda c: {
            "bucket": a_bucket(c),
            "key": "engine/config.json",
            "content": "{}",
            "contentType": "application/json",
            "metadata": {"hash": "a"},
            "tags": {"a": "1"},
        },
        taken=None,
        behind={
            "content": lambda c, i: c.aws("s3").put_object(
                Bucket=i.partition("/")[0], Key=i.partition("/")[2], Body=b"other"
            ),
            "tags": lambda c, i: c.aws("s3").delete_object_tagging(Bucket=i.partition("/")[0], Key=i.partition("/")[2]),
        },
        changes={"content": "[]", "tags": {"b": "2"}, "metadata": {}, "contentType": "text/plain"},
    ),
    Case(
        kind=secretsmanager_secret,
        inputs=lambda c: {
            "name": fresh("secret"),
            "description": "a key",
            "kmsKeyId": a_key(c),
            "recoveryWindowInDays": 0,
            "tags": {"a": "1"},
        },
        taken="ResourceExistsException",
        behind={
            "description": lambda c, i: c.aws("secretsmanager").update_secret(SecretId=i, Description="x"),
            "tags": lambda c, i: c.aws("secretsmanager").untag_resource(SecretId=i, TagKeys=["a"]),
            "kmsKeyId": lambda c, i: c.aws("secretsmanager").update_secret(SecretId=i, KmsKeyId=a_key(c)),
            "policy": lambda c, i: c.aws("secretsmanager").put_resource_policy(
                SecretId=i, ResourcePolicy=policy("secretsmanager:*", Principal="*")
            ),
        },
        changes={
            "description": "other",
            "tags": {"b": "2"},
            "policy": policy("secretsmanager:GetSecretValue", Principal={"AWS": ACCOUNT}),
        },
    ),
    Case(
        kind=ssm_parameter,
        inputs=lambda _: {
            "name": f"/firnline/{fresh('parameter')}",
            "type": "String",
            "value": "{}",
            "description": "config",
            "tags": {"a": "1"},
        },
        taken="ParameterAlreadyExists",
        behind={
            "value": lambda c, i: c.aws("ssm").put_parameter(Name=i, Value="x", Type="String", Overwrite=True),
            "type": lambda c, i: c.aws("ssm").put_parameter(
                Name=i, Value="{}", Type="SecureString", Description="config", Overwrite=True
            ),
            "description": lambda c, i: c.aws("ssm").put_parameter(
                Name=i, Value="{}", Type="String", Description="x", Overwrite=True
            ),
            "tags": lambda c, i: c.aws("ssm").remove_tags_from_resource(
                ResourceType="Parameter", ResourceId=i, TagKeys=["a"]
            ),
        },
        changes={"value": "[]", "description": "other", "tags": {"b": "2"}, "tier": "Advanced", "type": "SecureString"},
    ),
    Case(
        kind=cloudwatch_metric_alarm,
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
]
