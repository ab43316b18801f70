"""Tables of every kind, and the pipes in front of them.

A table's columns are its own affair once it is made: schema evolution adds to them, or whoever designs them does.
"""

from typing import TypedDict

import pulumi
import pulumi_snowflake as snowflake

from firnline_infra.blueprint.snowflake import IcebergTable, InteractiveTable, Pipe, Table
from firnline_infra.pulumi.snowflake.retry import until_the_volume_can_be_used
from firnline_infra.pulumi.snowflake.site import Kind, Site
from firnline_infra.specification.identifier import QualifiedName

OWN = ["columns"]


class Place(TypedDict):
    database: pulumi.Input[str]
    schema: pulumi.Input[str]
    name: str


def table(site: Site, args: Table | IcebergTable | InteractiveTable) -> list[pulumi.Resource]:
    """With what is altered on it."""
    if isinstance(args, InteractiveTable):
        return [_interactive(site, args)]
    made = _iceberg(site, args) if isinstance(args, IcebergTable) else _standard(site, args)
    return [made, *_alterations(site, args)]


def pipe(site: Site, args: Pipe) -> pulumi.Resource:
    made = snowflake.Pipe(
        site.child("pipe", args.name),
        **_place(site, args.name),
        copy_statement=site.after(Kind.TABLE, args.table, args.copy_statement),
        comment=args.comment,
        opts=site.options(durability=args.durability),
    )
    site.add(Kind.PIPE, args.name, made.name)
    return made


def _standard(site: Site, args: Table) -> pulumi.Resource:
    made = snowflake.Table(
        site.child("table", args.name),
        **_place(site, args.name),
        columns=[{"name": args.metadata_column.name, "type": args.column_type}],
        comment=args.comment,
        opts=site.options(durability=args.durability, ignore_changes=OWN),
    )
    site.add(Kind.TABLE, args.name, made.name)
    return made


def _iceberg(site: Site, args: IcebergTable) -> pulumi.Resource:
    name = site.child("table", args.name)
    made = snowflake.IcebergTable(
        name,
        **_place(site, args.name),
        columns=[{"name": args.metadata_column.name, "type": args.column_type}],
        external_volume=args.volume.name,
        catalog=args.catalog,
        base_location=args.base_location,
        iceberg_version=args.format_version,
        error_logging=str(args.error_logging).lower(),
        comment=args.comment,
        opts=site.waiting_options(
            durability=args.durability, ignore_changes=OWN, hooks=until_the_volume_can_be_used(name)
        ),
    )
    site.add(Kind.TABLE, args.name, made.name)
    return made


def _interactive(site: Site, args: InteractiveTable) -> pulumi.Resource:
    *schema, _ = args.name.parts
    made = snowflake.Execute(
        site.child("table", args.name),
        execute=site.after(Kind.SCHEMA, QualifiedName(tuple(schema)), args.create),
        revert=args.drop,
        query=args.query,
        opts=site.options(durability=args.durability),
    )
    site.add(Kind.TABLE, args.name, made.execute)
    return made


def _alterations(site: Site, args: Table | IcebergTable) -> list[pulumi.Resource]:
    """Without a query: its answer would show every row that arrives as a change. `firnline preview` reads them back."""
    return [
        snowflake.Execute(
            site.child("table", args.name, each.property.lower()),
            execute=site.after(Kind.TABLE, args.name, each.execute),
            revert=each.revert,
            opts=site.options(),
        )
        for each in args.alterations
    ]


def _place(site: Site, name: QualifiedName) -> Place:
    database, schema, own = name.parts
    of_schema = QualifiedName((database, schema))
    return Place(
        database=site.stored(Kind.DATABASE, database),
        schema=site.after(Kind.SCHEMA, of_schema, schema.name),
        name=own.name,
    )
