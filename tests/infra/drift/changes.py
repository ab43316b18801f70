"""Changes that people make to an environment past its stack, each with the one finding that has to come of it."""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from firnline_infra.blueprint import blueprint_of
from firnline_infra.environment import Environment
from firnline_infra.kinds.storage import external_volumes
from firnline_infra.kinds.streams import TYPE as STREAM
from firnline_infra.kinds.tables import TYPE as TABLE
from tests.infra.drift import changes_in_snowflake, replacements
from tests.infra.drift import changes_of_the_engine as engine
from tests.infra.drift.conftest import STRANGER, Change, Made, policy

OTHERS = {"Who": "me"}


def changes(made: Made) -> Iterator[Change]:
    yield from _stream(made)
    yield from _ledger(made)
    yield from _bucket(made)
    yield from replacements.secret(made)
    yield from _secrets(made)
    yield from {
        "dev": engine.user,
        "staging": engine.role,
        "prod": engine.role,
    }[made.name](made)
    yield from {"dev": engine.running_engine, "staging": _dying_key, "prod": _prod}[made.name](made)
    yield from replacements.replaced(made)
    yield from changes_in_snowflake.changes(made)


def losses(made: Made) -> Iterator[Change]:
    """Yields what is deleted, after all the others: each is one finding, whatever else was found of it."""
    kinesis, logs = made.aws("kinesis"), made.aws("logs")
    if made.name == "dev":
        gone = {"StreamName": "orders", "EnforceConsumerDeletion": True}
        yield Change(partial(kinesis.delete_stream, **gone), "kinesis stream orders", "exists")
    if made.name == "prod":
        lost = {"AlarmNames": ["firnline-prod-orders-throttled"]}
        alarm = "cloudwatch metric alarm firnline-prod-orders-throttled"
        yield Change(partial(made.aws("cloudwatch").delete_alarms, **lost), alarm, "exists")
        group = "firnline-prod"
        yield Change(partial(logs.delete_log_group, logGroupName=group), f"cloudwatch log group {group}", "exists")
    yield from changes_in_snowflake.losses(made)


def _stream(made: Made) -> Iterator[Change]:
    kinesis, name = made.aws("kinesis"), {"StreamName": "orders"}
    found, stream = kinesis.describe_stream_summary(**name)["StreamDescriptionSummary"], "kinesis stream orders"
    arn = {"StreamARN": found["StreamARN"]}

    def by(operation: str, path: str, also: tuple[str, ...] = (), **request: Any) -> Change:
        return Change(partial(getattr(kinesis, operation), **request), stream, path, also=also)

    yield by("increase_stream_retention_period", "retentionPeriod", RetentionPeriodHours=200, **name)
    yield by("add_tags_to_stream", "tags.Who", Tags=OTHERS, **name)
    if len(made.spec.streams) == 1:  # of all streams
        yield Change(partial(replacements.made_again, made, STREAM), stream, "created")
    letting_in = policy("kinesis:GetRecords", found["StreamARN"], Principal={"AWS": STRANGER})
    yield by("put_resource_policy", "resource policy", ResourceARN=found["StreamARN"], Policy=letting_in)
    yield by("register_stream_consumer", "consumer spy", ConsumerName="spy", **arn)
    metrics = ["OutgoingBytes"]
    yield by("enable_enhanced_monitoring", "shardLevelMetrics", ShardLevelMetrics=metrics, **name)
    if made.name == "staging":
        sets = partial(kinesis.update_stream_record_distribution_strategy, **arn)
        auto, by_key = (partial(sets, RecordDistributionStrategy=each) for each in ("AUTO", "USER_PARTITION_KEY"))
        yield Change(auto, stream, "recordDistributionStrategy", undo=by_key)
        provisioned = {"StreamMode": "PROVISIONED"}
        changed = (
            "update_stream_mode",
            "streamModeDetails.streamMode",
            ("shardCount",),
        )  # on demand has no number of shards
        yield by(*changed, StreamModeDetails=provisioned, **arn)
    else:
        shards = {"dev": 2, "prod": 4}[made.name]
        yield by("update_shard_count", "shardCount", TargetShardCount=shards, ScalingType="UNIFORM_SCALING", **name)
    if made.name == "prod":
        aws = {"EncryptionType": "KMS", "KeyId": "alias/aws/kinesis"}
        yield by("start_stream_encryption", "kmsKeyId", **aws, **name)
        fraud = kinesis.describe_stream_consumer(**arn, ConsumerName="fraud")["ConsumerDescription"]["ConsumerARN"]
        opened = policy("kinesis:SubscribeToShard", fraud, Principal={"AWS": STRANGER})
        let_in = partial(kinesis.put_resource_policy, ResourceARN=fraud, Policy=opened)
        yield Change(let_in, "kinesis stream consumer fraud", "resource policy")


