"""Everything in Snowflake that an environment's pipelines need, as one component."""

import pulumi
import pulumi_snowflake as snowflake

from firnline_infra.blueprint.snowflake import InteractiveWarehouse
from firnline_infra.blueprint.snowflake import SnowflakeObjects as SnowflakeLandingArgs
from firnline_infra.pulumi.snowflake import grants, principals, tables
from firnline_infra.pulumi.snowflake.child_factory import ChildFactory, ObjectKind

__all__ = ["SnowflakeLanding", "SnowflakeLandingArgs"]


class SnowflakeLanding(pulumi.ComponentResource):
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
        super().__init__("firnline:index:SnowflakeLanding", name, None, opts)
        children = ChildFactory(self, name, opts)
        places = self._places(children, args)
        self._principals(children, args)
        made = [*places, *self._grants(children, args)]
        for ownership in args.ownerships:
            grants.ownership_grant(children, ownership, after=made)
        self.register_outputs({})

    def _places(self, children: ChildFactory, args: SnowflakeLandingArgs) -> list[pulumi.Resource]:
        for database in args.databases:
            tables.database(children, database)
        for schema in args.schemas:
            tables.schema(children, schema)
        made = [each for table in args.tables for each in tables.table(children, table)]
        made += [tables.stage(children, stage) for stage in args.stages]
        made += [tables.pipe(children, pipe) for pipe in args.pipes]
        if args.warehouse is not None:
            made.append(_warehouse(children, args.warehouse))
        return made

    def _principals(self, children: ChildFactory, args: SnowflakeLandingArgs) -> None:
        if args.network_policy is not None:
            principals.network_policy(children, args.network_policy)
        if args.authentication_policy is not None:
            principals.authentication_policy(children, args.authentication_policy)
        for role in args.roles:
            principals.role(children, role)
        for user in args.users:
            principals.user(children, user)

    def _grants(self, children: ChildFactory, args: SnowflakeLandingArgs) -> list[pulumi.Resource]:
        return [
            *(grants.role_grant(children, grant) for grant in args.role_grants),
            *(grants.privilege_grant(children, grant) for grant in args.grants),
        ]


def _warehouse(children: ChildFactory, args: InteractiveWarehouse) -> pulumi.Resource:
    made = snowflake.WarehouseInteractive(
        children.name("warehouse"),
        name=args.name.name,
        warehouse_size=args.size,
        tables=[children.quoted(ObjectKind.TABLE, table) for table in args.tables],
        comment=args.comment,
        opts=children.options(),
    )
    children.add(ObjectKind.WAREHOUSE, args.name, made.name)
    return made
