"""Where records land in Snowflake."""

import pulumi
import pulumi_snowflake as snowflake

from firnline_infra.blueprint.snowflake import InteractiveWarehouse
from firnline_infra.blueprint.snowflake import SnowflakeObjects as SnowflakeLandingArgs
from firnline_infra.pulumi.snowflake import containers, grants, principals, tables
from firnline_infra.pulumi.snowflake.site import Kind, Site

__all__ = ["SnowflakeLanding", "SnowflakeLandingArgs"]


class SnowflakeLanding(pulumi.ComponentResource):
    """Creates databases, schemas, tables and pipes; roles, users and their policies; and grants, with ownership last.

    What the component depends on, Iceberg tables and grants on volumes wait for: their volumes.

    >>> from firnline_infra.blueprint.snowflake import Database, Schema, Table
    >>> from firnline_infra.specification.identifier import Identifier, QualifiedName
    >>> orders, column = QualifiedName.of("LAKE", "RAW", "ORDERS"), Identifier.parse("KINESISMETADATA")
    >>> landing = SnowflakeLanding("landing", SnowflakeLandingArgs(
    ...     databases=(Database(name=Identifier.parse("LAKE")),),
    ...     schemas=(Schema(name=QualifiedName.of("LAKE", "RAW")),),
    ...     tables=(Table(name=orders, metadata_column=column),),
    ... ))

    The provider has to allow what `Blueprint.preview_features` lists. To adopt, `pulumi import TYPE NAME ID` with these ids:
    database, role, user, policy `NAME`; schema `"D"."S"`; table and pipe `D|S|NAME`; Iceberg table `"D"."S"."T"`.
    """

    def __init__(self, name: str, args: SnowflakeLandingArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("firnline:index:SnowflakeLanding", name, None, opts)
        site = Site(self, name, opts)
        places = self._places(site, args)
        self._principals(site, args)
        made = [*places, *self._grants(site, args)]
        for ownership in args.ownerships:
            grants.ownership_grant(site, ownership, after=made)
        self.register_outputs({})

    def _places(self, site: Site, args: SnowflakeLandingArgs) -> list[pulumi.Resource]:
        for database in args.databases:
            containers.database(site, database)
        for schema in args.schemas:
            containers.schema(site, schema)
        made = [each for table in args.tables for each in tables.table(site, table)]
        made += [tables.pipe(site, pipe) for pipe in args.pipes]
        if args.warehouse is not None:
            made.append(_warehouse(site, args.warehouse))
        return made

    def _principals(self, site: Site, args: SnowflakeLandingArgs) -> None:
        if args.network_policy is not None:
            principals.network_policy(site, args.network_policy)
        if args.authentication_policy is not None:
            principals.authentication_policy(site, args.authentication_policy)
        for role in args.roles:
            principals.role(site, role)
        for user in args.users:
            principals.user(site, user)

    def _grants(self, site: Site, args: SnowflakeLandingArgs) -> list[pulumi.Resource]:
        return [
            *(grants.role_grant(site, grant) for grant in args.role_grants),
            *(grants.privilege_grant(site, grant) for grant in args.grants),
        ]


def _warehouse(site: Site, args: InteractiveWarehouse) -> pulumi.Resource:
    made = snowflake.WarehouseInteractive(
        site.child("warehouse"),
        name=args.name.name,
        warehouse_size=args.size,
        tables=[site.quoted(Kind.TABLE, table) for table in args.tables],
        comment=args.comment,
        opts=site.options(),
    )
    site.add(Kind.WAREHOUSE, args.name, made.name)
    return made
