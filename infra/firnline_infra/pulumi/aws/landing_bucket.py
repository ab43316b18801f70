"""The bucket for the engine's configuration, Spark's checkpoint, or a volume's tables."""

import pulumi
import pulumi_aws as aws

from firnline_infra.blueprint.aws import Bucket as LandingBucketArgs
from firnline_infra.pulumi.options import child_of
from firnline_infra.pulumi.references import as_input, policy_json

__all__ = ["LandingBucket", "LandingBucketArgs"]


class LandingBucket(pulumi.ComponentResource):
    """Creates an S3 bucket that is versioned, encrypted, closed to the public and reached only through TLS.

    >>> bucket = LandingBucket("bucket", LandingBucketArgs(name="orders-111122223333-eu-west-1"))

    To adopt: `pulumi import aws:s3/bucket:Bucket NAME-bucket BUCKET`; the settings have the bucket's name as their id too.
    """

    name: pulumi.Output[str]
    """Told once the bucket is as it should be: what is put there by name is encrypted and versioned."""
    arn: pulumi.Output[str]

    def __init__(self, name: str, args: LandingBucketArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("firnline:index:LandingBucket", name, None, opts)
        bucket = aws.s3.Bucket(
            f"{name}-bucket",
            bucket=args.name,
            force_destroy=args.force_destroy,
            tags=args.tags,
            opts=child_of(self, durability=args.durability),
        )
        settings = [*self._close(name, args, bucket), *self._keep(name, args, bucket)]
        self.name = pulumi.Output.all(bucket.bucket, *settings).apply(lambda names: names[0])
        self.arn = bucket.arn
        self.register_outputs({"name": self.name, "arn": self.arn})

    def _close(self, name: str, args: LandingBucketArgs, bucket: aws.s3.Bucket) -> list[pulumi.Output[str]]:
        owner = aws.s3.BucketOwnershipControls(
            f"{name}-ownership",
            bucket=bucket.bucket,
            rule={"object_ownership": args.ownership},
            opts=child_of(self),
        )
        block = aws.s3.BucketPublicAccessBlock(
            f"{name}-public-access",
            bucket=bucket.bucket,
            block_public_acls=True,
            block_public_policy=True,
            ignore_public_acls=True,
            restrict_public_buckets=True,
            opts=child_of(self),
        )
        policy = aws.s3.BucketPolicy(
            f"{name}-policy",
            bucket=bucket.bucket,
            policy=policy_json(args.policy),
            opts=child_of(self, depends_on=[block]),  # S3 refuses to change both at once
        )
        return [owner.bucket, policy.bucket]

    def _keep(self, name: str, args: LandingBucketArgs, bucket: aws.s3.Bucket) -> list[pulumi.Output[str]]:
        encryption = aws.s3.BucketServerSideEncryptionConfiguration(
            f"{name}-encryption",
            bucket=bucket.bucket,
            rules=[
                {
                    "apply_server_side_encryption_by_default": {
                        "sse_algorithm": args.encryption,
                        "kms_master_key_id": as_input(args.key_arn),
                    },
                    "bucket_key_enabled": args.key_arn is not None,
                }
            ],
            opts=child_of(self),
        )
        versioning = aws.s3.BucketVersioning(
            f"{name}-versioning",
            bucket=bucket.bucket,
            versioning_configuration={"status": "Enabled"},
            opts=child_of(self),
        )
        aws.s3.BucketLifecycleConfiguration(
            f"{name}-lifecycle",
            bucket=bucket.bucket,
            rules=[_old_versions(args)],
            opts=child_of(self, depends_on=[versioning]),
        )
        return [encryption.bucket, versioning.bucket]


def _old_versions(args: LandingBucketArgs) -> aws.s3.BucketLifecycleConfigurationRuleArgsDict:
    return {
        "id": "old-versions",
        "status": "Enabled",
        "filter": {"prefix": ""},
        # Spark removes some objects an epoch: what is left of a removed one is a mark, which listings go past for ever.
        "expiration": {"expired_object_delete_marker": True},
        "noncurrent_version_expiration": {"noncurrent_days": args.old_versions_days},
        "abort_incomplete_multipart_upload": {"days_after_initiation": args.unfinished_uploads_days},
    }
