"""Databases and schemas."""

import pulumi_snowflake as snowflake

from firnline_infra.blueprint.snowflake import Database, Schema
from firnline_infra.pulumi.snowflake.site import Kind, Site


def database(site: Site, args: Database) -> None:
    made = snowflake.Database(
        site.child("database", args.name),
        name=args.name.name,
        comment=args.comment,
        opts=site.options(durability=args.durability),
    )
    site.add(Kind.DATABASE, args.name, made.name)


def schema(site: Site, args: Schema) -> None:
    of_database, name = args.name.parts
    made = snowflake.Schema(
        site.child("schema", args.name),
        database=site.stored(Kind.DATABASE, of_database),
        name=name.name,
        comment=args.comment,
        opts=site.options(durability=args.durability),
    )
    site.add(Kind.SCHEMA, args.name, made.name)
