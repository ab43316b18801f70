"""Buckets, each of their settings, and objects."""

from typing import Any

from firnline_local.providers.aws import s3
from firnline_local.providers.clients import Clients

from .case import ACCOUNT, Case, a_bucket, a_key, fresh, policy


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
        {"id": "marks", "status": "Enabled", "expiration": {"expiredObjectDeleteMarker": True}},
        {"id": "all", "status": "Enabled", "transitions": [{"days": 90, "storageClass": "GLACIER"}]},
    ]


def bucket_policy(clients: Clients, bucket: str, action: str = "s3:GetObject") -> str:
    principal = {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}
    return policy(action, Principal=principal, Resource=[f"arn:aws:s3:::{bucket}/*"])


CASES = [
    Case(
        kind=s3.BUCKET,
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
        kind=s3.VERSIONING,
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
        kind=s3.ENCRYPTION,
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
        kind=s3.PUBLIC_ACCESS_BLOCK,
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
        kind=s3.OWNERSHIP_CONTROLS,
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
        kind=s3.LIFECYCLE,
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
        kind=s3.POLICY,
        inputs=lambda c: {"bucket": (bucket := a_bucket(c)), "policy": bucket_policy(c, bucket)},
        taken=None,
        behind={
            "policy": lambda c, i: c.aws("s3").put_bucket_policy(Bucket=i, Policy=bucket_policy(c, i, "s3:PutObject"))
        },
    ),
    Case(
        kind=s3.OBJECT,
        inputs=lambda c: {
            "bucket": a_bucket(c),
            "key": "configuration/config.json",
            "content": "{}",
            "contentType": "application/json",
            "metadata": {"hash": "a"},
            "tags": {"a": "1"},
        },
        taken=None,
        behind={
            "etag": lambda c, i: c.aws("s3").put_object(
                Bucket=i.partition("/")[0], Key=i.partition("/")[2], Body=b"other"
            ),
            "tags": lambda c, i: c.aws("s3").delete_object_tagging(Bucket=i.partition("/")[0], Key=i.partition("/")[2]),
        },
        changes={"content": "[]", "tags": {"b": "2"}, "metadata": {}, "contentType": "text/plain"},
    ),
]
