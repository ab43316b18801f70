"""Rows of places in S3: the environment's bucket, and those where Snowflake keeps Iceberg tables.

A place of Iceberg tables is a bucket, a role and an external volume, made in one go. Each needs another's name: the volume the
role's ARN, the role's trust the volume's IAM user. The ARN follows from the role's name and the external id is ours, so only
the trust waits for something that was made.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from firnline_infra.blueprint.aws import Bucket
from firnline_infra.blueprint.bucket_layout import makes_bucket
from firnline_infra.blueprint.iceberg_volume import IcebergVolumeDefinition
from firnline_infra.blueprint.storage import key_value
from firnline_infra.blueprint.value import Reference
from firnline_infra.environment import Environment
from firnline_infra.kinds.principals import runtime_role
from firnline_infra.kinds.resource import Component, PolicyText, Resource, WaitingValue
from firnline_infra.specification.identifier import Identifier
from firnline_infra.specification.names import volume_names

IAM_USER = "describe_output[0].storage_locations[0].s3_storage_location[0].storage_aws_iam_user_arn"
"""What Snowflake is in AWS, of the volume's only location, as DESCRIBE EXTERNAL VOLUME has it."""


def landing_buckets(environment: Environment) -> Iterator[Component]:
    """The environment's own, if it makes one."""
    if makes_bucket(environment):
        made = landing_bucket("bucket", _bucket(environment, environment.names.bucket, "bucket"))
        yield replace(made, gives={Reference("bucket", "name"): made.outputs["name"]})


def iceberg_volumes(environment: Environment) -> Iterator[Component]:
    """The places of Iceberg tables that are made here."""
    for each in external_volumes(environment):
        yield iceberg_volume(f"volume-{each.name}", each)


def external_volumes(environment: Environment) -> Iterator[IcebergVolumeDefinition]:
    """The volumes of those places."""
    for volume in environment.made_volumes:
        names = volume_names(environment.spec, volume)
        yield IcebergVolumeDefinition(
            name=Identifier.parse(volume.name),
            bucket=_bucket(environment, names.bucket, "volume"),
            role_arn=environment.arns.role(names.role),
            external_id=names.external_id,
            prefix=volume.prefix,
            permissions_boundary=environment.aws.permissions_boundary,
            comment=environment.comment,
            tags=environment.tags("volume"),
        )


def _bucket(environment: Environment, name: str, component: str) -> Bucket:
    return Bucket(
        name=name,
        partition=environment.aws.partition,
        key_arn=key_value(environment),
        durability=environment.durability,
        tags=environment.tags(component),
    )


def landing_bucket(name: str, args: Bucket) -> Component:
    """Returns a bucket whose name is known once its settings are made: what is put there by name is encrypted and versioned."""
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


def iceberg_volume(name: str, args: IcebergVolumeDefinition) -> Component:
    """The bucket, the external volume, the role that Snowflake takes there, and its proof that it can use them."""
    bucket = landing_bucket(f"{name}-bucket", args.bucket)
    volume = _volume(f"{name}-volume", args)
    role = runtime_role(f"{name}-role", args.role)
    said = {"execute": WaitingValue(args.prove, (volume,)), "revert": "SELECT 1", "query": args.verify}
    proof = Resource("snowflake_execute", f"{name}-verify", said, after=(bucket, role), uses_new_role=True)
    user = volume[IAM_USER]
    members = (bucket, volume, role, proof)
    return Component("IcebergVolume", name, members, {"iam_user_arn": user}, gives={args.iam_user: user})


def _volume(name: str, args: IcebergVolumeDefinition) -> Resource:
    location = {
        "storage_location_name": args.location,
        "storage_provider": args.provider,
        "storage_base_url": args.base_url,
        "storage_aws_role_arn": args.role_arn,
        "storage_aws_external_id": args.external_id,
        "encryption_type": args.encryption,
        "encryption_kms_key_id": args.bucket.key_arn,
    }
    said = {
        "name": args.name.name,
        "storage_location": [location],
        "allow_writes": "true",
        "comment": args.comment,
    }
    return Resource("snowflake_external_volume", name, said, durability=args.durability)
