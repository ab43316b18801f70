"""Everything in Snowflake that an environment's pipelines need, as one component."""

import pulumi

from firnline_infra.blueprint.snowflake import SnowflakeObjects as SnowflakeLandingArgs
from firnline_infra.pulumi.rendering import RenderedComponent
from firnline_infra.resources.snowflake_landing import snowflake_landing

__all__ = ["SnowflakeLanding", "SnowflakeLandingArgs"]


class SnowflakeLanding(RenderedComponent):
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

    def __init__(self, name: str, args: SnowflakeLandingArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(snowflake_landing(name, args), opts)
