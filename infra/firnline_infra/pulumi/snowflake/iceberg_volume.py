"""A place in S3 where Snowflake keeps Iceberg tables."""

from typing import Any

import pulumi
import pulumi_snowflake as snowflake

from firnline_infra.blueprint.iceberg_volume import IcebergVolumeDefinition as IcebergVolumeArgs
from firnline_infra.pulumi.aws.iam import RuntimeRole
from firnline_infra.pulumi.aws.landing_bucket import LandingBucket
from firnline_infra.pulumi.options import child_of
from firnline_infra.pulumi.references import as_input, resolved
from firnline_infra.pulumi.snowflake.retry import until_the_volume_can_be_used

__all__ = ["IcebergVolume", "IcebergVolumeArgs"]


class IcebergVolume(pulumi.ComponentResource):
    """Creates the bucket, the external volume and the role that Snowflake takes there, and has Snowflake try it.

    >>> from firnline_infra.blueprint.aws import Bucket
    >>> from firnline_infra.specification.identifier import Identifier
    >>> lake = IcebergVolume("lake", IcebergVolumeArgs(
    ...     name=Identifier.parse("LAKE"), bucket=Bucket(name="lake-111122223333-eu-west-1"),
    ...     role_arn="arn:aws:iam::111122223333:role/lake-volume", external_id="orders-lake",
    ... ))

    To adopt: `pulumi import snowflake:index/externalVolume:ExternalVolume NAME-volume VOLUME`.
    """

    iam_user_arn: pulumi.Output[str]
    """What Snowflake is in AWS."""

    def __init__(self, name: str, args: IcebergVolumeArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("firnline:index:IcebergVolume", name, None, opts)
        bucket = LandingBucket(f"{name}-bucket", args.bucket, child_of(self))
        volume = self._volume(name, args)
        self.iam_user_arn = volume.describe_outputs.apply(_iam_user_arn)
        role = RuntimeRole(
            f"{name}-role", resolved(args.role, {args.iam_user: self.iam_user_arn}.__getitem__), child_of(self)
        )
        snowflake.Execute(
            f"{name}-verify",
            execute=volume.name.apply(lambda _: args.prove),
            revert="SELECT 1",
            query=args.verify,
            opts=child_of(self, depends_on=[bucket, role], hooks=until_the_volume_can_be_used(f"{name}-verify")),
        )
        self.register_outputs({"iamUserArn": self.iam_user_arn})

    def _volume(self, name: str, args: IcebergVolumeArgs) -> snowflake.ExternalVolume:
        return snowflake.ExternalVolume(
            f"{name}-volume",
            name=args.name.name,
            storage_locations=[
                {
                    "storage_location_name": args.location,
                    "storage_provider": args.provider,
                    "storage_base_url": args.base_url,
                    "storage_aws_role_arn": args.role_arn,
                    "storage_aws_external_id": args.external_id,
                    "encryption_type": args.encryption,
                    "encryption_kms_key_id": as_input(args.bucket.key_arn),
                }
            ],
            allow_writes="true",
            comment=args.comment,
            opts=child_of(self, durability=args.durability),
        )


def _iam_user_arn(described: Any) -> str:
    """Of the volume's only location, as DESCRIBE EXTERNAL VOLUME tells it."""
    return str(described[0].storage_locations[0].s3_storage_locations[0].storage_aws_iam_user_arn)