def _ledger(made: Made) -> Iterator[Change]:
    dynamodb, name = made.aws("dynamodb"), {"TableName": made.application}
    table = dynamodb.describe_table(**name)["Table"]

    def by(operation: str, path: str, **request: Any) -> Change:
        return Change(partial(getattr(dynamodb, operation), **request), f"dynamodb table {made.application}", path)

    continuous = {"PointInTimeRecoveryEnabled": False}
    off = {"PointInTimeRecoverySpecification": continuous}
    yield by("update_continuous_backups", "pointInTimeRecovery.enabled", **name, **off)
    opening = policy("dynamodb:GetItem", table["TableArn"], Principal={"AWS": STRANGER})
    yield by("put_resource_policy", "resource policy", ResourceArn=table["TableArn"], Policy=opening)
    expiry = {"Enabled": True, "AttributeName": "at"}
    yield by("update_time_to_live", "ttl", TimeToLiveSpecification=expiry, **name)
    protected = not table.get("DeletionProtectionEnabled", False)
    yield by("update_table", "deletionProtectionEnabled", DeletionProtectionEnabled=protected, **name)
    streaming = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    yield by("update_table", "streamEnabled", StreamSpecification=streaming, **name)
    yield by("tag_resource", "tags.Who", ResourceArn=table["TableArn"], Tags=[{"Key": "Who", "Value": "me"}])
    yield Change(partial(replacements.made_again, made, TABLE), f"dynamodb table {made.application}", "created")


