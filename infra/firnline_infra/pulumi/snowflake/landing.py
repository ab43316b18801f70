"""Everything in Snowflake that an environment's pipelines need, and the places in S3 where it keeps Iceberg tables."""

import pulumi

from firnline_infra.blueprint.iceberg_volume import IcebergVolumeDefinition as IcebergVolumeArgs
from firnline_infra.blueprint.snowflake import SnowflakeObjects as SnowflakeLandingArgs
from firnline_infra.kinds.snowflake_landing import snowflake_landing
from firnline_infra.kinds.storage import iceberg_volume
from firnline_infra.pulumi.rendering import DefinedComponent

__all__ = ["IcebergVolume", "IcebergVolumeArgs", "SnowflakeLanding", "SnowflakeLandingArgs"]


class IcebergVolume(DefinedComponent[IcebergVolumeArgs], describe=iceberg_volume):
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


class SnowflakeLanding(DefinedComponent[SnowflakeLandingArgs], describe=snowflake_landing):
    """Creates databases, schemas, tables and pipes; roles, users and their policies; and grants, with ownership last.

    Of its children only Iceberg tables and grants on volumes wait for what the component depends on: the volumes.

    >>> from firnline_infra.blueprint.snowflake import Column, Database, Schema, Table
    >>> from firnline_infra.specification.identifier import Identifier, QualifiedName
    >>> orders, column = QualifiedName.of("LAKE", "RAW", "ORDERS"), Identifier.parse("KINESISMETADATA")
    >>> landing = SnowflakeLanding("landing", SnowflakeLandingArgs(
    ...     databases=(Database(name=Identifier.parse("LAKE")),),
    ...     schemas=(Schema(name=QualifiedName.of("LAKE", "RAW")),),
    ...     tables=(Table(name=orders, metadata=(Column(name=column, type="OBJECT"),)),),
    ... ))

    The provider has to allow what `Blueprint.preview_features` lists. To adopt, `pulumi import TYPE NAME ID` with these ids:
    database, role, user, policy `NAME`; schema `"D"."S"`; table and pipe `D|S|NAME`; Iceberg table `"D"."S"."T"`.
    """
