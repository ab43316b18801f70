"""A place in S3 where Snowflake keeps Iceberg tables."""

from firnline_infra.blueprint.iceberg_volume import IcebergVolumeDefinition
from firnline_infra.kinds.buckets import landing_bucket
from firnline_infra.kinds.resource import Component, Resource, WaitingValue
from firnline_infra.resources.aws_runtime import runtime_role

IAM_USER = "describe_output[0].storage_locations[0].s3_storage_location[0].storage_aws_iam_user_arn"
"""What Snowflake is in AWS, of the volume's only location, as DESCRIBE EXTERNAL VOLUME has it."""


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
