"""S3: buckets, their settings, and the objects that jobs are started with."""

import json
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.bucket_layout import JOB_FOLDERS, makes_bucket
from firnline_infra.blueprint.engine_config import document_hash
from firnline_infra.environment import Environment
from firnline_infra.kinds.asking import unless
from firnline_infra.kinds.comparison import Comparison, Difference, Subject
from firnline_infra.kinds.kind import COMPARE, TAGS, Kind, Lookup, Right, own_name
from firnline_infra.kinds.resource import Component
from firnline_infra.kinds.storage import iceberg_volumes, landing_buckets
from firnline_infra.specification.arns import Arns
from firnline_ingest.errors import ConfigError

NO_REPLICATION = {"ReplicationConfigurationNotFoundError"}
NO_WEBSITE = {"NoSuchWebsiteConfiguration"}
NO_CORS = {"NoSuchCORSConfiguration"}
NO_ACCELERATION = {"MethodNotAllowed", "UnsupportedArgument", "NotImplemented"}
"""What S3 answers where a region has no acceleration (the AWS provider's internal/service/s3/bucket.go)."""
RECEIVERS = {"TopicConfigurations": "TopicArn", "QueueConfigurations": "QueueArn"}
RECEIVERS["LambdaFunctionConfigurations"] = "LambdaFunctionArn"


def _buckets(environment: Environment) -> Iterator[Component]:
    yield from landing_buckets(environment)
    yield from iceberg_volumes(environment)


def bucket_names(blueprint: Blueprint) -> tuple[str, ...]:
    """Returns the buckets that the roles use: an adopted one too."""
    adopted = () if blueprint.job_bucket is None else (blueprint.names.bucket,)
    return tuple(dict.fromkeys((*adopted, *map(own_name, BUCKET.instances(blueprint)))))


def object_arns(blueprint: Blueprint, arns: Arns) -> tuple[str, ...]:
    """The objects that roles may touch: in an adopted bucket only those in the application's folder."""
    own = set(map(own_name, BUCKET.instances(blueprint)))
    return tuple(
        arns.bucket(f"{name}/*" if name in own else f"{name}/{blueprint.names.application}/*")
        for name in bucket_names(blueprint)
    )


def _job_folders(blueprint: Blueprint, arns: Arns) -> list[str]:
    if blueprint.job_bucket is None:
        return []
    inside = "" if makes_bucket(blueprint.environment) else f"{blueprint.names.application}/"
    return [f"{arns.bucket(blueprint.names.bucket)}/{inside}{folder}*" for folder in JOB_FOLDERS]


def _replication(subject: Subject) -> Iterator[Difference]:
    bucket, s3 = own_name(subject.wanted), subject.clients("s3")
    answer: Any = unless(NO_REPLICATION, lambda: s3.get_bucket_replication(Bucket=bucket))
    for rule in answer["ReplicationConfiguration"]["Rules"] if answer else ():
        to = f"into {rule['Destination']['Bucket']} of {rule['Destination'].get('Account', 'this account')}"
        step = f"aws s3api delete-bucket-replication --bucket {bucket}"
        yield Difference.unwanted(f"replication {rule.get('ID', '')}".strip(), f"{to}, {rule['Status']}", step)


def _notifications(subject: Subject) -> Iterator[Difference]:
    bucket = own_name(subject.wanted)
    answer = subject.clients("s3").get_bucket_notification_configuration(Bucket=bucket)
    step = f"aws s3api put-bucket-notification-configuration --bucket {bucket} without it"
    for kind, field in RECEIVERS.items():
        for each in answer.get(kind, ()):
            yield Difference.unwanted(f"notification {each.get('Id', '')}".strip(), f"to {each[field]}", step)
    if "EventBridgeConfiguration" in answer:
        yield Difference.unwanted("notification EventBridge", "of every object", step)