def _bucket(made: Made) -> Iterator[Change]:
    s3, bucket = made.aws("s3"), blueprint_of(made.spec).names.bucket
    whole = f"s3 bucket {bucket}"

    def by(operation: str, of: str, path: str, **request: Any) -> Change:
        return Change(partial(getattr(s3, operation), Bucket=bucket, **request), f"s3 bucket {of}{bucket}", path)

    yield Change(partial(_replicated, made, bucket), whole, "replication away")
    versioning = {"VersioningConfiguration": {"Status": "Suspended"}}
    yield by("put_bucket_versioning", "versioning ", "versioningConfiguration.status", **versioning)
    blocks = {"BlockPublicAcls": True, "IgnorePublicAcls": True, "RestrictPublicBuckets": True}
    blocks |= {"BlockPublicPolicy": False}
    public = {"PublicAccessBlockConfiguration": blocks}
    yield by("put_public_access_block", "public access block ", "blockPublicPolicy", **public)
    reading = policy("s3:GetObject", f"arn:aws:s3:::{bucket}/*", Principal={"AWS": STRANGER})
    yield by("put_bucket_policy", "policy ", "policy", Policy=reading)
    yield by("delete_bucket_lifecycle", "lifecycle configuration ", "exists")
    applied = {"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "aws:kms:dsse"}}
    encryption = {"ServerSideEncryptionConfiguration": {"Rules": [applied]}}
    yield by("put_bucket_encryption", "server side encryption configuration ", "rules", **encryption)
    tags = [*s3.get_bucket_tagging(Bucket=bucket)["TagSet"], {"Key": "Who", "Value": "me"}]
    yield by("put_bucket_tagging", "", "tags.Who", Tagging={"TagSet": tags})
    topic = {"Id": "copies", "TopicArn": "arn:aws:sns:eu-central-1:999988887777:a", "Events": ["s3:ObjectCreated:*"]}
    notified = {"NotificationConfiguration": {"TopicConfigurations": [topic]}}
    yield by("put_bucket_notification_configuration", "", "notification copies", **notified)
    yield by("put_bucket_inventory_configuration", "", "inventory all", Id="all", InventoryConfiguration=INVENTORY)
    yield Change(partial(_logged, made, bucket), whole, "logging")
    yield from _served(made, bucket)
    if url := made.stack.outputs["engine_config_url"]:
        key = url.removeprefix(f"s3://{bucket}/")
        changed = json.loads(s3.get_object(Bucket=bucket, Key=key)["Body"].read()) | {"application": "another"}
        document = {"Bucket": bucket, "Key": key, "Body": json.dumps(changed).encode()}
        written = partial(s3.put_object, **document, ContentType="application/json")
        yield Change(written, "s3 bucket objectv2 engine configuration", "content")


def _served(made: Made, bucket: str) -> Iterator[Change]:
    """Yields what a bucket answers others with, or from elsewhere; no provider compares it."""
    s3, whole = made.aws("s3"), f"s3 bucket {bucket}"
    website = {"IndexDocument": {"Suffix": "index.html"}}
    yield Change(partial(s3.put_bucket_website, Bucket=bucket, WebsiteConfiguration=website), whole, "website")
    rule = {"AllowedMethods": ["GET"], "AllowedOrigins": ["https://example.com"]}
    yield Change(partial(s3.put_bucket_cors, Bucket=bucket, CORSConfiguration={"CORSRules": [rule]}), whole, "cors")
    faster = partial(s3.put_bucket_accelerate_configuration, AccelerateConfiguration={"Status": "Enabled"})
    yield Change(partial(faster, Bucket=bucket), whole, "acceleration")


INVENTORY = {
    "Id": "all",
    "IsEnabled": True,
    "IncludedObjectVersions": "Current",
    "Schedule": {"Frequency": "Daily"},
    "Destination": {"S3BucketDestination": {"Bucket": "arn:aws:s3:::elsewhere", "Format": "CSV"}},
}


def _replicated(made: Made, bucket: str) -> None:
    s3 = made.aws("s3")
    enabled = {"Status": "Enabled"}
    s3.create_bucket(Bucket=f"{bucket}-away", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
    s3.put_bucket_versioning(Bucket=f"{bucket}-away", VersioningConfiguration=enabled)
    rule = {"ID": "away", "Priority": 1, "Filter": {"Prefix": ""}, **enabled}
    rule |= {
        "Destination": {"Bucket": f"arn:aws:s3:::{bucket}-away"},
        "DeleteMarkerReplication": {"Status": "Disabled"},
    }
    replication = {"Role": "arn:aws:iam::999988887777:role/copies", "Rules": [rule]}
    status = s3.get_bucket_versioning(Bucket=bucket)["Status"]
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration=enabled)
    s3.put_bucket_replication(Bucket=bucket, ReplicationConfiguration=replication)
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": status})


def _logged(made: Made, bucket: str) -> None:
    s3, logs = made.aws("s3"), f"{bucket}-logs"
    s3.create_bucket(Bucket=logs, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
    service = {"Service": "logging.s3.amazonaws.com"}
    s3.put_bucket_policy(Bucket=logs, Policy=policy("s3:PutObject", f"arn:aws:s3:::{logs}/*", Principal=service))
    target = {"LoggingEnabled": {"TargetBucket": logs, "TargetPrefix": ""}}
    s3.put_bucket_logging(Bucket=bucket, BucketLoggingStatus=target)


def _secrets(made: Made) -> Iterator[Change]:
    secrets, app = made.aws("secretsmanager"), made.application

    def by(operation: str, whose: str, path: str, **request: Any) -> Change:
        secret = f"{app}/snowflake/{whose}"
        does = partial(getattr(secrets, operation), SecretId=secret, **request)
        return Change(does, f"secretsmanager secret {secret}", path)

    opened = policy("secretsmanager:GetSecretValue", "*", Principal={"AWS": STRANGER})
    yield by("put_resource_policy", "reader", "resource policy", ResourcePolicy=opened)
    yield by("put_secret_value", "ingest", "value", SecretString="another")
    yield by("tag_resource", "reader", "tags.Who", Tags=[{"Key": "Who", "Value": "me"}])
    yield by(
        "replicate_secret_to_regions", "ingest", "replica in eu-west-1", AddReplicaRegions=[{"Region": "eu-west-1"}]
    )


def _image_repository(made: Made) -> Iterator[Change]:
    ecr, name = made.aws("ecr"), made.application
    yield Change(partial(_unencrypted, ecr, name), f"ecr repository {name}", "encryptionConfigurations")

    def by(operation: str, path: str, **request: Any) -> Change:
        change = partial(getattr(ecr, operation), repositoryName=name, **request)
        return Change(change, f"ecr repository {name}", path)

    yield by(
        "put_image_scanning_configuration",
        "imageScanningConfiguration.scanOnPush",
        imageScanningConfiguration={"scanOnPush": False},
    )
    yield by("put_image_tag_mutability", "imageTagMutability", imageTagMutability="MUTABLE")
    yield by("set_repository_policy", "policy", policyText=policy("ecr:*", "*", Principal={"AWS": STRANGER}))
    selection = {"tagStatus": "any", "countType": "imageCountMoreThan", "countNumber": 1}
    rule = {"rulePriority": 1, "selection": selection, "action": {"type": "expire"}}
    fewer = partial(ecr.put_lifecycle_policy, repositoryName=name, lifecyclePolicyText=json.dumps({"rules": [rule]}))
    yield Change(fewer, "ecr lifecycle policy engine-images-lifecycle", "policy")
    arn = ecr.describe_repositories(repositoryNames=[name])["repositories"][0]["repositoryArn"]
    tags = [{"Key": "Who", "Value": "me"}]
    yield Change(partial(ecr.tag_resource, resourceArn=arn, tags=tags), f"ecr repository {name}", "tags.Who")


def _unencrypted(ecr: Any, name: str) -> None:
    """No call changes a repository's key: it is made anew, as it was but for that."""
    (found,) = ecr.describe_repositories(repositoryNames=[name])["repositories"]
    assert found["encryptionConfiguration"]["encryptionType"] == "KMS"
    tags = ecr.list_tags_for_resource(resourceArn=found["repositoryArn"])["tags"]
    rules = ecr.get_lifecycle_policy(repositoryName=name)["lifecyclePolicyText"]
    ecr.delete_repository(repositoryName=name)
    kept = {each: found[each] for each in ("imageTagMutability", "imageScanningConfiguration")}
    ecr.create_repository(repositoryName=name, tags=tags, **kept)
    ecr.put_lifecycle_policy(repositoryName=name, lifecyclePolicyText=rules)


def _dying_key(made: Made) -> Iterator[Change]:
    yield from _image_repository(made)
    kms, alias = made.aws("kms"), f"alias/{made.application}"
    key = kms.describe_key(KeyId=alias)["KeyMetadata"]["KeyId"]
    yield Change(partial(kms.schedule_key_deletion, KeyId=key), f"kms key {alias}", "state")


def _prod(made: Made) -> Iterator[Change]:
    kms, alias = made.aws("kms"), f"alias/{made.application}"
    key = kms.describe_key(KeyId=alias)["KeyMetadata"]["KeyId"]

    def by(operation: str, path: str, **request: Any) -> Change:
        return Change(partial(getattr(kms, operation), **request), f"kms key {alias}", path)

    grant = {"KeyId": key, "GranteePrincipal": STRANGER, "Operations": ["Decrypt"], "Name": "lent"}
    yield by("create_grant", "grant lent", **grant)
    open_to_all = {"Effect": "Allow", "Principal": {"AWS": STRANGER}, "Action": "kms:Decrypt", "Resource": "*"}
    own = json.loads(kms.get_key_policy(KeyId=key, PolicyName="default")["Policy"])
    own["Statement"].append(open_to_all)
    yield by("put_key_policy", "policy", KeyId=key, PolicyName="default", Policy=json.dumps(own))
    yield by("disable_key_rotation", "rotation", KeyId=key)
    disabled = by("disable_key", "state", KeyId=key)
    yield replace(disabled, undo=partial(kms.enable_key, KeyId=key))
    yield by("update_alias", "target", AliasName=alias, TargetKeyId=kms.create_key()["KeyMetadata"]["KeyId"])
    parameter = {"Name": "/firnline/prod/ledger-table", "Value": "another", "Type": "String", "Overwrite": True}
    written = partial(made.aws("ssm").put_parameter, **parameter)
    yield Change(written, "ssm parameter /firnline/prod/ledger-table", "insecureValue")
    yield from _volume(made)
    yield from engine.watching(made)
    yield from engine.job(made)


def _volume(made: Made) -> Iterator[Change]:
    """Snowflake alone may be the volume's role, and by the volume's external id alone."""
    iam, (volume,) = made.aws("iam"), external_volumes(Environment.of(made.spec))
    name = volume.role_arn.rpartition("/")[2]
    trust = iam.get_role(RoleName=name)["Role"]["AssumeRolePolicyDocument"]
    text = json.dumps(trust)
    assert volume.external_id in text
    anyone = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"AWS": STRANGER}}
    for changed in (
        text.replace(volume.external_id, "theirs"),
        json.dumps({**trust, "Statement": [*trust["Statement"], anyone]}),
    ):
        by = partial(iam.update_assume_role_policy, RoleName=name)
        back = partial(by, PolicyDocument=text)
        yield Change(partial(by, PolicyDocument=changed), f"iam role {name}", "assumeRolePolicy", back)
    reading = policy("s3:GetObject", f"arn:aws:s3:::{volume.bucket.name}/*", Principal={"AWS": STRANGER})
    opened = partial(made.aws("s3").put_bucket_policy, Bucket=volume.bucket.name, Policy=reading)
    yield Change(opened, f"s3 bucket policy {volume.bucket.name}", "policy")
    yield from _served(made, volume.bucket.name)
