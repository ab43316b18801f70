"""Buckets, with all their settings."""

from typing import Any

from firnline_infra.blueprint.aws import Bucket
from firnline_infra.kinds.resource import Component, PolicyText, Resource, WaitingValue


def landing_bucket(name: str, args: Bucket) -> Component:
    """Its name is known once the bucket is as it should be: what is put there by name is encrypted and versioned."""
    bucket = Resource(
        "aws_s3_bucket",
        f"{name}-bucket",
        {"bucket": args.name, "force_destroy": args.force_destroy, "tags": args.tags},
        durability=args.durability,
    )

    def setting(type_: str, suffix: str, *after: Resource, **arguments: Any) -> Resource:
        return Resource(type_, f"{name}-{suffix}", {"bucket": bucket["bucket"], **arguments}, after=after)

    ownership = {"object_ownership": args.ownership}
    owner = setting("aws_s3_bucket_ownership_controls", "ownership", rule=ownership)
    switches = ("block_public_acls", "block_public_policy", "ignore_public_acls", "restrict_public_buckets")
    closed = setting("aws_s3_bucket_public_access_block", "public-access", **dict.fromkeys(switches, True))
    # S3 refuses to change a bucket's policy and its block of public access at once.
    policy = setting("aws_s3_bucket_policy", "policy", closed, policy=PolicyText(args.policy))
    encryption = setting("aws_s3_bucket_server_side_encryption_configuration", "encryption", rule=[_encrypted(args)])
    versioning = setting("aws_s3_bucket_versioning", "versioning", versioning_configuration={"status": "Enabled"})
    lifecycle = setting("aws_s3_bucket_lifecycle_configuration", "lifecycle", versioning, rule=[_old_versions(args)])
    ready = WaitingValue(bucket["bucket"], (owner, policy, encryption, versioning))
    return Component(
        "LandingBucket",
        name,
        (bucket, owner, closed, policy, encryption, versioning, lifecycle),
        {"name": ready, "arn": bucket["arn"]},
    )


def _encrypted(args: Bucket) -> dict[str, Any]:
    by_default = {"sse_algorithm": args.encryption, "kms_master_key_id": args.key_arn}
    return {
        "apply_server_side_encryption_by_default": by_default,
        "bucket_key_enabled": args.key_arn is not None,
    }


def _old_versions(args: Bucket) -> dict[str, Any]:
    return {
        "id": "old-versions",
        "status": "Enabled",
        "filter": {"prefix": ""},
        # Spark removes some objects an epoch: what is left of a removed one is a mark, which listings go past for ever.
        "expiration": {"expired_object_delete_marker": True},
        "noncurrent_version_expiration": {"noncurrent_days": args.old_versions_days},
        "abort_incomplete_multipart_upload": {"days_after_initiation": args.unfinished_uploads_days},
    }