def _inventories(subject: Subject) -> Iterator[Difference]:
    bucket = own_name(subject.wanted)
    answer = subject.clients("s3").list_bucket_inventory_configurations(Bucket=bucket)
    for each in answer.get("InventoryConfigurationList", ()):
        to = f"into {each['Destination']['S3BucketDestination']['Bucket']}"
        step = f"aws s3api delete-bucket-inventory-configuration --bucket {bucket} --id {each['Id']}"
        yield Difference.unwanted(f"inventory {each['Id']}", to, step)


def _logging(subject: Subject) -> Iterator[Difference]:
    answer = subject.clients("s3").get_bucket_logging(Bucket=own_name(subject.wanted))
    if target := answer.get("LoggingEnabled", {}).get("TargetBucket"):
        step = f"aws s3api put-bucket-logging --bucket {own_name(subject.wanted)} without it"
        yield Difference.unwanted("logging", f"into {target}", step)


def _website(subject: Subject) -> Iterator[Difference]:
    bucket, s3 = own_name(subject.wanted), subject.clients("s3")
    answer: Any = unless(NO_WEBSITE, lambda: s3.get_bucket_website(Bucket=bucket))
    if answer:
        redirect = answer.get("RedirectAllRequestsTo", {}).get("HostName")
        index = answer.get("IndexDocument", {}).get("Suffix")
        found = f"redirects to {redirect}" if redirect else f"serves {index or 'by its rules'}"
        yield Difference.unwanted("website", found, f"aws s3api delete-bucket-website --bucket {bucket}")


def _cors(subject: Subject) -> Iterator[Difference]:
    bucket, s3 = own_name(subject.wanted), subject.clients("s3")
    answer: Any = unless(NO_CORS, lambda: s3.get_bucket_cors(Bucket=bucket))
    origins = [origin for rule in (answer or {}).get("CORSRules", ()) for origin in rule.get("AllowedOrigins", ())]
    if answer:
        step = f"aws s3api delete-bucket-cors --bucket {bucket}"
        yield Difference.unwanted("cors", f"lets pages of {', '.join(dict.fromkeys(origins))} ask", step)


def _acceleration(subject: Subject) -> Iterator[Difference]:
    bucket, s3 = own_name(subject.wanted), subject.clients("s3")
    answer: Any = unless(NO_ACCELERATION, lambda: s3.get_bucket_accelerate_configuration(Bucket=bucket))
    if (answer or {}).get("Status") == "Enabled":
        step = f"aws s3api put-bucket-accelerate-configuration --bucket {bucket} --accelerate-configuration Status=Suspended"
        yield Difference.unwanted("acceleration", "through endpoints outside of the region", step)


def _content(subject: Subject) -> Iterator[Difference]:
    """The provider looks whether an object is there, and not at its bytes: its name is the hash of what it has to be."""
    url = str(subject.outputs.get("engine_config_url") or "")
    bucket, _, key = url.removeprefix("s3://").partition("/")
    if not key:
        return
    body = subject.clients("s3").get_object(Bucket=bucket, Key=key)["Body"].read()
    wanted, found = PurePosixPath(key).stem, _hash_of(body)
    if found != wanted:
        step = (
            "find out who wrote it and why; then remove that version of the object, and the one before is there again"
        )
        yield Difference(path="content", expected=wanted, found=found, next_step=step)


def _hash_of(body: bytes) -> str:
    try:
        return document_hash(json.loads(body))
    except (ValueError, ConfigError):
        return f"{len(body)} bytes that no engine takes"


