"""A place in S3 where Snowflake keeps Iceberg tables."""

import pulumi

from firnline_infra.blueprint.iceberg_volume import IcebergVolumeDefinition as IcebergVolumeArgs
from firnline_infra.pulumi.rendering import RenderedComponent
from firnline_infra.resources.snowflake_volume import iceberg_volume

__all__ = ["IcebergVolume", "IcebergVolumeArgs"]


class IcebergVolume(RenderedComponent):
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
        super().__init__(iceberg_volume(name, args), opts)
        self.iam_user_arn = self.made["iam_user_arn"]
