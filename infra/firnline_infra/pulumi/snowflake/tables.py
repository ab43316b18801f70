"""Databases, schemas, tables of every kind, and the pipes in front of them.

A table's columns are its own affair once it is made: schema evolution adds to them, or whoever designs them does.
"""

from typing import Any, TypedDict

import pulumi
import pulumi_snowflake as snowflake

from firnline_infra.blueprint.snowflake import (
    Database,
    DeadLetterPipe,
    DeadLetterStage,
    IcebergTable,
    InteractiveTable,
    Pipe,
    Schema,
    Table,
)
from firnline_infra.pulumi.snowflake.child_factory import ChildFactory, ObjectKind
from firnline_infra.pulumi.snowflake.retry import until_the_volume_can_be_used
from firnline_infra.specification.iceberg_types import with_size
from firnline_infra.specification.identifier import QualifiedName


def database(children: ChildFactory, args: Database) -> None:
    made = snowflake.Database(
        children.name("database", args.name),
        name=args.name.name,
        comment=args.comment,
        opts=children.options(durability=args.durability),
    )
    children.add(ObjectKind.DATABASE, args.name, made.name)


def schema(children: ChildFactory, args: Schema) -> None:
    of_database, name = args.name.parts
    made = snowflake.Schema(
        children.name("schema", args.name),
        database=children.stored(ObjectKind.DATABASE, of_database),
        name=name.name,
        comment=args.comment,
        opts=children.options(durability=args.durability),
    )
    children.add(ObjectKind.SCHEMA, args.name, made.name)


OWN = ["columns"]
OWN_STATEMENT = ["execute"]
"""It holds the columns, and another statement would make the table anew. `firnline preview` says what differs."""


class TablePlace(TypedDict):
    database: pulumi.Input[str]
    schema: pulumi.Input[str]
    name: str


def table(children: ChildFactory, args: Table | IcebergTable | InteractiveTable) -> list[pulumi.Resource]:
    """With what is altered on it."""
    match args:
        case InteractiveTable():
            return [_by_statement(children, args, children.options(durability=args.durability))]
        case IcebergTable() if args.has_structure:
            hooks = until_the_volume_can_be_used(children.name("table", args.name))
            options = children.waiting_options(durability=args.durability, hooks=hooks, ignore_changes=OWN_STATEMENT)
            return [_by_statement(children, args, options), *_alterations(children, args)]
        case IcebergTable():
            return [_iceberg(children, args), *_alterations(children, args)]
        case Table():
            return [_standard(children, args), *_alterations(children, args)]


def stage(children: ChildFactory, args: DeadLetterStage) -> pulumi.Resource:
    *schema, _ = args.name.parts
    made = snowflake.Execute(
        children.name("stage", args.name),
        execute=children.after(ObjectKind.SCHEMA, QualifiedName(tuple(schema)), args.create),
        revert=args.drop,
        query=args.query,
        opts=children.options(durability=args.durability),
    )
    children.add(ObjectKind.STAGE, args.name, made.execute)
    return made


def pipe(children: ChildFactory, args: Pipe | DeadLetterPipe) -> pulumi.Resource:
    """A pipe from a stage waits for both."""
    copied = children.after(ObjectKind.TABLE, args.table, args.copy_statement)
    if isinstance(args, DeadLetterPipe):
        staged = children.after(ObjectKind.STAGE, args.name, args.copy_statement)
        copied = pulumi.Output.all(copied, staged).apply(lambda _: args.copy_statement)
    made = snowflake.Pipe(
        children.name("pipe", args.name),
        **_place(children, args.name),
        copy_statement=copied,
        comment=args.comment,
        opts=children.options(durability=args.durability),
    )
    children.add(ObjectKind.PIPE, args.name, made.name)
    return made


def _standard(children: ChildFactory, args: Table) -> pulumi.Resource:
    made = snowflake.Table(
        children.name("table", args.name),
        **_place(children, args.name),
        columns=_columns(args),
        comment=args.comment,
        opts=children.options(durability=args.durability, ignore_changes=OWN),
    )
    children.add(ObjectKind.TABLE, args.name, made.name)
    return made


def _iceberg(children: ChildFactory, args: IcebergTable) -> pulumi.Resource:
    name = children.name("table", args.name)
    made = snowflake.IcebergTable(
        name,
        **_place(children, args.name),
        columns=_iceberg_columns(args),
        external_volume=args.volume.name,
        catalog=args.catalog,
        base_location=args.base_location,
        iceberg_version=args.format_version,
        error_logging=str(args.error_logging).lower(),
        comment=args.comment,
        opts=children.waiting_options(
            durability=args.durability, ignore_changes=OWN, hooks=until_the_volume_can_be_used(name)
        ),
    )
    children.add(ObjectKind.TABLE, args.name, made.name)
    return made


def _columns(args: Table) -> list[Any]:
    return [
        {"name": each.name.name, "type": each.type} | ({} if each.nullable else {"nullable": False})
        for each in (*args.metadata, *args.columns)
    ]


def _iceberg_columns(args: IcebergTable) -> list[Any]:
    return [
        {"name": each.name.name, "type": with_size(each.type)} | ({} if each.nullable else {"not_null": "true"})
        for each in (*args.metadata, *args.columns)
    ]


def _by_statement(
    children: ChildFactory, args: InteractiveTable | IcebergTable, options: pulumi.ResourceOptions
) -> pulumi.Resource:
    *schema, _ = args.name.parts
    made = snowflake.Execute(
        children.name("table", args.name),
        execute=children.after(ObjectKind.SCHEMA, QualifiedName(tuple(schema)), args.create),
        revert=args.drop,
        query=args.query,
        opts=options,
    )
    children.add(ObjectKind.TABLE, args.name, made.execute)
    return made


def _alterations(children: ChildFactory, args: Table | IcebergTable) -> list[pulumi.Resource]:
    """Without a query: its answer would show every row that arrives as a change. `firnline preview` reads them back."""
    return [
        snowflake.Execute(
            children.name("table", args.name, each.property.lower()),
            execute=children.after(ObjectKind.TABLE, args.name, each.execute),
            revert=each.revert,
            opts=children.options(),
        )
        for each in args.alterations
    ]


def _place(children: ChildFactory, name: QualifiedName) -> TablePlace:
    database, schema, own = name.parts
    of_schema = QualifiedName((database, schema))
    return TablePlace(
        database=children.stored(ObjectKind.DATABASE, database),
        schema=children.after(ObjectKind.SCHEMA, of_schema, schema.name),
        name=own.name,
    )