BUCKET = Kind(
    "aws:s3/bucket:Bucket",
    "bucket",
    import_id="{bucket}",
    service="s3",
    rows=_buckets,
    arn=lambda arns, row: arns.bucket(own_name(row)),
    exists=Lookup("s3", "head_bucket", "Bucket", names_are_global=True),
    rights=(
        Right("Makes it.", create="CreateBucket"),
        Right(TAGS, create="PutBucketTagging TagResource", update="PutBucketTagging TagResource UntagResource"),
        Right("Looks whether it is there.", read="ListBucket"),
        Right(
            "The provider reads everything that a bucket can have, also what is never given to one.",
            read=(
                "GetBucketLocation GetBucketPolicy GetBucketAcl GetBucketCORS GetBucketWebsite "
                "GetBucketVersioning GetAccelerateConfiguration GetBucketRequestPayment GetBucketLogging "
                "GetLifecycleConfiguration GetReplicationConfiguration GetEncryptionConfiguration "
                "GetBucketObjectLockConfiguration GetBucketTagging ListTagsForResource"
            ),
        ),
        Right("Removes it; AWS refuses while anything is in it.", delete="DeleteBucket"),
    ),
    comparisons=(
        Comparison(what="replication", actions="GetReplicationConfiguration", find=_replication),
        Comparison(what="notifications", actions="GetBucketNotification", find=_notifications),
        Comparison(what="inventories", actions="GetInventoryConfiguration", find=_inventories),
        Comparison(what="access log", actions="GetBucketLogging", find=_logging),
        Comparison(what="website", actions="GetBucketWebsite", find=_website),
        Comparison(what="rules for pages of others", actions="GetBucketCORS", find=_cors),
        Comparison(what="transfer acceleration", actions="GetAccelerateConfiguration", find=_acceleration),
    ),
)
VERSIONING = Kind(
    "aws:s3/bucketVersioning:BucketVersioning",
    "versioning of bucket",
    service="s3",
    rows=_buckets,
    arns=BUCKET.own_arns,
    rights=(Right("That old versions are kept.", create="PutBucketVersioning", read="GetBucketVersioning"),),
)
ENCRYPTION = Kind(
    "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration",
    "encryption of bucket",
    service="s3",
    rows=_buckets,
    arns=BUCKET.own_arns,
    rights=(
        Right(
            "Which key encrypts its objects.", create="PutEncryptionConfiguration", read="GetEncryptionConfiguration"
        ),
    ),
)
PUBLIC_ACCESS_BLOCK = Kind(
    "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock",
    "public access block of bucket",
    service="s3",
    rows=_buckets,
    arns=BUCKET.own_arns,
    rights=(
        Right(
            "That nothing in it can be made public.",
            create="PutBucketPublicAccessBlock",
            read="GetBucketPublicAccessBlock",
        ),
    ),
)
OWNERSHIP_CONTROLS = Kind(
    "aws:s3/bucketOwnershipControls:BucketOwnershipControls",
    "ownership controls of bucket",
    service="s3",
    rows=_buckets,
    arns=BUCKET.own_arns,
    rights=(
        Right("That access lists have no say.", create="PutBucketOwnershipControls", read="GetBucketOwnershipControls"),
    ),
)
LIFECYCLE = Kind(
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
    "lifecycle of bucket",
    service="s3",
    rows=_buckets,
    arns=BUCKET.own_arns,
    rights=(
        Right(
            "When old versions and broken uploads go.",
            create="PutLifecycleConfiguration",
            read="GetLifecycleConfiguration",
        ),
    ),
)
BUCKET_POLICY = Kind(
    "aws:s3/bucketPolicy:BucketPolicy",
    "policy of bucket",
    service="s3",
    rows=_buckets,
    arns=BUCKET.own_arns,
    rights=(
        Right(
            "Its policy, which refuses what comes without TLS. The deployer could open the bucket "
            "to others by it, and what is in it: AWS's block of public access, also theirs to change, "
            "refuses only the public.",
            create="PutBucketPolicy",
            read="GetBucketPolicy",
            delete="DeleteBucketPolicy",
        ),
    ),
)
OBJECT = Kind(
    "aws:s3/bucketObjectv2:BucketObjectv2",
    "object",
    service="s3",
    terraform="aws_s3_object",
    arns=_job_folders,
    rights=(
        Right("Puts what the engine runs, and its configuration, there.", create="PutObject PutObjectTagging"),
        Right(COMPARE, read="GetObject GetObjectTagging"),
        Right("Removes it with all its versions.", delete="DeleteObject DeleteObjectVersion"),
    ),
    comparisons=(Comparison(what="content", actions="GetObject", find=_content),),
    drift_instances=lambda blueprint: [] if blueprint.job_bucket is None else ["configuration"],
    name=lambda _: "engine configuration",
)
